import assert from 'node:assert/strict';

/** As much as the body of a registration, or the head of a request, may hold beside the rest. */
const MOST_BYTES = 16_000;

/** What is linear takes a few milliseconds; what is quadratic takes fifty and more. */
const ALWAYS_FINE_MS = 20;
const MOST_TIMES_LONGER = 5;

/** Of so many rounds the fastest counts: the others were disturbed. */
const ROUNDS = 10;

interface Repeated {
  start?: string;
  end?: string;
  /** In UTF-8. */
  bytes?: number;
}

/** A text of a size: the unit over and over, between a start and an end. */
export function repeated(unit: string, { start = '', end = '', bytes = MOST_BYTES }: Repeated = {}): string {
  const room = bytes - Buffer.byteLength(start + end);
  return `${start}${unit.repeat(Math.max(0, room / Buffer.byteLength(unit)))}${end}`;
}

/** Asserts that a hostile text is read about as fast as a harmless one of its size. */
export async function assertReadFast(
  read: (text: string) => unknown,
  hostile: string,
  what: string,
): Promise<void> {
  const harmless = repeated('a', { bytes: Buffer.byteLength(hostile) });
  const harmlessMs = await fastest(read, harmless, ALWAYS_FINE_MS / MOST_TIMES_LONGER);
  const mostMs = Math.max(ALWAYS_FINE_MS, MOST_TIMES_LONGER * harmlessMs);
  const hostileMs = await fastest(read, hostile, mostMs);
  assert.ok(hostileMs <= mostMs, `${what}: ${hostileMs.toFixed(1)} ms, not ${mostMs.toFixed(1)} at most`);
}

/** The fastest of a few rounds, or the first that is fast enough. */
async function fastest(read: (text: string) => unknown, text: string, fastEnoughMs: number): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && leastMs > fastEnoughMs; round += 1) {
    const startMs = performance.now();
    await read(text);
    leastMs = Math.min(leastMs, performance.now() - startMs);
  }
  return leastMs;
}
