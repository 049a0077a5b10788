import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { SendMailOptions } from 'nodemailer';
import { sampleOffice } from '#scripts/product/environment.ts';
import type { Product } from '#scripts/product/product.ts';
import { letter, letterContext, wilma } from '#scripts/world/letters.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import type { MailJob, MailKind } from '#server/mail/job.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { inScope } from '#server/testing/clean-up.ts';
import { cpuTimeOf } from '#server/testing/reading-time.ts';
import { putOnRecord } from '#server/testing/recorded-registrations.ts';
import { startOffice } from '#server/testing/test-office.ts';
import { hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import { manyRegistrations } from '#server/testing/test-registrations.ts';
import { type Figures, median } from './budgets.ts';

/** Nearly all registrants still owe their balance by then, the state that takes longest to calculate. */
const NOW = new Date('2025-12-15T12:00:00-08:00');
const LISTED = 10_000;
/** The fastest of this many rounds counts: the others were disturbed. */
const LIST_ROUNDS = 10;
const LOOK_EVERY_MS = 50;

/** What the office's pages take in the app's process with ten thousand registrations that were looked at once. */
export function measureOffice(): Promise<Figures<'office-list' | 'office-search' | 'office-csv'>> {
  return inScope(async (scope) => {
    const office = await startOffice(scope, { now: () => NOW });
    await putOnRecord(office.database, manyRegistrations(LISTED, NOW));
    const url = await office.serve();
    // While they were written, the process answered nobody, not even Redis.
    while (!(await office.queue.isAnswering())) await delay(LOOK_EVERY_MS);
    const get = async (path: string): Promise<void> => {
      const answer = await fetch(url + path);
      await answer.text();
      if (!answer.ok) throw new Error(`${path} was answered with ${answer.status}`);
    };
    const fastest = async (path: string): Promise<number> => {
      await get(path);
      let leastMs = Number.POSITIVE_INFINITY;
      for (let round = 0; round < LIST_ROUNDS; round += 1)
        leastMs = Math.min(leastMs, await cpuTimeOf(() => get(path)));
      return leastMs;
    };
    return {
      'office-list': await fastest('/office?page=150&show=due'),
      'office-search': await fastest('/office?search=muller+anna'),
      'office-csv': await fastest('/office/registrations.csv'),
    };
  });
}

const CONCURRENCY = 5;
/** As high as the configuration lets it be. */
const PER_SECOND = 999_999;
/** An even number: each side is as often the first of a round as the other. */
const ROUNDS = 6;
const MAILS = 330;
const WARM_UP_MAILS = 50;
/** Only so that nothing hangs when a mail is not sent. */
const TIMEOUT_MS = 60_000;

/** The usual mix of kinds: of two who register, one pays. */
const KINDS = [
  'registration-received',
  'office-notice',
  'welcome',
  'registration-received',
  'office-notice',
  'office-paid',
] as const satisfies readonly MailKind[];

const jobsOf = (round: number, count: number): MailJob[] =>
  Array.from({ length: count }, (_, number) =>
    letter(KINDS[number % KINDS.length] ?? 'welcome', 'usual', {
      ...wilma,
      paymentIntentId: `pi_round${round}x${number}`,
    }),
  );

/**
 * A worker sends the mails of a filled queue, and a bare nodemailer pool the same mails, worded before, by turns: both
 * with as many in flight over as many connections to the same mail server.
 */
export function measureMails({ env: { SMTP_URL = '' } }: Pick<Product, 'env'>): Promise<Figures<'mails'>> {
  return inScope(async (scope) => {
    const redis = await testRedis(scope);
    const { queue, letterLog, log } = await openTestQueue(scope, redis);
    const recorded = new EventEmitter();
    let sent = 0;
    startTestWorker(scope, {
      redis,
      log,
      mailServer: { url: SMTP_URL },
      concurrency: CONCURRENCY,
      perSecond: PER_SECOND,
      outbox: {
        ...hastyOutbox,
        async markSent(...mail) {
          await letterLog.markSent(...mail);
          sent += 1;
          recorded.emit('mail');
        },
      },
    });
    /** Queues mails, which is the app's work, and then lets the worker go; returns how long it takes, in milliseconds. */
    const sendQueued = async (jobs: readonly MailJob[]): Promise<number> => {
      const wanted = sent + jobs.length;
      await queue.bullQueue.pause();
      await queue.add(...jobs);
      return timeOf(async () => {
        await queue.bullQueue.resume();
        const inTime = { signal: AbortSignal.timeout(TIMEOUT_MS) };
        while (sent < wanted) await once(recorded, 'mail', inTime);
      });
    };
    const pool = createSmtpTransport(SMTP_URL, CONCURRENCY);
    scope.after(() => pool.close());
    const send = async (message: SendMailOptions) => void (await pool.sendMail(message));
    const sendBare = (messages: readonly SendMailOptions[]) =>
      Readable.from(messages).forEach(send, { concurrency: CONCURRENCY });
    /** How fast the queue was, as a share of the pool. */
    const playRound = async (round: number, count: number): Promise<number> => {
      const jobs = jobsOf(round, count);
      const from = sampleOffice.MAIL_FROM;
      const messages = jobs.map((mail) => ({ from, ...composeMessage(mail, letterContext) }));
      const early = round % 2 === 0 ? await timeOf(() => sendBare(messages)) : undefined;
      const queueMs = await sendQueued(jobs);
      return (early ?? (await timeOf(() => sendBare(messages)))) / queueMs;
    };
    await playRound(ROUNDS, WARM_UP_MAILS);
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) shares.push(await playRound(round, MAILS));
    return { mails: median(shares) };
  });
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
