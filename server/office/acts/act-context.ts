import { Queue } from 'bullmq';
import type { ActContext } from '#server/acts/act-context.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MessageContext } from '#server/letters/render/links.ts';
import { letterTable } from '#server/letters/table.ts';
import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import type { ActPagesDependencies } from './dependencies.ts';

/** The context of acts, with the app's own connections; letters are named by their kind. */
export function createActContext(dependencies: ActPagesDependencies): ActContext {
  const { config, payments, letterLog, admission, redis, registrationList, askForDueWork, logger, now } =
    dependencies;
  const queue: LetterQueue = new Queue(MAIL_QUEUE_NAME, queueOn(redis));
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const links = createOwnPageLinks(config.linkSecrets, config.publicUrl);
  const waitingLinks = createWaitingLinks(config.linkSecrets, config.publicUrl);
  const message = { office: config.office, siteUrl: config.publicUrl, links, waitingLinks };
  return {
    ...{ queue, redis, askForDueWork },
    readingOf(mail) {
      const composed = composeMessage(mail, { ...message, links: standInLinks(config.publicUrl) });
      const { subject, text, html } = composed;
      return { subject, text, html };
    },
    nameOf: (_id, kind) => (kind ? `“${letterTable[kind].name}”` : 'A letter that cannot be read'),
    list: registrationList.list,
    openRecord: async () => payments,
    openLetterLog: async () => letterLog,
    openAdmission: async () => admission,
    openLinks: async () => links,
    now: async () => now(),
    mailPerSecond: config.mail.perSecond,
  };
}

/** Placeholder links, for previews of letters. */
function standInLinks(siteUrl: string): MessageContext['links'] {
  const url = (): string => new URL(`${ownPagePaths.enter}HER-OWN-LINK`, siteUrl).href;
  return { url, confirmUrl: url, endUrl: url, takeUrl: url };
}
