import {
  renderAddressDocument,
  renderCancelDocument,
  renderDetailsDocument,
  renderHandOverDocument,
  renderOwnPageDocument,
  renderPlanDocument,
  renderProofDocument,
  renderQuestionsDocument,
  renderReceiptsDocument,
} from '#client/entry.server.tsx';
import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import type { OwnPageLinks } from '#server/links/own-page-links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import type { Payments } from '#server/payments/payments.ts';
import type {
  OwnPageLetter,
  OwnPagePlan,
  OwnPageRefund,
  OwnPageView,
  Sent,
} from '#shared/content/own-page-view.ts';
import type { OwnPageNews } from '#shared/own-page.ts';
import { lettersShown } from './letters-shown.ts';
import { viewOf } from './own-page-view.ts';
import type { Visit } from './visits.ts';

/** What a page is rendered from, apart from the visit. */
interface Shown {
  at: Date;
  /** The result of her last press. */
  told?: OwnPageNews | undefined;
  /** What she sent, if it was not accepted. */
  sent?: Sent;
}

/** A page as HTML. */
type Document = (visit: Visit, shown: Shown) => Promise<string>;

/** The pages of one registration, for visitors who are let in. */
export interface OwnPageDocuments {
  ownPage: Document;
  receipts: Document;
  /** @param offer what she gets back if she cancels now */
  cancel(visit: Visit, offer: OwnPageRefund, shown: Shown): string;
  undo(visit: Visit, shown: Shown): string;
  details(visit: Visit, shown: Shown): string;
  handOver(visit: Visit, handOver: NonNullable<OwnPageView['handOver']>, shown: Shown): string;
  plan(visit: Visit, plan: OwnPagePlan, shown: Shown): string;
  address(visit: Visit, shown: Shown): string;
  addressDropped(visit: Visit, shown: Shown): string;
  questions(visit: Visit, shown: Shown): string;
}

interface Dependencies {
  config: AppConfig;
  assets: Assets;
  links: OwnPageLinks;
  mailQueue: Pick<MailQueue, 'stateOf'>;
  payments: Pick<Payments, 'readAnnouncements' | 'readMessages'>;
}

export function createOwnPageDocuments(dependencies: Dependencies): OwnPageDocuments {
  const { config, assets, links, mailQueue, payments } = dependencies;
  const { stripe, office } = config;
  const shown = { office: contactOf(office), styles: [assets.ownPageStyle] };
  const viewWith = (
    visit: Visit,
    { at, told }: Shown,
    letters: readonly OwnPageLetter[],
    announced?: Announcements,
  ): OwnPageView => {
    const { record, mayAct, session, secondFactor } = visit;
    const token = mayAct ? links.pressToken(session.text) : '';
    const beside = { mayAct, token, secondFactor: secondFactor.kind, letters };
    const asOffice = session.token.scope === 'office' && { asOffice: true as const };
    return viewOf(record, at, {
      ...beside,
      ...asOffice,
      ...(announced && { announced }),
      ...(told && { told }),
    });
  };
  /** The props of a page with a form, which shows no letters. */
  const formOf = (visit: Visit, { sent, ...rest }: Shown) => ({
    ...shown,
    view: viewWith(visit, rest, []),
    ...(sent && { sent }),
  });
  return {
    async ownPage(visit, told) {
      const { publishableKey, scriptUrl = null } = stripe;
      const announced = await payments.readAnnouncements(visit.record.edition);
      const messages = await payments.readMessages(visit.record.edition);
      const letters = await lettersShown(visit.record, told.at, announced, mailQueue, messages);
      const view = viewWith(visit, told, letters, announced);
      const script = assets.ownPageScript;
      return renderOwnPageDocument({ ...shown, view, script, stripe: { publishableKey, scriptUrl } });
    },
    receipts: async (visit, told) => renderReceiptsDocument({ ...shown, view: viewWith(visit, told, []) }),
    cancel: (visit, offer, told) => renderCancelDocument({ ...formOf(visit, told), offer }),
    undo: (visit, told) => renderProofDocument({ ...formOf(visit, told), act: 'undo' }),
    handOver: (visit, handOver, told) => renderHandOverDocument({ ...formOf(visit, told), handOver }),
    plan: (visit, plan, told) => renderPlanDocument({ ...formOf(visit, told), plan }),
    details: (visit, told) => renderDetailsDocument(formOf(visit, told)),
    address: (visit, told) => renderAddressDocument(formOf(visit, told)),
    addressDropped: (visit, told) => renderProofDocument({ ...formOf(visit, told), act: 'addressDropped' }),
    questions: (visit, told) => renderQuestionsDocument(formOf(visit, told)),
  };
}
