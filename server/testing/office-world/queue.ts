import type { MailOf } from '#server/mail/job.ts';
import { findDigest } from '#server/register/office-digest.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { createReadModel } from '#server/register/read-model.ts';
import { runDueWalk } from '#server/register/walker.ts';
import { cleanUp, type TestScope } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { REFUSED_FOR_GOOD, startMailServer } from '#server/testing/test-mail-server.ts';
import { openTestQueue } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { noCharges, noRefunds } from '#server/testing/test-register.ts';
import { startTestWorker } from '#server/testing/test-worker.ts';
import { makeOfficeWorld } from './office-world.ts';
import { isRefusedAddress } from './people.ts';

/**
 * The office's world after a walk through all registrations has written their list to a Redis, and after a real mail server
 * has accepted or refused all mails of the last day. It runs in the test's own process; `openOffice` starts the product's processes.
 */
export async function startOfficeQueue(t: TestScope) {
  const world = await makeOfficeWorld();
  cleanUp(t, () => world.sandbox.close());
  const { payments, now } = world;
  const redis = await testRedis(t);
  const mailServer = await startMailServer(t);
  mailServer.refuse(REFUSED_FOR_GOOD, isRefusedAddress);
  const log = createTestLog();
  const { queue, connection } = openTestQueue(t, redis, { log });
  const { bullQueue } = queue;
  await bullQueue.waitUntilReady();
  const readModel = createReadModel(connection, now);
  await runDueWalk(true, bullQueue, {
    ...{ redis: connection, register: payments, readModel, registration: 'auto', charges: noCharges },
    ...{ refunds: noRefunds, logger: log.logger, clock: { now } },
  });
  const noWaitingList = { waitingNeeds: async () => [] };
  const digestSources = {
    ...noWaitingList,
    queue: bullQueue,
    register: payments,
    readModel,
    attention: async () => 1,
  };
  const findDigestNow = (digest: MailOf<'office-digest'>) => findDigest(digest, now(), digestSources);
  const waiting = await bullQueue.getWaitingCount();
  const outbox = createOutbox({ payments, now, findDigest: findDigestNow });
  const { worker } = startTestWorker(t, { redis, mailServer, log, outbox });
  const tried = () => log.text().split(/"msg":"Mail (?:sent|not sent|failed)/).length - 1;
  while (tried() < waiting) await log.next();
  await worker.close();
  return { ...world, redis, connection, queue, mailServer, readModel, log, findDigest: findDigestNow };
}
