import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { SANDBOX_KEYS, type SandboxOptions, startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { letter } from '#scripts/world/letters.ts';
import type { MailJob } from '#server/mail/job.ts';
import { createPayments } from '#server/payments/payments.ts';
import { createOutbox } from '#server/register/outbox.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import type { TestScope } from './clean-up.ts';
import { createTestLog } from './test-log.ts';
import { type SmtpRefusal, startMailServer } from './test-mail-server.ts';
import { openTestQueue } from './test-queue.ts';
import { testRedis } from './test-redis.ts';
import { startTestWorker } from './test-worker.ts';

/** How a process ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

const TIMEOUT_MS = 120_000;

let built: Promise<void> | undefined;

/** Runs support's built program in its own process. */
export async function runSupport(env: NodeJS.ProcessEnv, ...words: string[]): Promise<Ended> {
  built ??= buildWhenStale('production', 'dist');
  await built;
  return runNode(['dist/support.js', ...words], env);
}

/** Runs a program with Node; a program that does not end is killed, and its exit code is then -1. */
export function runNode(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const options = { env: { PATH: process.env.PATH, ...env }, timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    execFile(process.execPath, args, options, (error, out, err) => {
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err });
    });
  });
}

/** A queue on a real Redis, a mail server, a worker that the test can start, and support's command line. */
export async function startSupport(t: TestScope, sandboxOptions: SandboxOptions = {}) {
  const redis = await testRedis(t);
  const mailServer = await startMailServer(t);
  const log = createTestLog();
  const { queue } = openTestQueue(t, redis, { log });
  await queue.bullQueue.waitUntilReady();
  const { sandbox, stripe } = await startTestSandbox(t, sandboxOptions);
  const payments = createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url });
  const env = {
    REDIS_URL: redis.url,
    STRIPE_SECRET_KEY: SANDBOX_KEYS.secretKey,
    STRIPE_API_BASE: sandbox.url,
    CLOCK: 'sandbox',
    PUBLIC_URL: leastEnvironment.PUBLIC_URL,
    LINK_SECRET: leastEnvironment.LINK_SECRET,
  };
  return {
    sandbox,
    redis,
    stripe,
    mailServer,
    log,
    queue,
    /** Runs one command. */
    run: (...words: string[]) => runSupport(env, ...words),
    payments,
    /** Starts the worker. It sends every queued mail, or with `looks` only those that are due according to Stripe. */
    startWorker(looks?: 'looks at Stripe') {
      const outbox =
        looks && createOutbox({ payments, now: () => new Date(), findDigest: async () => undefined });
      const options = { redis, mailServer, log, concurrency: 1, ...(outbox && { outbox }) };
      return startTestWorker(t, options).worker;
    },
    /** Registers somebody as the site does. */
    async register() {
      const { firstName, lastName, email, phoneNumber, timeZone } = letter('registration-received');
      const contact = { firstName, lastName, email, phoneNumber };
      const deposit = { contact, facts, timeZone, somebodyElse: false };
      return payments.createDeposit(deposit, { value: randomUUID() });
    },
  };
}

export type Support = Awaited<ReturnType<typeof startSupport>>;

/** Lets a worker try to send mails that the mail server refuses; then closes the worker and ends the refusal. */
export async function failToSend(
  { queue, mailServer, log, startWorker }: Support,
  refusal: SmtpRefusal,
  ...mails: MailJob[]
): Promise<void> {
  mailServer.refuse(refusal);
  const worker = startWorker();
  const before = log.text().split('Mail failed').length - 1;
  await queue.add(...mails);
  await log.until('Mail failed', before + mails.length);
  await worker.close();
  mailServer.refuse(undefined);
}

/** BullMQ's name for the state of a mail's job. */
export function stateOf({ queue }: Support, id: string): Promise<string> {
  return queue.bullQueue.getJobState(id);
}
