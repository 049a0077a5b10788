import { type Scenario, simulate } from './simulate.ts';

/** One busy hour of a day with 1,000 visitors: a fifth of them come in it, and five in a hundred begin a registration. */
const usual = 10 / 3_600;

const base: Omit<Scenario, 'arrivalsPerSecond' | 'limitPerMinute'> = {
  seconds: 3_600,
  apps: 1,
  callsPerSecond: 100,
  // What begins a registration, with its consent, webhook and letters: `npm run load` counts them.
  callsPerRegistration: 14,
  serviceS: 1,
  seed: 1,
};

console.log('Assumed:', JSON.stringify({ ...base, usualArrivalsPerSecond: usual }));
const rows = [1, 10, 100, 1_000, 5_000].flatMap((times) =>
  [30, 120, 400].map((limitPerMinute) => {
    const arrivalsPerSecond = usual * times;
    const outcome = simulate({ ...base, arrivalsPerSecond, limitPerMinute });
    const rounded = Object.entries(outcome).map(([name, value]) => [name, Number(value.toFixed(1))]);
    return { visitorsADay: 1_000 * times, limitPerMinute, ...Object.fromEntries(rounded) };
  }),
);
console.table(rows);
