import assert from 'node:assert/strict';
import { cleanUp, type TestScope } from './clean-up.ts';

/** The space for one text in the body of a registration, or in the head of a request. */
const MOST_BYTES = 16_000;

/** Linear code takes a few milliseconds; quadratic code takes fifty or more. */
const ALWAYS_FINE_MS = 20;
const MOST_TIMES_LONGER = 5;

/** The fastest of this many rounds counts: the others were disturbed. */
const ROUNDS = 10;

interface Repeated {
  start?: string;
  end?: string;
  bytes?: number;
}

/** A text of a given size: the unit repeated, between a start and an end. */
export function repeated(unit: string, { start = '', end = '', bytes = MOST_BYTES }: Repeated = {}): string {
  const room = bytes - Buffer.byteLength(start + end);
  return `${start}${unit.repeat(Math.max(0, room / Buffer.byteLength(unit)))}${end}`;
}

/** Asserts that a hostile text is read about as fast as a harmless one of the same size. */
export async function assertReadFast(
  read: (text: string) => unknown,
  hostile: string,
  what: string,
): Promise<void> {
  const harmless = repeated('a', { bytes: Buffer.byteLength(hostile) });
  let harmlessMs = Number.POSITIVE_INFINITY;
  let hostileMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && hostileMs > ALWAYS_FINE_MS; round += 1) {
    harmlessMs = Math.min(harmlessMs, await cpuTimeOf(() => read(harmless)));
    hostileMs = Math.min(hostileMs, await cpuTimeOf(() => read(hostile)));
  }
  const mostMs = Math.max(ALWAYS_FINE_MS, MOST_TIMES_LONGER * harmlessMs);
  assert.ok(
    hostileMs <= mostMs,
    `${what}: ${hostileMs.toFixed(1)} ms, but at most ${mostMs.toFixed(1)} ms are allowed`,
  );
}

/**
 * The processor time, in milliseconds, that this process spends on some work and on what it does meanwhile. Unlike the
 * time that passes, it hardly depends on what else the machine does.
 */
async function cpuTimeOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Watches until the test ends which part of the time the event loop stood still, each time for longer than
 * 150 ms: on a busy machine it sometimes does without being to blame.
 */
export function watchEventLoop(t: TestScope): () => number {
  const from = performance.now();
  let last = from;
  let still = 0;
  const look = (): number => {
    const now = performance.now();
    if (now - last > 150) still += now - last;
    last = now;
    return still / (now - from);
  };
  const timer = setInterval(look, 5);
  cleanUp(t, async () => clearInterval(timer));
  return look;
}
