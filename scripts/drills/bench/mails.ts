import { EventEmitter, once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SendMailOptions } from 'nodemailer';
import { sampleOffice } from '#scripts/product/environment.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { letter, letterContext, wilma } from '#scripts/world/letters.ts';
import { redisAt } from '#server/config/redis-settings.ts';
import { openDatabase } from '#server/database/database.ts';
import type { MailJob, MailKind } from '#server/mail/job.ts';
import { createLetterLog } from '#server/mail/letter-log.ts';
import { composeMessage } from '#server/mail/letters/compose-message.ts';
import { createMailQueue } from '#server/mail/queue.ts';
import { mailJobId } from '#server/mail/queued-job.ts';
import { createSmtpTransport, type MailSender } from '#server/mail/send-mail.ts';
import { startMailWorker } from '#server/mail/worker.ts';
import { connectProducer, connectWorker } from '#server/redis/connect-redis.ts';
import { createLogger } from '#server/service/logger.ts';
import type { Figures } from './budgets.ts';
import { median } from './load.ts';
import type { Stage } from './stage.ts';

/** The product's default. */
const CONCURRENCY = 5;
/** As high as the configuration lets it be. */
const PER_SECOND = 999_999;
/** An even number: each side is as often the first of a round as the other. */
const ROUNDS = 6;
const MAILS = 330;
const WARM_UP_MAILS = 50;

/** The usual mix of kinds: of two who register, one pays. */
const KINDS = [
  ...['registration-received', 'office-notice', 'welcome'],
  ...['registration-received', 'office-notice', 'office-paid'],
] as const satisfies readonly MailKind[];

/** Mails of all kinds, each of a payment of its own. */
const jobsOf = (round: number, count: number): MailJob[] =>
  Array.from({ length: count }, (_, number) =>
    letter(KINDS[number % KINDS.length] ?? 'welcome', 'usual', {
      ...wilma,
      paymentIntentId: `pi_round${round}x${number}`,
    }),
  );

const sender: Omit<MailSender, 'transport'> = { ...letterContext, from: sampleOffice.MAIL_FROM };

/**
 * A worker sends the mails of a filled queue, and a bare nodemailer pool the same mails, worded before, by turns: both
 * with as many in flight over as many connections to the same mail server.
 */
export async function measureMails(
  { env: { SMTP_URL = '' } }: Stage,
  folder: string,
): Promise<Figures<'mails'>> {
  const port = await findFreePort();
  const redis = await startRedis({ port, folder: join(folder, 'mails') });
  const pool = createSmtpTransport(SMTP_URL, CONCURRENCY);
  const registerUrl = pathToFileURL(join(folder, 'mails.sqlite')).href;
  const queue = await openQueue(`redis://127.0.0.1:${port}`, SMTP_URL, registerUrl);
  const sendBare = async (messages: readonly SendMailOptions[]): Promise<void> => {
    const left = messages.values();
    const lane = async (): Promise<void> => {
      for (const message of left) await pool.sendMail(message);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, lane));
  };
  /** How fast the queue was, as a share of the pool. */
  const playRound = async (round: number, count: number): Promise<number> => {
    const jobs = jobsOf(round, count);
    const messages = jobs.map((mail) => ({ from: sender.from, ...composeMessage(mail, sender) }));
    const early = round % 2 === 0 ? await timeOf(() => sendBare(messages)) : undefined;
    await queue.fill(jobs);
    const queueMs = await timeOf(() => queue.send(count));
    return (early ?? (await timeOf(() => sendBare(messages)))) / queueMs;
  };
  try {
    await playRound(ROUNDS, WARM_UP_MAILS);
    const shares: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) shares.push(await playRound(round, MAILS));
    return { mails: median(shares) };
  } finally {
    await queue.close();
    pool.close();
    await redis.stop();
  }
}

async function timeOf(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

/** Queue, register and worker as the product has them, except that nobody has registered; its log, written for nobody, costs what it costs. */
async function openQueue(redisUrl: string, smtpUrl: string, registerUrl: string) {
  const logger = createLogger('worker', 'info', { write: () => {} });
  const events = new EventEmitter();
  let sent = 0;
  const database = openDatabase(registerUrl);
  const letterLog = createLetterLog(database);
  const letters = new Map<string, MailJob>();
  const now = () => new Date();
  const redis = connectWorker(redisAt(redisUrl), logger);
  const worker = startMailWorker({
    ...{ redis, logger, concurrency: CONCURRENCY, perSecond: PER_SECOND, isHeldBack: () => false },
    sender: { ...sender, transport: createSmtpTransport(smtpUrl, CONCURRENCY) },
    outbox: {
      findDue: async (id) => letters.get(id) ?? 'not due',
      now,
      markSent: letterLog.markSent,
    },
    outcomes: {
      sent() {
        sent += 1;
        events.emit('sent');
      },
      dropped: (kind) => events.emit('error', new Error(`A mail was not sent: ${kind}`)),
      failed: (kind) => events.emit('error', new Error(`A mail could not be sent: ${kind}`)),
    },
  });
  const queue = createMailQueue(connectProducer(redisAt(redisUrl), logger), logger, {
    ...{ letterLog, now },
    addTimeoutMs: 60_000,
  });
  await queue.bullQueue.waitUntilReady();
  return {
    /** Queues mails, which is the app's work, while the worker is held back. */
    async fill(jobs: readonly MailJob[]): Promise<void> {
      await queue.bullQueue.pause();
      for (const job of jobs) letters.set(mailJobId(job), job);
      await queue.add(...jobs);
    },
    /** Lets the worker go, and waits until it has sent so many. */
    async send(count: number): Promise<void> {
      const wanted = sent + count;
      await queue.bullQueue.resume();
      while (sent < wanted) await once(events, 'sent');
    },
    async close(): Promise<void> {
      await queue.close();
      await worker.close();
      redis.disconnect();
      await database.close();
    },
  };
}
