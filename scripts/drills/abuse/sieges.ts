import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { memoryMb, readMetrics } from '#scripts/drills/watch.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/mail-events.ts';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/network.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { consent, contactOf, JSON_TYPE, noteTold, post, type Site } from './attack.ts';

/**
 * An attack by many connections at once; returns in a few words what came of it.
 * @throws {Error} when the site did not withstand it
 */
type Siege = (site: Site) => Promise<string>;

const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const SAME_ORIGIN = 'Sec-Fetch-Site: same-origin';
const nowS = () => Math.floor(Date.now() / 1000);

/** Opens connections that send the same, some at a time. */
async function connectMany(url: string, count: number, head: readonly string[], body: string) {
  const bytes = `${[...head, `Host: ${new URL(url).host}`].join('\r\n')}\r\n\r\n${body}`;
  const clients: RawClient[] = [];
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(100, count - clients.length) }, async () => {
      const client = await connectRaw(url);
      client.send(bytes);
      return client;
    });
    clients.push(...(await Promise.all(batch)));
  }
  return clients;
}

const SENDERS = 450;
const BODY_BYTES = 1_000_000;
/** What the app may take in addition at the most: a part of the buffers that all bodies pass through. */
const MOST_MB = 60;

/** Bodies of a megabyte that no mail provider has signed do not fill the memory. */
const unsignedBodies =
  (headers: readonly string[]): Siege =>
  async (site) => {
    const beforeMb = memoryMb(site.app.pid, 'VmHWM');
    const request = [`POST ${MAIL_EVENTS_PATH} HTTP/1.1`, 'Connection: close', JSON_TYPE];
    const head = [...request, `Content-Length: ${BODY_BYTES}`, ...headers];
    const senders = await connectMany(site.siteUrl, SENDERS, head, ' '.repeat(BODY_BYTES - 1));
    // Only when all that they have sent is on its way can any of them be complete.
    for (const { socket } of senders)
      if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
    for (const client of senders) client.send(' ');
    await Promise.all(senders.map((client) => client.closed()));
    const grownMb = memoryMb(site.app.pid, 'VmHWM') - beforeMb;
    const told = `${SENDERS} bodies took ${grownMb.toFixed(0)} MB`;
    // It is not known on a system without `/proc`.
    assert.ok(!(grownMb > MOST_MB), told);
    return told;
  };

/** Begins to register, or edits, as one visitor; returns the client secret, and how long it took. */
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
const inventedSecrets: Siege = async (site) => {
  const { secret } = await submit(site, 'known@visitors.example');
  const quietMs = await honestMs(site, 'quiet');
  const reads = async () =>
    (await readMetrics(site.opsUrl))('stripe_call_duration_seconds_count{operation="GET');
  const before = await reads();
  const answers = new Map<number | undefined, number>();
  const attack = async (number: number): Promise<void> => {
    const paymentIntentClientSecret = `${secret}${number}`;
    const net = (number % 256).toString(16);
    const from = `X-Forwarded-For: ${number % 2 ? `2001:db8:1:${net}00::1` : `203.0.${number >> 8}.${number & 255}`}`;
    const json = (fields: object) => JSON.stringify({ ...fields, paymentIntentClientSecret });
    const opens = `paymentIntentClientSecret=${paymentIntentClientSecret}`;
    const invented = [
      post(json(consent), [JSON_TYPE, from], RECORD_CONSENT_PATH),
      post(json(contactOf('x')), [JSON_TYPE, from]),
      post(opens, [FORM_TYPE, SAME_ORIGIN, from], ownPagePaths.open),
    ];
    const { status } = await sendRaw(site.siteUrl, invented[number % invented.length] ?? '');
    answers.set(status, (answers.get(status) ?? 0) + 1);
  };
  const numbers = Array.from({ length: INVENTED }, (_, number) => number);
  const attacking = Readable.from(numbers).forEach(attack, { concurrency: ATTACKERS });
  const busyMs = await honestMs(site, 'busy');
  await attacking;
  const caused = (await reads()) - before;
  assert.equal(caused, 0, `${caused} reads at Stripe`);
  const statuses = [...answers.keys()].toSorted();
  assert.deepEqual(statuses, [409, 429], `Answered ${statuses}`);
  assert.ok(busyMs <= 2 * quietMs + SPARE_MS, `A registration took ${busyMs} ms, before ${quietMs} ms`);
  const told = [...answers].map(([status, times]) => `${status} × ${times}`).join(', ');
  return `${told}; no read at Stripe; a registration took ${busyMs.toFixed(0)} ms, before ${quietMs.toFixed(0)} ms`;
};

/** Before somebody pays, so many letters go to one address in a day. */
const MOST_LETTERS = 3;
const STRANGERS = /@strangers\.example$/;
const HERS = 'hers@visitors.example';

/** Registrations that are edited to stranger after stranger, and that name somebody's address; then she registers. */
const strangers: Siege = async (site) => {
  for (let registration = 0; registration < 5; registration += 1) {
    const address = `192.0.2.${registration}`;
    const { secret } = await submit(site, `0-of-${registration}@strangers.example`, { address });
    for (let edit = 1; edit <= 5; edit += 1)
      await submit(site, `${edit}-of-${registration}@strangers.example`, { secret, address });
  }
  for (let flood = 0; flood < 7; flood += 1) await submit(site, HERS);
  return '25 edits, and her registration after six with her address';
};

/** What was written too often to people who have not paid, once all letters are sent. */
export function judgeLetters(recipients: readonly string[]): string[] {
  const written = new Map<string, number>();
  for (const address of recipients)
    if (address === HERS || STRANGERS.test(address)) written.set(address, (written.get(address) ?? 0) + 1);
  return [...written].flatMap(([address, letters]) =>
    letters > MOST_LETTERS ? [`${letters} letters went to ${address}`] : [],
  );
}

/**
 * All sieges, by their names. Those of bodies are judged by the most memory that the app has ever taken, so they come
 * first.
 */
export const SIEGES: Readonly<Record<string, Siege>> = {
  'mail webhooks without a signature': unsignedBodies([]),
  'mail webhooks with a forged one': unsignedBodies([
    'webhook-id: 1',
    `webhook-timestamp: ${nowS()}`,
    `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
  ]),
  'invented secrets': inventedSecrets,
  'letters to strangers': strangers,
};
