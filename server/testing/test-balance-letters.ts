import type { Email } from 'postal-mime';
import type { SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import type { MailOf } from '#server/mail/job.ts';
import type { Outbox } from '#server/mail/worker.ts';
import { findDigest } from '#server/register/office-digest.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { createReadModel } from '#server/register/read-model.ts';
import { runDueWalk } from '#server/register/walker.ts';
import type { TestScope } from './clean-up.ts';
import { startCharges } from './test-charges.ts';
import { createTestLog } from './test-log.ts';
import { startMailServer } from './test-mail-server.ts';
import { openTestQueue } from './test-queue.ts';
import { testRedis } from './test-redis.ts';
import { noCharges, noRefunds } from './test-register.ts';
import { startTestWorker } from './test-worker.ts';

/**
 * Registrations with their deposit paid, and the worker's part of the product: it walks when the test asks for it, and sends
 * the mails that it queues to a real mail server. The clock is the payment sandbox's.
 */
export async function startBalanceLetters(t: TestScope, options?: SandboxOptions) {
  const charges = await startCharges(t, options);
  const redis = await testRedis(t);
  const log = createTestLog();
  const { queue, connection } = openTestQueue(t, redis, { log });
  const { bullQueue } = queue;
  await bullQueue.waitUntilReady();
  const mailServer = await startMailServer(t);
  const { payments, now } = charges;
  const readModel = createReadModel(connection, now);
  const noWaitingList = { waitingNeeds: async () => [] };
  const digests = {
    ...noWaitingList,
    queue: bullQueue,
    register: payments,
    readModel,
    attention: async () => 0,
  };
  const outbox = createOutbox({
    ...{ payments, now },
    findDigest: (digest: MailOf<'office-digest'>) => findDigest(digest, now(), digests),
  });
  const walk = () =>
    runDueWalk(true, bullQueue, {
      ...{ redis: connection, register: payments, readModel, registration: 'auto', charges: noCharges },
      ...{ refunds: noRefunds },
      ...{ logger: log.logger, clock: { now } },
    });
  /** Lets a worker try all queued mails, however long their retry is delayed; returns the kinds of those that arrived. */
  const sendAll = async (using: Outbox = outbox): Promise<string[]> => {
    const before = mailServer.mails.length;
    for (const job of await bullQueue.getDelayed()) await job.promote();
    const waiting = await bullQueue.getJobCountByTypes('waiting', 'prioritized');
    const tried = (): number => log.text().split(/"msg":"Mail (?:sent|not sent|failed)/).length - 1;
    const goal = tried() + waiting;
    const { worker } = startTestWorker(t, { redis, mailServer, log, outbox: using, concurrency: 1 });
    while (tried() < goal) await log.next();
    // This waits until what was sent is recorded.
    await worker.close();
    return mailServer.mails.slice(before).map(kindOf).sort();
  };
  /** Walks at a moment and sends what is due then; returns the kinds of the mails that arrived. */
  const at = async (moment: Date): Promise<string[]> => {
    if (moment > now()) charges.moveTo(moment);
    await walk();
    return sendAll();
  };
  const post = { connection, log, bullQueue, mailServer, readModel, outbox };
  return { ...charges, ...post, walk, sendAll, at };
}

const kindOf = ({ messageId = '' }: Email): string =>
  /^<(.+)-(?:pi_|january)/.exec(messageId)?.[1] ?? messageId;
