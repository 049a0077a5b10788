import type { Email } from 'postal-mime';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { type MailServer, type SmtpRefusal, startMailServer as start } from '#scripts/product/mail-server.ts';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import type { ActContext } from '#server/acts/act.ts';
import { createOwnPageLinks } from '#server/links/own-page-links.ts';
import type { MailOf } from '#server/mail/job.ts';
import type { LetterQueue } from '#server/mail/queue.ts';
import type { Outbox } from '#server/mail/worker.ts';
import type { RedisClient } from '#server/redis/redis-client.ts';
import { type DueWorkDependencies, runDueWork } from '#server/register/due-work.ts';
import { askToCatchUp } from '#server/register/last-due-work.ts';
import { findDigest } from '#server/register/office-digest.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { createRegistrationList } from '#server/register/registration-list.ts';
import { type Admission, createAdmission } from '#server/register/waiting-list.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { type Charges, startCharges } from './test-charges.ts';
import { createTestLog } from './test-log.ts';
import { openTestQueue, type RedisPatience } from './test-queue.ts';
import { testRedis } from './test-redis.ts';
import { startTestWorker } from './test-worker.ts';

/** There is no such mailbox: the mail is not retried. */
export const REFUSED_FOR_GOOD: SmtpRefusal = { responseCode: 550, message: 'No such mailbox' };

/** Starts a mail server until the test is over. */
export async function startMailServer(t: TestScope): Promise<MailServer> {
  const server = await start();
  cleanUp(t, () => server.close());
  return server;
}

/** A payment sandbox with registrations, and its clock. */
type World = Pick<Charges, 'payments' | 'database' | 'letterLog' | 'now' | 'moveTo'>;

/** What acts work with; they call mails by their IDs, and no worker is asked. */
export function actContextOf(
  { payments, letterLog, now, database, admission }: Omit<World, 'moveTo'> & { admission: Admission },
  queue: LetterQueue,
  redis: RedisClient,
): ActContext {
  return {
    queue,
    redis,
    readingOf: () => ({ subject: '', text: '', html: '' }),
    nameOf: (id) => id,
    list: createRegistrationList(database).list,
    openRecord: async () => payments,
    openLetterLog: async () => letterLog,
    openAdmission: async () => admission,
    openLinks: async () => createOwnPageLinks([leastEnvironment.LINK_SECRET], leastEnvironment.PUBLIC_URL),
    now: async () => now(),
    askForDueWork: async () => {},
    mailPerSecond: 10,
  };
}

/** Registrations in the payment sandbox, and all of `mailingFor`. */
export async function startMailing(
  t: TestScope,
  { redisHangs = false, ...options }: SandboxOptions & RedisPatience = {},
) {
  return mailingFor(t, await startCharges(t, options), { redisHangs });
}

/**
 * The worker's part of the product beside a payment sandbox, on a Redis and a mail server of its own: it does what is
 * due when the test asks for it, and sends the mails that it queues. The clock is the payment sandbox's.
 */
export async function mailingFor<Given extends World>(
  t: TestScope,
  world: Given,
  patience: RedisPatience = {},
) {
  const { payments, database, letterLog, now } = world;
  const redis = await testRedis(t);
  const log = createTestLog();
  const { queue, connection } = await openTestQueue(t, redis, { log, letterLog, now, ...patience });
  const { bullQueue } = queue;
  await bullQueue.waitUntilReady();
  const mailServer = await startMailServer(t);
  const admission = createAdmission({ database, payments, now });
  const registrationList = createRegistrationList(database);
  const digestSources = {
    queue: bullQueue,
    letterLog,
    register: payments,
    registrationList,
    database,
    waitingNeeds: async () => [],
  };
  const findDigestNow = (digest: MailOf<'office-digest'>) => findDigest(digest, now(), digestSources);
  const outbox = createOutbox({
    payments,
    registrationList,
    ...admission,
    letterLog,
    now,
    findDigest: findDigestNow,
  });
  /** Catches up with Stripe unless the test says otherwise, and does what is due. */
  const work = async ({
    catchesUp = true,
    ...changes
  }: Partial<DueWorkDependencies> & { catchesUp?: boolean } = {}) => {
    if (catchesUp) await askToCatchUp(connection);
    await runDueWork(bullQueue, {
      redis: connection,
      database,
      register: payments,
      letterLog,
      admission,
      registrationList,
      money: { charged() {}, declined() {}, refunded() {}, refundRefused() {} },
      registration: 'auto',
      logger: log.logger,
      clock: { now },
      ...changes,
    });
  };
  /** Starts a worker, which by default looks at Stripe whether a mail is due. */
  const startWorker = (using: Outbox = outbox) =>
    startTestWorker(t, { redis, mailServer, log, outbox: using, concurrency: 1 }).worker;
  /** Lets a worker try all queued mails, however long their retry is delayed; returns the kinds of those that arrived. */
  const sendAll = async (using?: Outbox): Promise<string[]> => {
    const before = mailServer.parsed.length;
    for (const job of await bullQueue.getDelayed()) await job.promote();
    const waiting = await bullQueue.getJobCountByTypes('waiting', 'prioritized');
    const tried = (): number => log.text().split(/"msg":"Mail (?:sent|not sent|failed)/).length - 1;
    const goal = tried() + waiting;
    const worker = startWorker(using);
    while (tried() < goal) await log.next();
    // This waits until what was sent is recorded.
    await worker.close();
    return mailServer.parsed.slice(before).map(kindOf).sort();
  };
  return {
    ...world,
    redis,
    connection,
    log,
    queue,
    bullQueue,
    mailServer,
    registrationList,
    outbox,
    admission,
    work,
    startWorker,
    sendAll,
    findDigest: findDigestNow,
    context: actContextOf({ ...world, admission }, bullQueue, connection),
    /** Does what is due at a moment, and sends the letters; returns the kinds of the mails that arrived. */
    async at(moment: Date): Promise<string[]> {
      if (moment > now()) world.moveTo(moment);
      await work();
      return sendAll();
    },
  };
}

const kindOf = ({ messageId = '' }: Email): string =>
  /^<(.+)-(?:pi_|january)/.exec(messageId)?.[1] ?? messageId;
