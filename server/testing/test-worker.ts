import { Registry } from 'prom-client';
import { sampleLinkSecret, sampleOffice } from '#scripts/product/environment.ts';
import type { MailServer } from '#scripts/product/mail-server.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import { createWaitingLinks } from '#server/links/waiting-links.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { type Outbox, startMailWorker } from '#server/mail/worker.ts';
import { addMailOutcomes } from '#server/ops/mail-metrics.ts';
import { connectWorker } from '#server/redis/connect-redis.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import type { TestLog } from './test-log.ts';
import { hastyOutbox } from './test-queue.ts';
import type { TestRedis } from './test-redis.ts';

const SITE_URL = 'https://retreat.example';

const context = {
  office: { email: sampleOffice.OFFICE_EMAIL, phone: sampleOffice.OFFICE_PHONE },
  siteUrl: SITE_URL,
  links: createOwnPageLinks([sampleLinkSecret.LINK_SECRET], SITE_URL),
  waitingLinks: createWaitingLinks([sampleLinkSecret.LINK_SECRET], SITE_URL),
};

interface WorkerOptions {
  redis: TestRedis;
  mailServer: Pick<MailServer, 'url'>;
  log: TestLog;
  /** By default every letter that the test queued is due. */
  outbox?: Outbox;
  metrics?: Registry;
  concurrency?: number;
  perSecond?: number;
  isHeldBack?: () => boolean;
}

/** The real mail worker between a test's Redis and its mail server, with its own connection. */
export function startTestWorker(t: TestScope, options: WorkerOptions) {
  const { redis, mailServer, log, metrics = new Registry(), concurrency = 5, perSecond = 100 } = options;
  const { isHeldBack = () => false } = options;
  const connection = connectWorker(redis.settings, log.logger);
  cleanUp(t, async () => connection.disconnect());
  const worker = startMailWorker({
    redis: connection,
    sender: {
      transport: createSmtpTransport(mailServer.url),
      from: sampleOffice.MAIL_FROM,
      compose: (mail) => composeMessage(mail, context),
    },
    outbox: options.outbox ?? hastyOutbox,
    outcomes: addMailOutcomes(metrics),
    logger: log.logger,
    concurrency,
    perSecond,
    isHeldBack,
  });
  cleanUp(t, () => worker.close());
  return { worker, connection };
}
