/** The conditions of a simulation. Rates are those of the whole site. */
export interface Scenario {
  /** Registrations begin at random moments, at this mean rate, for `seconds`. */
  arrivalsPerSecond: number;
  seconds: number;
  apps: number;
  /** `RATE_LIMIT_OVERALL`, spread evenly: beyond it some wait for 8 s, and all others are refused. */
  limitPerMinute: number;
  /** How many calls Stripe accepts from the account, and how many of them one registration needs. */
  callsPerSecond: number;
  callsPerRegistration: number;
  /** How long a registration takes when nobody waits. */
  serviceS: number;
  seed: number;
}

/** The result. Times are from the first press to the answer, of those who were served, in seconds. */
export interface Outcome {
  arrived: number;
  served: number;
  /** By the site's own limit: they are asked to press again later. */
  refused: number;
  /** How often a page was told to retry later, and did. */
  sentAway: number;
  p50: number;
  p95: number;
  p99: number;
  /** When the last one was served. */
  endS: number;
}

/** As in `server/registration/registration-limits.ts` and `server/payments/turns.ts`. */
const LONGEST_WAIT_S = 8;
const MOST_IN_SITE_LINE = 50;
const SOONEST_S = 2;
const LATEST_S = 120;

interface Press {
  atS: number;
  firstS: number;
}

/**
 * Simulates how a crowd passes the site's limit and Stripe's. Assumes that arrivals are independent of each
 * other, that a proxy shares them evenly, that each app finds its share of Stripe's limit (a bucket of one
 * second's calls), that nobody gives up, and that the machines are no bottleneck.
 */
export function simulate(scenario: Scenario): Outcome {
  const { apps, callsPerSecond, callsPerRegistration, serviceS } = scenario;
  const random = randomFrom(scenario.seed);
  const turnS = (callsPerRegistration / callsPerSecond) * apps;
  const burstS = turnS * Math.floor(callsPerSecond / apps / callsPerRegistration);
  const freeAt = Array.from({ length: apps }, () => -burstS);
  const slotAt = Array.from({ length: apps }, () => 0);
  const arrivals = arrivalsOf(scenario, random);
  const { admitted, refused } = throughSiteLimit(arrivals, scenario);
  const waits: number[] = [];
  let sentAway = 0;
  let endS = 0;
  const presses = [...admitted];
  for (let press = presses.shift(); press; press = presses.shift()) {
    const { atS, firstS } = press;
    const app = Math.floor(random() * apps);
    const free = Math.max(freeAt[app] ?? 0, atS - burstS);
    const startS = Math.max(atS, free);
    if (startS - atS > LONGEST_WAIT_S) {
      const slotS = Math.max(slotAt[app] ?? 0, atS) + turnS;
      slotAt[app] = slotS;
      sentAway += 1;
      insert(presses, { atS: atS + Math.min(Math.max(slotS - atS, SOONEST_S), LATEST_S), firstS });
      continue;
    }
    freeAt[app] = free + turnS;
    waits.push(startS + serviceS - firstS);
    endS = Math.max(endS, startS + serviceS);
  }
  const sorted = waits.toSorted((one, other) => one - other);
  const quantile = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  const times = { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), endS };
  return { arrived: arrivals.length, served: waits.length, refused, sentAway, ...times };
}

function arrivalsOf({ arrivalsPerSecond, seconds }: Scenario, random: () => number): number[] {
  const arrivals: number[] = [];
  for (let atS = 0; ; ) {
    atS += -Math.log(1 - random()) / arrivalsPerSecond;
    if (atS > seconds) return arrivals;
    arrivals.push(atS);
  }
}

/**
 * Admits visitors one after the other at even intervals; refuses those who would wait too long, or find a
 * full line.
 */
function throughSiteLimit(
  arrivals: readonly number[],
  { limitPerMinute, apps }: Scenario,
): { admitted: Press[]; refused: number } {
  const everyS = 60 / limitPerMinute;
  let nextS = 0;
  const line: number[] = [];
  const admitted: Press[] = [];
  for (const firstS of arrivals) {
    while ((line[0] ?? Number.POSITIVE_INFINITY) <= firstS) line.shift();
    const atS = Math.max(firstS, nextS);
    if (atS - firstS > LONGEST_WAIT_S || line.length >= MOST_IN_SITE_LINE * apps) continue;
    nextS = atS + everyS;
    line.push(atS);
    admitted.push({ atS, firstS });
  }
  return { admitted, refused: arrivals.length - admitted.length };
}

/** Inserts a press in order of time. */
function insert(presses: Press[], press: Press): void {
  const index = presses.findIndex(({ atS }) => atS > press.atS);
  presses.splice(index < 0 ? presses.length : index, 0, press);
}

/** Mulberry32: the same numbers between 0 and 1 for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
