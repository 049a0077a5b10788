/** At most `most` places in a window of time. */
export interface Limit {
  name: string;
  most: number;
  windowS: number;
  /**
   * Whether places come back one by one, evenly over the window. Otherwise the window begins with the first
   * place taken, and all places come back when it ends.
   */
  evenly?: boolean;
}

/** A place under a limit; `of` is who or what takes it, such as an address. */
export interface Place {
  limit: Limit;
  of: string;
}

/** The record of an admission. */
export interface Receipt {
  /** While this name is kept, the same request is admitted again without taking places. */
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

/** Counts and decides, each call atomically: a refused call takes no place, not even for a moment. */
export interface Limiter {
  /** Takes all of the places and returns undefined; or takes none, and returns the limit that refuses. */
  take(places: readonly Place[], receipt?: Receipt): Promise<Refusal | undefined>;
  /**
   * Gives back up to `count` places that are still taken; not under a limit whose places come back evenly.
   */
  giveBack(place: Place, count: number): Promise<void>;
}

/** The name under which a place is counted. */
export function nameOf({ limit, of }: Place): string {
  return `${limit.name}:${of}`;
}

/** How long it takes until one more place comes back evenly. */
function intervalMs({ most, windowS }: Limit): number {
  return (windowS * 1000) / most;
}

/**
 * How many places are taken, and until when, in the time of `performance.now`. Places that come back evenly
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
 * @param mostNames how many places are counted at most; beyond that, the least recently used are forgotten
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
  const takenUntilMs = (place: Place): number => find(nameOf(place))?.untilMs ?? performance.now();

  const refusalBy = (place: Place): Refusal | undefined => {
    const { limit } = place;
    if (limit.evenly) {
      const waitMs = takenUntilMs(place) + intervalMs(limit) - performance.now() - limit.windowS * 1000;
      return waitMs > 0 ? { limit: limit.name, waitMs } : undefined;
    }
    const tally = find(nameOf(place));
    if (!tally || tally.count < limit.most) return undefined;
    return { limit: limit.name, waitMs: tally.untilMs - performance.now() };
  };
  const takeOne = (place: Place): void => {
    const { limit } = place;
    const tally = find(nameOf(place));
    if (limit.evenly) keep(nameOf(place), { count: 0, untilMs: takenUntilMs(place) + intervalMs(limit) });
    else if (tally) tally.count += 1;
    else keep(nameOf(place), { count: 1, untilMs: performance.now() + limit.windowS * 1000 });
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
    async take(places, receipt) {
      if (receipt && find(receipt.name)) return undefined;
      const refusal = places.map(refusalBy).find((one) => one !== undefined);
      if (refusal) return refusal;
      places.forEach(takeOne);
      if (receipt) keep(receipt.name, { count: 1, untilMs: performance.now() + receipt.keptForS * 1000 });
      forget();
      return undefined;
    },
    async giveBack(place, count) {
      const tally = find(nameOf(place));
      if (tally) tally.count = Math.max(0, tally.count - count);
    },
  };
}
