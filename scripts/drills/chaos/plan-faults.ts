import type { SmtpTrouble } from './smtp-sink.ts';

/** What goes wrong. */
export type FaultKind =
  | 'redis-killed'
  | 'redis-forgets'
  | 'redis-frozen'
  | 'worker-killed'
  | 'app-killed'
  | 'app-killed-at-consent'
  | SmtpTrouble;

/** A fault, and when it is to happen, from the beginning of the faults. */
export interface PlannedFault {
  kind: FaultKind;
  startMs: number;
  lastsMs: number;
}

/** Faults of one thing, one after the other. */
export type Lane = readonly PlannedFault[];

/** Faults of one lane never overlap; those of different lanes do, by chance. */
const LANES: readonly (readonly FaultKind[])[] = [
  ['redis-killed', 'redis-forgets', 'redis-frozen'],
  ['worker-killed'],
  ['app-killed', 'app-killed-at-consent'],
  ['smtp-refused', 'smtp-hangs', 'smtp-4xx', 'smtp-5xx', 'smtp-drops', 'smtp-cuts'],
];

/** A hanging server, and a Redis that is away, sometimes have to outlast the worker's own timeouts. */
const LONGEST_MS: Partial<Record<FaultKind, number>> = { 'smtp-hangs': 13_000, 'redis-killed': 13_000 };
const ELSE_LONGEST_MS = 4_000;
const LARGEST_SHARE = 0.1;
const SHARES: Partial<Record<FaultKind, number>> = { 'smtp-hangs': 3 };

/** Draws a schedule in which every kind of fault happens once in each round. */
export function planFaults(random: Random, { rounds, spanMs }: { rounds: number; spanMs: number }): Lane[] {
  return LANES.map((kinds) => planLane(random, kinds, rounds, spanMs));
}

function planLane(random: Random, kinds: readonly FaultKind[], rounds: number, spanMs: number): Lane {
  const order = Array.from({ length: rounds }, () => shuffled(random, kinds)).flat();
  const shares = order.reduce((sum, kind) => sum + shareOf(kind), 0);
  let slotStartMs = 0;
  return order.map((kind) => {
    const slotMs = (spanMs * shareOf(kind)) / shares;
    const longestMs = Math.min(LONGEST_MS[kind] ?? ELSE_LONGEST_MS, spanMs * LARGEST_SHARE);
    const lastsMs = Math.min(slotMs * between(random, 0.5, 0.75), longestMs);
    const startMs = slotStartMs + (slotMs - lastsMs) * random();
    slotStartMs += slotMs;
    return { kind, startMs, lastsMs };
  });
}

function shareOf(kind: FaultKind): number {
  return SHARES[kind] ?? 1;
}

/** Draws numbers from 0 up to 1, the same ones for the same seed. */
export type Random = () => number;

/** Mulberry32: small, and good enough to draw a schedule. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A number between two. */
export function between(random: Random, least: number, most: number): number {
  return least + random() * (most - least);
}

/** The same items in random order. */
function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item);
}
