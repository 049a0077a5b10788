import { UnrecoverableError, Worker } from 'bullmq';
import { sampleLinkSecret, sampleOffice } from '#scripts/product/environment.ts';
import type { MailServer } from '#scripts/product/mail-server.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { Mail, OwedLetter } from '#server/letters/letter-kind.ts';
import { createLetterLog, type LetterLog } from '#server/letters/letter-log.ts';
import { type Outbox, startMailWorker } from '#server/letters/mail-worker.ts';
import { createMailQueue, MAIL_QUEUE_NAME, type MailQueue } from '#server/letters/queue.ts';
import { createSmtpTransport } from '#server/letters/send-mail.ts';
import { connectProducer, connectWorker } from '#server/ops/connect-redis.ts';
import { Metrics } from '#server/ops/metrics.ts';
import { createLinks } from '#server/registration/registration.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { testDatabase } from './test-database.ts';
import { createTestLog, type TestLog } from './test-log.ts';
import type { TestRedis } from './test-redis.ts';

export interface RedisPatience {
  /** Redis hangs in the test: it is waited for as long as the product does, not longer. */
  redisHangs?: boolean | undefined;
}

/** How long to wait for Redis, on a busy machine too; undefined for the product's own bounds. */
function redisTimeoutMs({ redisHangs = false }: RedisPatience): number | undefined {
  return redisHangs ? undefined : 5_000;
}

interface QueueOptions extends RedisPatience {
  log?: TestLog;
  letterLog?: LetterLog;
  now?: () => Date;
}

/** The app's side of the mail queue on a test's Redis, which need not run. */
export async function openTestQueue(
  t: TestScope,
  redis: TestRedis,
  { log = createTestLog(), now = () => new Date(), ...options }: QueueOptions = {},
) {
  const letterLog = options.letterLog ?? createLetterLog((await testDatabase(t)).database);
  const addTimeoutMs = redisTimeoutMs(options);
  const connection = connectProducer(redis.url, log.logger, addTimeoutMs);
  const queue = createMailQueue(connection, log.logger, { letterLog, now, addTimeoutMs });
  cleanUp(t, () => queue.close());
  return { queue: remembering(queue), letterLog, connection, log };
}

/** The letters that tests have queued, by id. */
const remembered = new Map<string, Mail>();
const isWhole = (letter: OwedLetter): letter is Mail => 'write' in letter;
const adding = new Set<Promise<void>>();

function remembering(queue: MailQueue): MailQueue {
  const remember = (add: MailQueue['add']): MailQueue['add'] => {
    return (...letters) => {
      for (const letter of letters.filter(isWhole)) remembered.set(letter.id, letter);
      const added = add(...letters).finally(() => adding.delete(added));
      adding.add(added);
      return added;
    };
  };
  return { ...queue, add: remember(queue.add), queue: remember(queue.queue) };
}

/** Resolves once the letters are queued, or failed to be, that are being queued now. */
export const untilQueued = (): Promise<unknown> => Promise.allSettled(adding);

/** Each letter that a test has queued is due, as it was queued. */
export const hastyOutbox: Outbox = {
  findDue: async (id) => remembered.get(id.replace(/-again-.*$/, '')) ?? 'not due',
  now: () => new Date(),
  markSent: async () => {},
};

/** Lets a queued mail, and all others that wait with it, fail for good, as if a mail server had refused them. */
export async function failMail({ url }: TestRedis, jobId: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const refuse = async () => {
    throw new UnrecoverableError('550 no such mailbox');
  };
  const connection = { host: hostname, port: Number(port) };
  const worker = new Worker(MAIL_QUEUE_NAME, refuse, { connection });
  await new Promise<void>((resolve) =>
    worker.on('failed', (job) => {
      if (job?.id === jobId) resolve();
    }),
  );
  await worker.close();
}

const SITE_URL = 'https://retreat.example';

const context = {
  office: { email: sampleOffice.OFFICE_EMAIL, phone: sampleOffice.OFFICE_PHONE },
  siteUrl: SITE_URL,
  links: createLinks([sampleLinkSecret.LINK_SECRET], SITE_URL),
};

interface WorkerOptions {
  redis: TestRedis;
  mailServer: Pick<MailServer, 'url'>;
  log: TestLog;
  /** By default every letter that the test queued is due. */
  outbox?: Outbox;
  metrics?: Metrics;
  concurrency?: number;
  perSecond?: number;
}

/** The real mail worker between a test's Redis and its mail server, with its own connection. */
export function startTestWorker(t: TestScope, options: WorkerOptions) {
  const { redis, mailServer, log, metrics = new Metrics(), concurrency = 5, perSecond = 100 } = options;
  const connection = connectWorker(redis.url, log.logger);
  cleanUp(t, async () => connection.disconnect());
  const worker = startMailWorker({
    redis: connection,
    sender: {
      transport: createSmtpTransport(mailServer.url),
      from: sampleOffice.MAIL_FROM,
      compose: (mail) => composeMessage(mail, context),
    },
    outbox: options.outbox ?? hastyOutbox,
    metrics,
    logger: log.logger,
    concurrency,
    perSecond,
  });
  cleanUp(t, () => worker.close());
  return { worker, connection };
}
