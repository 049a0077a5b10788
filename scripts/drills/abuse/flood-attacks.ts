import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { CreatePaymentRequest } from '#shared/registration.ts';
import type { KnownAttack, OrdinarySite } from './ordinary-site.ts';
import { newAddress, somebody, TIMEOUT_MS, visit } from './visit.ts';

/** A body may have 16 kB. */
const MOST_BYTES = 15_500;

const FLOOD_SIZE = 45;
const FLOOD_INTERVAL_MS = 10;

/** Each input is measured so often, in turn with the others, and the cheapest flood counts. */
const ROUNDS = 3;

/** How much more of the app's CPU time than a flood of harmless input a hostile one may take. */
const MOST_TIMES = 2;
const ALWAYS_FINE_MS = 150;

/** How many requests of one IP address are processed at least and at most; the limit refuses the rest. */
const PROCESSED = [15, 25] as const;

const secrets = 'a_secret_'.repeat(MOST_BYTES / 9);
const marks = `${'\u0301'.repeat(MOST_BYTES / 4)}${'\u0323'.repeat(MOST_BYTES / 4)}`;
const INPUTS = {
  harmless: somebody({ paymentIntentClientSecret: 'a'.repeat(MOST_BYTES) }),
  secrets: somebody({ paymentIntentClientSecret: `pi_${secrets}!` }),
  marks: somebody({ phoneNumber: `a${marks}` }),
};

/**
 * Input that is designed to be slow to read takes no more of the app's time than any other, and a flood of it blocks
 * nobody: everybody else is served, and the limit refuses most of it.
 */
export const slowReading: KnownAttack = {
  name: 'slow to read',
  async run(site) {
    const cheapest = { harmless: Infinity, secrets: Infinity, marks: Infinity };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const input of ['harmless', 'secrets', 'marks'] as const) {
        const { answers, cpuMs } = await flood(site, INPUTS[input], newAddress);
        for (const { status } of answers) assert.equal(status, 400, `What cannot be read got ${status}`);
        cheapest[input] = Math.min(cheapest[input], cpuMs);
      }
    }
    const from = newAddress();
    const { answers, cpuMs } = await flood(site, INPUTS.secrets, () => from);
    const refused = answers.filter(({ status }) => status === 429).length;
    const processed = answers.filter(({ status }) => status === 400).length;
    const [least, most] = PROCESSED;
    assert.equal(processed + refused, FLOOD_SIZE, `A flood got ${answers.map(({ status }) => status)}`);
    assert.ok(processed >= least && processed <= most, `A flood got 400 × ${processed}, 429 × ${refused}`);

    const { harmless, ...hostile } = { ...cheapest, 'one address': cpuMs };
    const times = Object.entries(hostile).map(([what, ms]) => `${what} ${ms.toFixed(0)} ms`);
    const told = `harmless input took ${harmless.toFixed(0)} ms of CPU, ${times.join(', ')}`;
    assert.ok(Math.max(...Object.values(hostile)) <= harmless * MOST_TIMES + ALWAYS_FINE_MS, told);
    return `${told}; a flood got 400 × ${processed}, 429 × ${refused}`;
  },
};

/** What a flood got, and how much CPU time it and as many page views of others took from the app meanwhile. */
async function flood(
  { siteUrl, usedCpuMs }: OrdinarySite,
  details: CreatePaymentRequest,
  from: () => string,
) {
  const beforeMs = await usedCpuMs();
  const answers = await Promise.all(
    Array.from({ length: FLOOD_SIZE }, async (_, place) => {
      await delay(place * FLOOD_INTERVAL_MS);
      const [answer] = await Promise.all([
        visit(siteUrl, details, { from: from() }),
        look(new URL(place % 2 ? '/' : '/healthz', siteUrl)),
      ]);
      return answer;
    }),
  );
  return { answers, cpuMs: (await usedCpuMs()) - beforeMs };
}

async function look(url: URL): Promise<void> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  await response.arrayBuffer();
  assert.equal(response.status, 200, `During a flood ${url.pathname} answered ${response.status}`);
}
