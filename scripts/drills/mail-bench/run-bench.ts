import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { benchJobs } from './bench-jobs.ts';
import { type Measured, measure } from './measure.ts';
import { openQueueSide } from './queue-side.ts';
import { renderMails } from './sender.ts';
import { startBenchSink } from './start-sink.ts';

/** The product's default. */
export const CONCURRENCY = 5;

/** An even number: each side is as often the first of a round as the other. */
export const ROUNDS = 6;

const WARM_UP_MAILS = 50;

/** One round of each way, of the same number of mails. */
export interface Round {
  bare: Measured;
  queue: Measured;
  /** What of the queue's side it takes to word the mails. */
  rendering: Measured;
}

/** Sends mails by bare nodemailer and through queue and worker by turns, over pools of the same settings. */
export async function runBench(mails: number, folder: string): Promise<Round[]> {
  const port = await findFreePort();
  const redis = await startRedis({ port, folder: join(folder, 'redis') });
  const sink = await startBenchSink();
  const pool = createSmtpTransport(sink.url, CONCURRENCY);
  const queue = await openQueueSide(`redis://127.0.0.1:${port}`, sink.url, CONCURRENCY);
  const sendBare = (messages: readonly SendMailOptions[]): Promise<void> =>
    inParallel(messages, (message) => pool.sendMail(message));

  const playRound = async (number: number, count: number): Promise<Round> => {
    const jobs = benchJobs(`round${number}`, count);
    let messages: SendMailOptions[] = [];
    const rendering = await measure(count, async () => {
      messages = await renderMails(jobs);
    });
    const bareFirst = number % 2 === 0;
    const early = bareFirst ? await measure(count, () => sendBare(messages)) : undefined;
    const measured = await measure(count, () => queue.send(jobs));
    return { rendering, queue: measured, bare: early ?? (await measure(count, () => sendBare(messages))) };
  };

  try {
    await playRound(ROUNDS, WARM_UP_MAILS);
    const rounds: Round[] = [];
    for (let number = 0; number < ROUNDS; number += 1) {
      rounds.push(await playRound(number, Math.ceil(mails / ROUNDS)));
    }
    return rounds;
  } finally {
    await queue.close();
    pool.close();
    await sink.close();
    await redis.stop();
  }
}

/** So many at once as the worker has in flight. */
async function inParallel<Item>(
  items: readonly Item[],
  send: (item: Item) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await send(item);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, lane));
}
