import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { Logger } from '#server/config/logger.ts';
import { withTimeout } from './work.ts';

/**
 * The site's business date: it decides whether registration is open, what is due, and what is over. With the
 * payment sandbox it can be moved. Signatures, limits, timeouts and delays of the queue use the machine's
 * time.
 */
export interface Clock {
  now(): Date;
  /** Calls the listener whenever somebody has moved the clock. */
  onMoved(listener: () => void): void;
  close(): void;
}

const systemClock: Clock = { now: () => new Date(), onMoved() {}, close() {} };

const FIRST_ANSWER_MS = 10_000;
const RECONNECT_MS = 1_000;

/** A line that the sandbox sends: how far its date is ahead of the machine's. */
const lineSchema = v.pipe(v.string(), v.parseJson(), v.object({ offsetMs: v.pipe(v.number(), v.integer()) }));

/**
 * The clock of a process: the machine's or, given its address, the sandbox's, whose changes it then follows.
 * @param firstAnswerMs how long the sandbox may take to send its date at first
 * @throws {Error} when it does not
 */
export async function openClock(
  url: string | undefined,
  logger: Logger,
  firstAnswerMs = FIRST_ANSWER_MS,
): Promise<Clock> {
  if (url === undefined) return systemClock;
  const closing = new AbortController();
  const listeners: (() => void)[] = [];
  const offsets = followOffsets(url, closing.signal, logger);
  const first = await withTimeout(offsets.next(), firstAnswerMs).catch((cause: unknown) => {
    closing.abort();
    throw new Error(`The payment sandbox does not tell its date at ${url}`, { cause });
  });
  let offsetMs = first.value ?? 0;
  const now = () => new Date(Date.now() + offsetMs);
  const follow = async (): Promise<void> => {
    for await (const told of offsets) {
      if (told === offsetMs) continue;
      offsetMs = told;
      logger.info({ now: now() }, 'The clock was moved');
      for (const listener of listeners) listener();
    }
  };
  void follow();
  return { now, onMoved: (listener) => void listeners.push(listener), close: () => closing.abort() };
}

/**
 * The offsets that the sandbox sends, until the clock is closed; a connection that ends is opened again, and
 * sends the offset once more.
 */
async function* followOffsets(
  url: string,
  signal: AbortSignal,
  logger: Logger,
): AsyncGenerator<number, undefined> {
  while (!signal.aborted) {
    try {
      const response = await fetch(url, { signal });
      if (!response.ok || !response.body) throw new Error(`GET ${url} was answered ${response.status}`);
      for await (const line of linesOf(response.body)) yield v.parse(lineSchema, line).offsetMs;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'The clock of the payment sandbox cannot be followed');
    }
    await delay(RECONNECT_MS, undefined, { signal }).catch(() => {});
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    // The sandbox sends empty lines while its clock is not moved.
    yield* lines.filter(Boolean);
  }
}
