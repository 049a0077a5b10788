import type { AppConfig } from '#server/config/config.ts';
import { contactOf } from '#server/config/office.ts';
import { createOwnPageLinks } from '#server/links/links.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { Assets } from '#server/page/assets.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { Logger } from '#server/service/logger.ts';
import { createForms } from './forms.ts';
import { linkPages } from './link-pages.ts';
import { createNews } from './news.ts';
import { createOwnPageDocuments } from './own-page-documents.ts';
import type { OwnPageLimits } from './own-page-limits.ts';
import { createSessions } from './sessions.ts';
import { createVisits } from './visits.ts';

/** What her page needs of the site. */
export interface OwnPageDependencies {
  config: AppConfig;
  assets: Assets;
  payments: Payments;
  mailQueue: MailQueue;
  limits: OwnPageLimits;
  /** Asks the worker to do what is due now. */
  askForDueWork: () => Promise<void>;
  logger: Logger;
  now: () => Date;
}

/** What the routes of her page share. */
export type OwnPageContext = ReturnType<typeof createOwnPageContext>;

export function createOwnPageContext(dependencies: OwnPageDependencies) {
  const { config, assets, now } = dependencies;
  const links = createOwnPageLinks(config.linkSecrets, config.publicUrl);
  const sessions = createSessions(links, config.publicUrl, now);
  const shown = { office: contactOf(config.office), styles: [assets.ownPageStyle] };
  const { publishableKey, scriptUrl = null } = config.stripe;
  const shownWithCard = { ...shown, script: assets.ownPageScript, stripe: { publishableKey, scriptUrl } };
  const base = {
    ...dependencies,
    links,
    sessions,
    shown,
    shownWithCard,
    visits: createVisits({ ...dependencies, links, sessions }),
    news: createNews(config.publicUrl),
    documents: createOwnPageDocuments({ ...dependencies, links, shown, shownWithCard }),
    sendLinkPage: linkPages(shown),
  };
  return { ...base, forms: createForms(base) };
}
