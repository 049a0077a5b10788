import type { Response } from 'express';
import {
  AddressDocument,
  CancelDocument,
  CardDocument,
  DetailsDocument,
  HandOverDocument,
  LetterDocument,
  LinkDocument,
  NameHolderDocument,
  OnTheWayDocument,
  OwnPageDocument,
  type PageProps,
  PayDocument,
  PlanDocument,
  ProofDocument,
  QuestionsDocument,
  ReceiptsDocument,
  renderDocument,
} from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import { readMessages } from '#server/letters/messages.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import {
  canAnswer,
  canUndoCancel,
  type Links,
  type RegistrationRecord,
  readSaid,
  secondFactorOf,
} from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { TEN_MINUTES } from '#server/web/limiter.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import { isCardChangeable, type OnTheWay, payableCents, payNowOf } from '#shared/content/own-page-pay.ts';
import type { OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import type { LinkReason } from '#shared/content/own-page-words.ts';
import { lettersShown, sentTo } from './letters-shown.ts';
import { viewOf } from './own-page-view.ts';
import type { Visit } from './visits.ts';

const formPages = {
  pay(view) {
    const paying = payNowOf(view);
    return paying && ((props) => PayDocument({ ...props, paying }));
  },
  card: (view) => (payableCents(view) !== undefined || isCardChangeable(view) ? CardDocument : undefined),
  cancel: ({ offer }) => offer && ((props) => CancelDocument({ ...props, offer })),
  undo: ({ now }, record) => (canUndoCancel(record, now) ? proofPage('undo') : undefined),
  handOver({ handOver, canHandOverUntil: until }) {
    if (handOver) return (props) => HandOverDocument({ ...props, handOver });
    return until && ((props) => NameHolderDocument({ ...props, until }));
  },
  plan: ({ plan }) => plan && ((props) => PlanDocument({ ...props, plan })),
  details: () => DetailsDocument,
  address: () => AddressDocument,
  data: () => proofPage('data'),
  addressDropped: (_, { addressAsked }) => addressAsked && proofPage('addressDropped'),
  questions: ({ now }, record) => (canAnswer(record, now) ? QuestionsDocument : undefined),
} satisfies Record<string, (view: OwnPageView, record: RegistrationRecord) => FormPage | undefined>;
type FormPage = typeof DetailsDocument;

function proofPage(act: Parameters<typeof ProofDocument>[0]['act']): FormPage {
  return (props) => ProofDocument({ ...props, act });
}

export type FormName = keyof typeof formPages;
export const formNames = Object.keys(formPages).filter((name): name is FormName => name in formPages);

interface Dependencies {
  config: Pick<AppConfig, 'pixelId'>;
  links: Links;
  shown: PageProps;
  mailQueue: Pick<MailQueue, 'stateOf'>;
  payments: Pick<Payments, 'database'>;
}

export function createOwnPageDocuments(dependencies: Dependencies) {
  const { config, links, shown, mailQueue, payments } = dependencies;
  /** Only her page itself shows letters, and what the office has announced. */
  const viewWith = (
    { record, mayAct, session }: Visit,
    at: Date,
    beside: Partial<Parameters<typeof viewOf>[2]> = {},
  ): OwnPageView =>
    viewOf(record, at, {
      mayAct,
      token: mayAct ? links.pressToken(session.text) : '',
      secondFactor: secondFactorOf(record).kind,
      letters: [],
      ...beside,
    });
  return {
    async ownPage(visit: Visit, at: Date, told: OwnPageNews | undefined): Promise<string> {
      const announced = await readAnnouncements(payments, visit.record.edition);
      const messages = await readMessages(payments, visit.record.edition);
      const letters = await lettersShown(visit.record, at, announced, mailQueue, messages);
      return renderDocument(OwnPageDocument, {
        ...shown,
        isMeasured: config.pixelId !== undefined,
        view: viewWith(visit, at, { letters, announced, told }),
      });
    },
    /** A letter that she has had, as it was; undefined where there is none of this id, or it is not kept. */
    async letter(visit: Visit, at: Date, id: string): Promise<string | undefined> {
      const { record } = visit;
      const messages = await readMessages(payments, record.edition);
      const letter = sentTo(record, messages).find((one) => one.id === id);
      const said = letter && (await readSaid(payments, record.id, id));
      return said && renderDocument(LetterDocument, { ...shown, letter, said, view: viewWith(visit, at) });
    },
    onTheWay: ({ edition }: Pick<RegistrationRecord, 'edition'>, to: OnTheWay, url: string): string =>
      renderDocument(OnTheWayDocument, { look: shown.look, siteName: edition.facts.siteName, to, url }),
    receipts: (visit: Visit, at: Date): string =>
      renderDocument(ReceiptsDocument, { ...shown, view: viewWith(visit, at) }),
    form(name: FormName, visit: Visit, at: Date) {
      const view = viewWith(visit, at);
      const Page = formPages[name](view, visit.record);
      return (
        Page &&
        (({ told, sent }: { told?: OwnPageNews | undefined; sent?: Sent }): string =>
          renderDocument(Page, { ...shown, view: { ...view, told }, sent }))
      );
    },
  };
}

/** The status is the same whatever is wrong with a link or cookie. */
const STATUS: Readonly<Record<LinkReason, number>> = {
  none: 200,
  'no-cookie': 403,
  invalid: 403,
  unconfirmed: 403,
  asked: 200,
  'asked-too-often': 429,
  'too-many': 429,
  'not-recorded': 503,
  'handed-over': 409,
  'hand-over-gone': 403,
  'hand-over-done': 200,
  another: 409,
  returned: 200,
  closed: 200,
};

/**
 * Answers with the page that offers a new link.
 * @param closeToken the press token of a session with which she can close her page everywhere
 */
type SendLinkPage = (res: Response, reason: LinkReason, closeToken?: string) => void;

export const linkPages =
  (shown: PageProps): SendLinkPage =>
  (res, reason, closeToken) => {
    if (STATUS[reason] === 429) res.set('Retry-After', String(TEN_MINUTES));
    res.status(STATUS[reason]).type('html');
    res.send(renderDocument(LinkDocument, { ...shown, reason, closeToken }));
  };
