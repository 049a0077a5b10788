import {
  type CardPageProps,
  type PageProps,
  renderAddressDocument,
  renderCancelDocument,
  renderDataDocument,
  renderDetailsDocument,
  renderHandOverDocument,
  renderOwnPageDocument,
  renderPlanDocument,
  renderProofDocument,
  renderPublicationDocument,
  renderQuestionsDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import type { OwnPageLinks } from '#server/links/links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Payments } from '#server/payments/payments.ts';
import { canUndoCancel } from '#server/record/cancel-plan.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { canAnswer } from '#server/record/registration-state.ts';
import type { OwnPageNews } from '#shared/content/own-page-form-words.ts';
import type { OwnPageLetter, OwnPageView, Sent } from '#shared/content/own-page-view.ts';
import { lettersShown } from './letters-shown.ts';
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
  publication: ({ publication }) =>
    publication && !publication.agrees ? renderPublicationDocument : undefined,
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
  'publication',
  'questions',
];

export type OwnPageDocuments = ReturnType<typeof createOwnPageDocuments>;

interface Dependencies {
  config: Pick<AppConfig, 'pixel'>;
  links: OwnPageLinks;
  shown: PageProps;
  /** The same on a page with a form for a card. */
  shownWithCard: CardPageProps;
  mailQueue: Pick<MailQueue, 'stateOf'>;
  payments: Pick<Payments, 'readAnnouncements' | 'readMessages'>;
}

/** The pages of one registration as HTML, for visitors who are let in. */
export function createOwnPageDocuments(dependencies: Dependencies) {
  const { config, links, shown, shownWithCard, mailQueue, payments } = dependencies;
  /** Only her page itself shows letters, and what the office has announced. */
  const viewWith = (
    { record, mayAct, session, secondFactor }: Visit,
    at: Date,
    beside: Pick<Parameters<typeof viewOf>[2], 'told' | 'announced'> & { letters?: OwnPageLetter[] } = {},
  ): OwnPageView =>
    viewOf(record, at, {
      mayAct,
      token: mayAct ? links.pressToken(session.text) : '',
      secondFactor: secondFactor.kind,
      asOffice: session.token.scope === 'office',
      letters: [],
      ...beside,
    });
  return {
    async ownPage(visit: Visit, at: Date, told: OwnPageNews | undefined): Promise<string> {
      const announced = await payments.readAnnouncements(visit.record.edition);
      const messages = await payments.readMessages(visit.record.edition);
      const letters = await lettersShown(visit.record, at, announced, mailQueue, messages);
      return renderOwnPageDocument({
        ...shownWithCard,
        isMeasured: config.pixel !== undefined,
        view: viewWith(visit, at, { letters, announced, told }),
      });
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
