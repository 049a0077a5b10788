import assert from 'node:assert/strict';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { SANDBOX_KEYS, type SandboxOptions, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { readWorkerConfig } from '#server/config/config.ts';
import { createLetterLog } from '#server/letters/letter-log.ts';
import type { CommandContext } from '#server/office/commands/command.ts';
import type { Metrics } from '#server/ops/metrics.ts';
import { createAdmission, findDeposit, findRow } from '#server/registration/registration.ts';
import { connectStripe, type Payments } from '#server/stripe/connect-stripe.ts';
import { registrationOf } from '#server/stripe/payment-at-stripe.ts';
import { recordPayment } from '#server/stripe/record-payments.ts';
import { findDigest } from '#server/worker/office-digest.ts';
import { createOutbox } from '#server/worker/outbox.ts';
import type { Edition } from '#shared/content/edition.ts';
import { cleanUp, type TestScope } from './clean-up.ts';
import { bareDatabase, type EngineName, testDatabase } from './test-database.ts';
import { openTestQueue, type RedisPatience } from './test-queue.ts';
import { testRedis } from './test-redis.ts';

/** How the stage of a test differs from the usual one. */
export interface StageOptions extends SandboxOptions {
  /** Where the register is. */
  engine?: EngineName | undefined;
  /** Each write runs once, as in production: for what measures time. */
  writesOnce?: boolean | undefined;
  /** How long the product waits for the sandbox. */
  stripeTimeoutMs?: number | undefined;
  /** The business time; by default that of the sandbox's clock. */
  now?: (() => Date) | undefined;
  metrics?: Metrics;
}

/** What every test of registrations stands on: the payment sandbox, a register, and the product's payments on both. */
export async function startStage(
  t: TestScope,
  { engine, writesOnce, stripeTimeoutMs, now, metrics, ...sandboxOptions }: StageOptions = {},
) {
  // The sandbox closes after everything that asks it.
  const last = { after: (close: () => unknown) => cleanUp(t, async () => close()) };
  const { sandbox, stripe } = await startTestSandbox(last, sandboxOptions);
  const openRegister = writesOnce ? bareDatabase : testDatabase;
  const { database, url: databaseUrl } = await openRegister(t, engine);
  const settings = { ...SANDBOX_KEYS, apiBase: sandbox.url, timeoutMs: stripeTimeoutMs };
  const letterLog = createLetterLog(database);
  const customerOf = async (id: string) => {
    const row = await database.read((transaction) => findRow(transaction, id));
    return row?.customer ? { customer: row.customer } : {};
  };
  const openPayments = () => connectStripe(settings, database, metrics);
  return {
    sandbox,
    stripe,
    database,
    databaseUrl,
    letterLog,
    /** Records what Stripe has of a registration's payments, as its events would. */
    async sync(id: string): Promise<void> {
      const { data } = await stripe.paymentIntents.list({ limit: 100, ...(await customerOf(id)) });
      const own = data.filter((intent) => registrationOf(intent) === id);
      for (const intent of own) await recordPayment({ stripe, database, letterLog }, intent.id);
    },
    /** The payment of a registration's deposit. */
    async depositOf(id: string): Promise<string> {
      const payment = await database.read((transaction) => findDeposit(transaction, id));
      return payment?.id ?? assert.fail(`${id} has no payment`);
    },
    /** Another process's payments on the same sandbox and register. */
    connect: openPayments,
    payments: openPayments(),
    now: now ?? (() => new Date(sandbox.clock.now())),
  };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;

/** Payments with which something happens before each call of an operation. */
export function withBefore(
  payments: Payments,
  operation: object,
  happens: (...given: readonly unknown[]) => Promise<void>,
): Payments {
  return {
    ...payments,
    async ask(asked, ...given) {
      if (Object.is(asked, operation)) await happens(...given);
      return payments.ask(asked, ...given);
    },
  };
}

export interface RedisOptions extends RedisPatience {
  redisRunning?: boolean | undefined;
}

/** A stage with a Redis: with the queue of letters, and what says who gets a letter or a place. */
export async function withRedis<Given extends Pick<Stage, 'payments' | 'database' | 'letterLog' | 'now'>>(
  t: TestScope,
  stage: Given,
  { redisRunning = true, redisHangs }: RedisOptions = {},
) {
  const { payments, database, letterLog, now } = stage;
  const redis = await testRedis(t, { running: redisRunning });
  const { queue: mailQueue, connection, log } = await openTestQueue(t, redis, { letterLog, now, redisHangs });
  if (redisRunning) await mailQueue.bullQueue.waitUntilReady();
  const admission = createAdmission({ database, deposits: payments.deposits, now });
  const sources = {
    queue: mailQueue.bullQueue,
    letterLog,
    database,
    admission,
  };
  const findDigestNow = (edition: Edition, day: string) => findDigest(edition, day, now(), sources);
  /** What acts work with; they call mails by their IDs, and no worker is asked. */
  const context: CommandContext = {
    config: readWorkerConfig(leastEnvironment),
    queue: mailQueue.bullQueue,
    redis: connection,
    payments,
    letterLog,
    admission,
    askForDueWork: async () => {},
    now,
  };
  const due = { database, ...admission, letterLog, now, findDigest: findDigestNow };
  return {
    ...stage,
    redis,
    connection,
    log,
    mailQueue,
    admission,
    findDigest: findDigestNow,
    outbox: createOutbox(due),
    context,
  };
}
