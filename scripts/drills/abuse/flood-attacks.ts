import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import type { CreatePaymentRequest } from '#shared/registration.ts';
import type { KnownAttack } from './ordinary-site.ts';
import { type Answered, newAddress, somebody, visit } from './visit.ts';

/** A body may have 16 kB. */
const MOST_BYTES = 15_500;

const ROUNDS = 8;
const MOST_TIMES_LONGER = 3;
const ALWAYS_FINE_MS = 15;

const FLOOD_SIZE = 45;
const FLOOD_INTERVAL_MS = 33;

/** How many requests of one IP address are processed at least and at most; the limit refuses the rest. */
const PROCESSED = [15, 25] as const;

/** How long, at most, nine of ten page views may take meanwhile. */
const OTHERS_WAIT_MS = 250;

const harmless = somebody({ paymentIntentClientSecret: 'a'.repeat(MOST_BYTES) });
const secrets = 'a_secret_'.repeat(MOST_BYTES / 9);
const marks = `${'\u0301'.repeat(MOST_BYTES / 4)}${'\u0323'.repeat(MOST_BYTES / 4)}`;
const HOSTILE = {
  secrets: somebody({ paymentIntentClientSecret: `pi_${secrets}!` }),
  marks: somebody({ phoneNumber: `a${marks}` }),
};

/**
 * Input that is designed to be slow to read is read as fast as any other, and a flood of it blocks nobody.
 */
export const slowReading: KnownAttack = {
  name: 'slow to read',
  async run({ siteUrl }) {
    const harmlessMs = await fastestRefusal(siteUrl, harmless);
    const mostMs = harmlessMs * MOST_TIMES_LONGER + ALWAYS_FINE_MS;
    for (const [what, details] of Object.entries(HOSTILE)) {
      const ms = await fastestRefusal(siteUrl, details);
      assert.ok(ms <= mostMs, `${what} took ${ms.toFixed(0)} ms, harmless input ${harmlessMs.toFixed(0)} ms`);
    }
    const [answers, othersMs] = await flood(siteUrl);
    const refused = answers.filter(({ status }) => status === 429).length;
    const processed = answers.filter(({ status }) => status === 400).length;
    const [least, most] = PROCESSED;
    assert.equal(processed + refused, FLOOD_SIZE, `A flood got ${answers.map(({ status }) => status)}`);
    assert.ok(processed >= least && processed <= most, `A flood got 400 × ${processed}, 429 × ${refused}`);
    const waitMs = othersMs.toSorted((one, other) => one - other)[Math.floor(othersMs.length * 0.9)] ?? 0;
    assert.ok(waitMs <= OTHERS_WAIT_MS, `During a flood others waited ${waitMs.toFixed(0)} ms`);
    return `400 as fast as harmless input; a flood got 400 × ${processed}, 429 × ${refused}, others waited ${waitMs.toFixed(0)} ms`;
  },
};

/** Each request comes from an IP address of its own, so that all are processed. */
async function fastestRefusal(siteUrl: string, details: CreatePaymentRequest): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { status, ms } = await visit(siteUrl, details);
    assert.equal(status, 400, `What cannot be read got ${status}`);
    times.push(ms);
  }
  return Math.min(...times);
}

/** Thirty requests a second from one address, and how long others waited meanwhile, in milliseconds. */
async function flood(siteUrl: string): Promise<[Answered[], number[]]> {
  const from = newAddress();
  let over = false;
  const flooding = Array.from({ length: FLOOD_SIZE }, async (_, place) => {
    await delay(place * FLOOD_INTERVAL_MS);
    return visit(siteUrl, HOSTILE.secrets, { from });
  });
  const answers = Promise.all(flooding).finally(() => {
    over = true;
  });
  const waitAsOthers = async (): Promise<number[]> => {
    const waits: number[] = [];
    while (!over) for (const path of ['/', '/healthz']) waits.push(await timeToRead(new URL(path, siteUrl)));
    return waits;
  };
  return Promise.all([answers, waitAsOthers()]);
}

async function timeToRead(url: URL): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(url);
  await response.arrayBuffer();
  assert.equal(response.status, 200, `${url.pathname} answered ${response.status}`);
  return performance.now() - startMs;
}
