import assert from 'node:assert/strict';

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
  /** In UTF-8. */
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
  const harmlessMs = await fastest(read, harmless, ALWAYS_FINE_MS / MOST_TIMES_LONGER);
  const mostMs = Math.max(ALWAYS_FINE_MS, MOST_TIMES_LONGER * harmlessMs);
  const hostileMs = await fastest(read, hostile, mostMs);
  assert.ok(
    hostileMs <= mostMs,
    `${what}: ${hostileMs.toFixed(1)} ms, but at most ${mostMs.toFixed(1)} ms are allowed`,
  );
}

/** The time of the fastest of a few rounds, or of the first that is fast enough. */
async function fastest(read: (text: string) => unknown, text: string, fastEnoughMs: number): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && leastMs > fastEnoughMs; round += 1) {
    const startMs = performance.now();
    await read(text);
    leastMs = Math.min(leastMs, performance.now() - startMs);
  }
  return leastMs;
}
