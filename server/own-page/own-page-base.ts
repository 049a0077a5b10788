import type { AppConfig } from '#server/config/config.ts';
import type { Logger } from '#server/config/logger.ts';
import { contactOf } from '#server/config/office.ts';
import type { Database } from '#server/database/database.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import { type Admission, createLinks } from '#server/registration/registration.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import type { Assets } from '#server/web/assets.ts';
import type { Limiter } from '#server/web/limiter.ts';
import { createOwnPageDocuments, linkPages } from './own-page-documents.ts';
import { createNews, createSessions, createVisits } from './visits.ts';

export interface OwnPageDependencies extends Admission {
  config: AppConfig;
  assets: Assets;
  database: Database;
  payments: Payments;
  mailQueue: MailQueue;
  limiter: Limiter;
  askForDueWork: () => Promise<void>;
  logger: Logger;
  now: () => Date;
}

export type OwnPageBase = ReturnType<typeof createOwnPageBase>;

export function createOwnPageBase(dependencies: OwnPageDependencies) {
  const { config, assets, now } = dependencies;
  const links = createLinks(config.linkSecrets, config.publicUrl);
  const sessions = createSessions(links, config.publicUrl, now);
  const look = { styleSheet: assets.ownPageStyle, fonts: assets.fonts };
  const shown = { office: contactOf(config.office), look };
  return {
    ...dependencies,
    links,
    sessions,
    shown,
    visits: createVisits({ ...dependencies, links, sessions }),
    news: createNews(config, sessions),
    documents: createOwnPageDocuments({ ...dependencies, links, shown }),
    sendLinkPage: linkPages(shown),
  };
}
