import { execFile } from 'node:child_process';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { leastEnvironment } from '#scripts/product/environment.ts';
import type { SmtpRefusal } from '#scripts/product/mail-server.ts';
import { SANDBOX_KEYS, type SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import type { MailJob } from '#server/mail/job.ts';
import { runCommand } from '#server/support/run-command.ts';
import type { TestScope } from './clean-up.ts';
import { startMailing } from './test-mailing.ts';
import { startTestWorker } from './test-worker.ts';

/** How a process ended, and what it printed. */
export interface Ended {
  code: number;
  out: string;
  err: string;
}

const TIMEOUT_MS = 120_000;

let built: Promise<void> | undefined;

/** Runs support's built program in its own process, which costs as much CPU as ten commands in this one. */
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

/** `startMailing`, and support's command line, at the present moment unless the test chooses another. */
export async function startSupport(t: TestScope, sandboxOptions: SandboxOptions = {}) {
  const mailing = await startMailing(t, { startsAt: new Date(), ...sandboxOptions });
  const { redis, databaseUrl, sandbox, mailServer, log, begin } = mailing;
  const env = {
    REDIS_URL: redis.url,
    DATABASE_URL: databaseUrl,
    STRIPE_SECRET_KEY: SANDBOX_KEYS.secretKey,
    STRIPE_API_BASE: sandbox.url,
    CLOCK: 'sandbox',
    PUBLIC_URL: leastEnvironment.PUBLIC_URL,
    LINK_SECRET: leastEnvironment.LINK_SECRET,
  };
  return {
    ...mailing,
    run: (...words: string[]): Promise<Ended> => runCommand(words, env),
    /** Starts a worker that sends every queued mail, whether it is due or not. */
    startHastyWorker: () => startTestWorker(t, { redis, mailServer, log, concurrency: 1 }).worker,
    begin: () => begin({ timeZone: 'Europe/Berlin', somebodyElse: false }),
  };
}

export type Support = Awaited<ReturnType<typeof startSupport>>;

/** Lets a worker try to send mails that the mail server refuses; then closes the worker and ends the refusal. */
export async function failToSend(
  { queue, mailServer, log, startHastyWorker }: Support,
  refusal: SmtpRefusal,
  ...mails: MailJob[]
): Promise<void> {
  mailServer.refuse(refusal);
  const worker = startHastyWorker();
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
