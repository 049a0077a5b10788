import type { Response } from 'express';
import {
  type CardPageProps,
  type PageProps,
  renderAddressDocument,
  renderCancelDocument,
  renderDataDocument,
  renderDetailsDocument,
  renderHandOverDocument,
  renderLetterDocument,
  renderLinkDocument,
  renderOwnPageDocument,
  renderPlanDocument,
  renderProofDocument,
  renderQuestionsDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { TEN_MINUTES } from '#server/http/limiter.ts';
import { readAnnouncements } from '#server/letters/announcements.ts';
import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import {
  LETTER_NAMES,
  type LetterName,
  lettersDue,
  lettersNow,
  letterTable,
  resendName,
} from '#server/letters/table.ts';
import { type Message, readMessages } from '#server/mail/messages.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { canUndoCancel } from '#server/registration/cancelling.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import { type EndedLetter, readSaid } from '#server/registration/ended-letters.ts';
import type { Links } from '#server/registration/links.ts';
import { secondFactorOf } from '#server/registration/page-access.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { canAnswer } from '#server/registration/registration-state.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { OwnPageLetter, OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import type { LinkReason } from '#shared/content/own-page-words.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import { viewOf } from './own-page-view.ts';
import type { Visit } from './visits.ts';

/** What a page shows besides the visit. */
export interface Shown {
  /** The result of her last press. */
  told?: OwnPageNews | undefined;
  /** What she sent, if it was not accepted. */
  sent?: Sent | undefined;
}

type FormProps = Parameters<typeof renderDetailsDocument>[0];
type RenderForm = (props: FormProps) => string;

/** The pages with a form; undefined where there is nothing that it is about. */
const formPages = {
  cancel: ({ offer }) => offer && ((props) => renderCancelDocument({ ...props, offer })),
  undo: ({ now }, record) =>
    canUndoCancel(record, now) ? (props) => renderProofDocument({ ...props, act: 'undo' }) : undefined,
  handOver: ({ handOver }) => handOver && ((props) => renderHandOverDocument({ ...props, handOver })),
  plan: ({ plan }) => plan && ((props) => renderPlanDocument({ ...props, plan })),
  details: () => renderDetailsDocument,
  address: () => renderAddressDocument,
  data: () => renderDataDocument,
  addressDropped: (_, { addressAsked }) =>
    addressAsked && ((props) => renderProofDocument({ ...props, act: 'addressDropped' })),
  questions: ({ now }, record) => (canAnswer(record, now) ? renderQuestionsDocument : undefined),
} satisfies Record<string, (view: OwnPageView, record: RegistrationRecord) => RenderForm | undefined>;
export type FormName = keyof typeof formPages;
export const formNames: readonly FormName[] = [
  'cancel',
  'undo',
  'handOver',
  'plan',
  'details',
  'address',
  'addressDropped',
  'data',
  'questions',
];

export type OwnPageDocuments = ReturnType<typeof createOwnPageDocuments>;

interface Dependencies {
  config: Pick<AppConfig, 'pixelId'>;
  links: Links;
  shown: PageProps;
  /** The same on a page with a form for a card. */
  shownWithCard: CardPageProps;
  mailQueue: Pick<MailQueue, 'stateOf'>;
  payments: Pick<Payments, 'database'>;
}

/** The pages of one registration as HTML, for visitors who are let in. */
export function createOwnPageDocuments(dependencies: Dependencies) {
  const { config, links, shown, shownWithCard, mailQueue, payments } = dependencies;
  /** Only her page itself shows letters, and what the office has announced. */
  const viewWith = (
    { record, mayAct, session }: Visit,
    at: Date,
    beside: Pick<Parameters<typeof viewOf>[2], 'told' | 'announced'> & { letters?: OwnPageLetter[] } = {},
  ): OwnPageView =>
    viewOf(record, at, {
      mayAct,
      token: mayAct ? links.pressToken(session.text) : '',
      secondFactor: secondFactorOf(record).kind,
      asOffice: session.token.scope === 'office',
      letters: [],
      ...beside,
    });
  return {
    async ownPage(visit: Visit, at: Date, told: OwnPageNews | undefined): Promise<string> {
      const announced = await readAnnouncements(payments, visit.record.edition);
      const messages = await readMessages(payments, visit.record.edition);
      const letters = await lettersShown(visit.record, at, announced, mailQueue, messages);
      return renderOwnPageDocument({
        ...shownWithCard,
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
      return said && renderLetterDocument({ ...shown, letter, said, view: viewWith(visit, at) });
    },
    receipts: (visit: Visit, at: Date): string =>
      renderReceiptsDocument({ ...shown, view: viewWith(visit, at) }),
    /** Returns what renders a page with a form; undefined if there is nothing that it is about. */
    form(name: FormName, visit: Visit, at: Date): ((more: Shown) => string) | undefined {
      const view = viewWith(visit, at);
      const render = formPages[name](view, visit.record);
      return render && (({ told, sent }) => render({ ...shown, view: { ...view, told }, sent }));
    },
  };
}

const BEFORE_PAYING: readonly LetterName[] = ['registration-received', 'unfinished'];

/** The letters that her page lists once they are sent or owed: those to her since she has paid the deposit. */
export const shownLetters = LETTER_NAMES.filter((name) => {
  const { about, to } = letterTable[name];
  return about === 'registration' && to === 'registrant' && !BEFORE_PAYING.includes(name);
});
const isShown = (name: string): name is LetterName => shownLetters.some((one) => one === name);

/** What her page calls a letter; undefined for one that it does not list. */
function subjectOf(
  { kind, version }: Pick<EndedLetter, 'kind' | 'version'>,
  record: RegistrationRecord,
  messages: readonly Message[],
): string | undefined {
  if (kind === 'message') return messages.find(({ message }) => message === version)?.subject;
  const agreed = asAgreed(record.edition, balanceTermsOf(record));
  return isShown(kind) ? letterTable[kind].subject?.(agreed) : undefined;
}

/** What was sent to her since the place is hers, each letter with its last copy, by its date. */
function sentTo(record: RegistrationRecord, messages: readonly Message[]) {
  const { handedOver, endedLetters } = record;
  const isCopied = ({ kind, version }: EndedLetter, index: number): boolean =>
    endedLetters.slice(index + 1).some((one) => one.kind === kind && one.version === version);
  return endedLetters.flatMap((letter, index) => {
    const { id, state, at } = letter;
    const subject = subjectOf(letter, record, messages);
    const isHers = state === 'sent' && (!handedOver || at >= handedOver.at);
    if (subject === undefined || !isHers || isCopied(letter, index)) return [];
    return [{ kind: resendName(letter), subject, at, id }];
  });
}

/** The letters to her: those that were sent, and those that are owed, whose state the queue knows. */
async function lettersShown(
  record: RegistrationRecord,
  now: Date,
  announced: AnnouncedToAll,
  mailQueue: Pick<MailQueue, 'stateOf'>,
  messages: readonly Message[],
): Promise<OwnPageLetter[]> {
  const due = lettersDue(record, now, announced).filter(({ kind }) => isShown(kind));
  const isTrue = (kind: string): boolean =>
    isShown(kind)
      ? lettersNow(kind, record, now, allAnnounced(record.edition, now)).length > 0
      : !isUnreachable(record);
  const all = sentTo(record, messages);
  const sent = all.map((letter, index): OwnPageLetter => {
    const { kind } = letter;
    const isLast = ![...all.slice(index + 1), ...due].some((one) => one.kind === kind);
    return { ...letter, state: 'sent', again: isLast && isTrue(kind) };
  });
  const owed = due.map(async (letter): Promise<OwnPageLetter> => {
    const { kind } = letter;
    const state = await mailQueue.stateOf(letter);
    const subject = subjectOf(letter, record, messages) ?? '';
    return { kind, subject, state, again: state === 'failed' && isTrue(kind) };
  });
  return [...sent, ...(await Promise.all(owed))];
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
  'other-open': 409,
  'handed-over': 409,
  'hand-over-gone': 403,
  'hand-over-done': 200,
  another: 409,
  closed: 200,
};

/**
 * Answers with the page that offers a new link.
 * @param closeToken the press token of a session with which she can close her page everywhere
 */
export type SendLinkPage = (res: Response, reason: LinkReason, closeToken?: string) => void;

/** Renders these pages once, since they never change but for a token. */
export function linkPages(shown: PageProps): SendLinkPage {
  const render = (reason: LinkReason, closeToken?: string) =>
    renderLinkDocument({ ...shown, reason, closeToken });
  const pages = new Map<LinkReason, string>();
  return (res, reason, closeToken) => {
    if (STATUS[reason] === 429) res.set('Retry-After', String(TEN_MINUTES));
    const page = (closeToken === undefined && pages.get(reason)) || render(reason, closeToken);
    if (closeToken === undefined) pages.set(reason, page);
    res.status(STATUS[reason]).type('html').send(page);
  };
}
