import { type Outcome, type Scenario, simulate } from './simulate.ts';

const base: Omit<Scenario, 'arrivalsPerSecond' | 'seconds' | 'limitPerMinute'> = {
  apps: 2,
  callsPerSecond: 100,
  // Begun, agreed, paid and its four letters: server/ops/capacity.md counts them.
  callsPerRegistration: 20,
  serviceS: 1.2,
  seed: 1,
};

/** In the busiest hour of a day comes a fifth of its visitors; five in a hundred begin a registration. */
const SHARE_OF_HOUR = 0.2;
const BEGIN = 0.05;
const HOUR_S = 3_600;

/** How many begin within ten minutes of a letter that says that registration is open. */
const OPENINGS = [100, 1_000, 5_000];
const OPENING_S = 600;

const LIMITS = [30, 120, 240];

console.log('Assumed:', JSON.stringify({ ...base, SHARE_OF_HOUR, BEGIN }));
const play = (arrivalsPerSecond: number, seconds: number) =>
  LIMITS.map((limitPerMinute) => ({
    limitPerMinute,
    ...rounded(simulate({ ...base, arrivalsPerSecond, seconds, limitPerMinute })),
  }));
console.log('The busiest hour of a day');
console.table(
  [1_000, 10_000, 100_000].flatMap((visitorsADay) =>
    play((visitorsADay * SHARE_OF_HOUR * BEGIN) / HOUR_S, HOUR_S).map((row) => ({ visitorsADay, ...row })),
  ),
);
console.log('Registration opens: ten minutes');
console.table(
  OPENINGS.flatMap((begin) => play(begin / OPENING_S, OPENING_S).map((row) => ({ begin, ...row }))),
);

function rounded({ arrived, served, refused, sentAway, p50, p95, p99 }: Outcome) {
  const short = (seconds: number): number => Number(seconds.toFixed(1));
  return { arrived, served, refused, sentAway, p50: short(p50), p95: short(p95), p99: short(p99) };
}
