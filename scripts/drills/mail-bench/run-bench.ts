import { join } from 'node:path';
import type { SendMailOptions } from 'nodemailer';
import { median } from '#scripts/drills/drill.ts';
import { startSideProcess } from '#scripts/drills/side-process.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import { createSmtpTransport } from '#server/mail/send-mail.ts';
import { benchJobs, renderMails } from './mails.ts';
import { openQueueSide } from './queue-side.ts';

const MAIL_SINK = new URL('../mail-sink.ts', import.meta.url);

/** The product's default. */
const CONCURRENCY = 5;

/** An even number: each side is as often the first of a round as the other. */
const ROUNDS = 6;

const WARM_UP_MAILS = 50;

/** What it took to send some mails. */
interface Measured {
  perSecond: number;
  /** Of this process alone, all its threads. */
  cpuMsPerMail: number;
}

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
  const sink = await startSideProcess(MAIL_SINK);
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
    await queue.fill(jobs);
    const measured = await measure(count, () => queue.send(count));
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

/** As many at once as the worker has in flight. */
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

/** Measures some work that sends `mails` mails. */
async function measure(mails: number, work: () => Promise<unknown>): Promise<Measured> {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(startCpu);
  const seconds = (performance.now() - startMs) / 1000;
  return { perSecond: mails / seconds, cpuMsPerMail: (user + system) / 1000 / mails };
}

const LABEL_WIDTH = 34;

/** The table of a run, and what it measured. */
export function reportOf(rounds: readonly Round[], mails: number): string {
  const row = (label: string, ...cells: readonly string[]): string =>
    [label.padEnd(LABEL_WIDTH), ...cells.map((cell) => cell.padStart(14))].join('');
  const measuredRow = (label: string, side: keyof Round): string =>
    row(
      label,
      median(rounds.map((round) => round[side].perSecond)).toFixed(0),
      median(rounds.map((round) => round[side].cpuMsPerMail)).toFixed(2),
    );
  const ratio = median(rounds.map(({ queue, bare }) => queue.perSecond / bare.perSecond));
  return [
    row('', 'mails/s', 'CPU ms/mail'),
    measuredRow('bare nodemailer', 'bare'),
    measuredRow('queue and worker', 'queue'),
    measuredRow('  wording the mails alone', 'rendering'),
    row('queue / bare', ratio.toFixed(2)),
    '',
    `Medians of ${rounds.length} rounds of ${Math.ceil(mails / rounds.length)} mails each way, by turns, over ${CONCURRENCY} pooled connections.`,
    'Bare sends mails that were worded before; the worker takes them from a filled queue, words them, sends them and',
    'records it (not at Stripe). CPU is that of this process; mail server and Redis are processes of their own.',
  ].join('\n');
}
