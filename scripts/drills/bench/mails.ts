import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import type { SendMailOptions } from 'nodemailer';
import { sampleOffice } from '#scripts/product/environment.ts';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { type Mail, owedLetter } from '#server/letters/letter-kind.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { inScope } from '#server/testing/clean-up.ts';
import { hastyOutbox, openTestQueue, startTestWorker } from '#server/testing/test-queue.ts';
import { testRedis } from '#server/testing/test-redis.ts';
import type { Figures } from './budgets.ts';
import { median } from './load.ts';
import type { Stage } from './stage.ts';

const CONCURRENCY = 5;
/** As high as the configuration lets it be. */
const PER_SECOND = 999_999;
/** An even number: each side is as often the first of a round as the other. */
const ROUNDS = 6;
const MAILS = 330;
const WARM_UP_MAILS = 48;
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
] as const;

function jobsOf(round: number, count: number): Mail[] {
  const samples = KINDS.map((kind) => letter(kind));
  return Array.from({ length: count / samples.length }, (_, number) =>
    samples.map((mail, index) => ({
      ...mail,
      ...owedLetter(mail.kind, `reg_round${round}x${number}x${index}`, mail.address),
    })),
  ).flat();
}

/**
 * A worker sends the mails of a filled queue, and a bare nodemailer pool the same mails, worded before, by turns: both
 * with as many in flight over as many connections to the same mail server.
 */
export function measureMails({ env: { SMTP_URL = '' } }: Stage): Promise<Figures<'mails'>> {
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
    const sendQueued = async (jobs: readonly Mail[]): Promise<number> => {
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
