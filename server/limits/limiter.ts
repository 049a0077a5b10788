/** At most `most` slots in a window of time. */
export interface Limit {
  name: string;
  most: number;
  windowS: number;
  /**
   * Whether slots come back one by one, evenly over the window. Otherwise the window begins with the first
   * slot taken, and all slots come back when it ends.
   */
  evenly?: boolean;
}

/** A slot under a limit; `of` is who or what takes it, such as an address. */
export interface Slot {
  limit: Limit;
  of: string;
}

/** The record of an admission. */
export interface Receipt {
  /** While this name is kept, the same request is admitted again without taking slots. */
  name: string;
  /** A value that can be read later by its name. Only Redis keeps it. */
  note: { name: string; value: string };
  keptForS: number;
}

/** The limit that refuses, and for how long. */
export interface Refusal {
  limit: string;
  waitMs: number;
}

/** Counts and decides, each call atomically: a refused call takes no slot, not even for a moment. */
export interface Limiter {
  /** Takes all of the slots and returns undefined; or takes none, and returns the limit that refuses. */
  take(slots: readonly Slot[], receipt?: Receipt): Promise<Refusal | undefined>;
  /**
   * Gives back up to `count` slots that are still taken; not under a limit whose slots come back evenly.
   */
  giveBack(slot: Slot, count: number): Promise<void>;
}

/** The name under which a slot is counted. */
export function nameOf({ limit, of }: Slot): string {
  return `${limit.name}:${of}`;
}

/** How long it takes until one more slot comes back evenly. */
function intervalMs({ most, windowS }: Limit): number {
  return (windowS * 1000) / most;
}

/**
 * How many slots are taken, and until when, in the time of `performance.now`. Slots that come back evenly
 * have no count.
 */
interface Tally {
  count: number;
  untilMs: number;
}

/** How often expired tallies are removed. */
const SWEEP_MS = 60_000;

/**
 * A limiter of this process alone.
 * @param mostNames how many slots are counted at most; beyond that, the least recently used are forgotten
 */
export function limiterInMemory(mostNames = Number.POSITIVE_INFINITY): Limiter {
  const tallies = new Map<string, Tally>();
  let sweptAtMs = performance.now();

  /** The map is kept in the order of the last use. */
  const keep = (name: string, tally: Tally): void => {
    tallies.delete(name);
    tallies.set(name, tally);
  };
  const find = (name: string): Tally | undefined => {
    const tally = tallies.get(name);
    if (!tally || tally.untilMs <= performance.now()) return undefined;
    keep(name, tally);
    return tally;
  };
  const takenUntilMs = (slot: Slot): number => find(nameOf(slot))?.untilMs ?? performance.now();

  const refusalBy = (slot: Slot): Refusal | undefined => {
    const { limit } = slot;
    if (limit.evenly) {
      const waitMs = takenUntilMs(slot) + intervalMs(limit) - performance.now() - limit.windowS * 1000;
      return waitMs > 0 ? { limit: limit.name, waitMs } : undefined;
    }
    const tally = find(nameOf(slot));
    if (!tally || tally.count < limit.most) return undefined;
    return { limit: limit.name, waitMs: tally.untilMs - performance.now() };
  };
  const takeOne = (slot: Slot): void => {
    const { limit } = slot;
    const tally = find(nameOf(slot));
    if (limit.evenly) keep(nameOf(slot), { count: 0, untilMs: takenUntilMs(slot) + intervalMs(limit) });
    else if (tally) tally.count += 1;
    else keep(nameOf(slot), { count: 1, untilMs: performance.now() + limit.windowS * 1000 });
  };
  const forget = (): void => {
    const nowMs = performance.now();
    if (nowMs > sweptAtMs + SWEEP_MS) {
      sweptAtMs = nowMs;
      for (const [name, { untilMs }] of tallies) if (untilMs <= nowMs) tallies.delete(name);
    }
    for (const name of tallies.keys()) {
      if (tallies.size <= mostNames) return;
      tallies.delete(name);
    }
  };
  return {
    async take(slots, receipt) {
      if (receipt && find(receipt.name)) return undefined;
      const refusal = slots.map(refusalBy).find((one) => one !== undefined);
      if (refusal) return refusal;
      slots.forEach(takeOne);
      if (receipt) keep(receipt.name, { count: 1, untilMs: performance.now() + receipt.keptForS * 1000 });
      forget();
      return undefined;
    },
    async giveBack(slot, count) {
      const tally = find(nameOf(slot));
      if (tally) tally.count = Math.max(0, tally.count - count);
    },
  };
}
