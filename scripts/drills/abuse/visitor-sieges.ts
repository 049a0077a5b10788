import assert from 'node:assert/strict';
import { readMetrics } from '#scripts/drills/app-metrics.ts';
import { sendRaw } from '#server/testing/raw-client.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { consent, contactOf, JSON_TYPE, post } from './attack.ts';
import type { Siege } from './sieges.ts';
import { noteTold, type Site } from './site.ts';

/** Begins to register, or edits, as one visitor; returns the status, the client secret, and how long it took. */
async function submit(site: Site, email: string, more: { secret?: string; address?: string } = {}) {
  const { secret: paymentIntentClientSecret, address } = more;
  const body = JSON.stringify({ ...contactOf(''), email, paymentIntentClientSecret });
  const from = address === undefined ? [] : [`X-Forwarded-For: ${address}`];
  const begunMs = performance.now();
  const { status, text } = await sendRaw(site.siteUrl, post(body, [JSON_TYPE, ...from]));
  const tookMs = performance.now() - begunMs;
  noteTold(site, text);
  site.typed.add(email);
  const secret = /pi_\w+_secret_\w+/.exec(text)?.[0];
  assert.ok(secret, `A registration was answered with ${status}`);
  return { secret, tookMs };
}

const HONEST = 10;

/** The median time of some registrations, one after the other, each of a visitor of her own. */
async function honestMs(site: Site, when: string): Promise<number> {
  const took: number[] = [];
  for (let visitor = 0; visitor < HONEST; visitor += 1)
    took.push((await submit(site, `${when}-${visitor}@visitors.example`)).tookMs);
  return took.toSorted((one, other) => one - other)[HONEST / 2] ?? Number.NaN;
}

const INVENTED = 1_200;
/** As many as Stripe's calls are made for at the same time. */
const ATTACKERS = 16;
/** What a registration may take longer on a machine that also attacks. */
const SPARE_MS = 1_000;

/** Secrets that name a registered deposit, from one IPv6 /48 and from many networks. */
const inventedSecrets: Siege = {
  name: 'invented secrets',
  async lay(site) {
    const { secret } = await submit(site, 'known@visitors.example');
    const quietMs = await honestMs(site, 'quiet');
    const reads = async () =>
      (await readMetrics(site.opsUrl))('stripe_call_duration_seconds_count{operation="GET');
    const before = await reads();
    const answers = new Map<number | undefined, number>();
    const numbers = Array.from({ length: INVENTED }, (_, number) => number).values();
    const attack = async (): Promise<void> => {
      for (const number of numbers) {
        const paymentIntentClientSecret = `${secret}${number}`;
        const net = (number % 256).toString(16);
        const address = number % 2 ? `2001:db8:1:${net}00::1` : `203.0.${number >> 8}.${number & 255}`;
        const from = `X-Forwarded-For: ${address}`;
        const consents = JSON.stringify({ ...consent, paymentIntentClientSecret });
        const edits = JSON.stringify({ ...contactOf('x'), paymentIntentClientSecret });
        const opens = `paymentIntentClientSecret=${paymentIntentClientSecret}`;
        const form = ['Content-Type: application/x-www-form-urlencoded', 'Sec-Fetch-Site: same-origin'];
        const invented = [
          post(consents, [JSON_TYPE, from], RECORD_CONSENT_PATH),
          post(edits, [JSON_TYPE, from]),
          post(opens, [...form, from], ownPagePaths.open),
        ];
        const { status } = await sendRaw(site.siteUrl, invented[number % invented.length] ?? '');
        answers.set(status, (answers.get(status) ?? 0) + 1);
      }
    };
    const attacking = Promise.all(Array.from({ length: ATTACKERS }, attack));
    const busyMs = await honestMs(site, 'busy');
    await attacking;
    const caused = (await reads()) - before;
    assert.equal(caused, 0, `${caused} reads at Stripe`);
    const statuses = [...answers.keys()].toSorted();
    assert.deepEqual(statuses, [409, 429], `Answered ${statuses}`);
    assert.ok(busyMs <= 2 * quietMs + SPARE_MS, `A registration took ${busyMs} ms, before ${quietMs} ms`);
    const told = [...answers].map(([status, times]) => `${status} × ${times}`).join(', ');
    return `${told}; no read at Stripe; a registration took ${busyMs.toFixed(0)} ms, before ${quietMs.toFixed(0)} ms`;
  },
};

/** Before she pays, letters go to at most so many addresses of a registration, and so many to one address in a day. */
const MOST_LETTERS = { registration: 2, address: 3 };
const STRANGERS = /^\d+-of-(\d+)@strangers\.example$/;
const HERS = 'hers@visitors.example';

/** Registrations that are edited to stranger after stranger, and that name somebody's address; then she registers. */
const strangers: Siege = {
  name: 'letters to strangers',
  async lay(site) {
    for (let registration = 0; registration < 5; registration += 1) {
      const address = `192.0.2.${registration}`;
      const { secret } = await submit(site, `0-of-${registration}@strangers.example`, { address });
      for (let edit = 1; edit <= 5; edit += 1)
        await submit(site, `${edit}-of-${registration}@strangers.example`, { secret, address });
    }
    for (let flood = 0; flood < 6; flood += 1) await submit(site, HERS);
    await submit(site, HERS);
    return '25 edits, and her registration after six with her address';
  },
};

export const visitorSieges: readonly Siege[] = [inventedSecrets, strangers];

/** What was written too often to people who have not paid, once all letters are sent. */
export function judgeLetters({ mailServer }: Pick<Site, 'mailServer'>): string[] {
  const recipients = mailServer.mails.flatMap((mail) => mail.recipients);
  const written = new Map<string, number>();
  for (const address of recipients) {
    const of = STRANGERS.exec(address)?.[1] ?? (address === HERS ? HERS : undefined);
    if (of !== undefined) written.set(of, (written.get(of) ?? 0) + 1);
  }
  return [...written].flatMap(([of, letters]) => {
    const most = of === HERS ? MOST_LETTERS.address : MOST_LETTERS.registration;
    return letters > most ? [`${letters} letters went to strangers (${of})`] : [];
  });
}
