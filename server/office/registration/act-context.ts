import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { ActContext } from '#server/acts/act-context.ts';
import { letterWords } from '#server/acts/letter-words.ts';
import type { Config } from '#server/config/config.ts';
import { createPlaceLinks } from '#server/links/place-links.ts';
import { MAIL_JOB_OPTIONS, MAIL_QUEUE_NAME } from '#server/mail/job.ts';
import { composeMessage } from '#server/mail/letters/compose-message.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { AskForWalk } from '#server/register/ask-for-walk.ts';
import type { Logger } from '#server/service/logger.ts';

export interface ActDependencies {
  config: Pick<Config, 'linkSecrets' | 'publicUrl' | 'office'>;
  payments: Payments;
  /** Made by `connectProducer`; it stays its owner's. */
  redis: Redis;
  askForWalk: AskForWalk;
  logger: Logger;
  /** The date by which the site does business. */
  now: () => Date;
}

/** What acts work on, with the app's own connections; letters are called by what they are. */
export function createActContext(dependencies: ActDependencies): ActContext {
  const { config, payments, redis, askForWalk, logger, now } = dependencies;
  const queue = new Queue<unknown>(MAIL_QUEUE_NAME, {
    connection: redis,
    defaultJobOptions: MAIL_JOB_OPTIONS,
  });
  queue.on('error', (error) => logger.debug({ err: error }, 'Mail queue error'));
  const links = createPlaceLinks(config.linkSecrets, config.publicUrl);
  const message = { office: config.office, siteUrl: config.publicUrl, links };
  return {
    ...{ queue, redis, askForWalk },
    subjectOf: (mail) => composeMessage(mail, message).subject,
    nameOf: (_id, kind) => (kind ? `“${letterWords[kind]}”` : 'A letter that cannot be read'),
    openRecord: async () => payments,
    openLinks: async () => links,
    now: async () => now(),
  };
}
