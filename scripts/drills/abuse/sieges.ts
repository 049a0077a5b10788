import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { countsInMemory } from '#scripts/drills/app-metrics.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { officePaths } from '#server/office/paths.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/raw-client.ts';
import { CREATE_PAYMENT_PATH, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { consent, contactOf, newAddress } from './attack.ts';
import { mostMemoryMb, type Site, send, usedCpuMs } from './site.ts';

/** An attack by many connections at once. */
export interface Siege {
  name: string;
  /**
   * Lays the siege, and returns in a few words what came of it.
   * @throws {Error} when the site did not withstand it
   */
  lay(site: Site): Promise<string>;
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');
const nowS = () => Math.floor(Date.now() / 1000);

/** The details of somebody who means it. */
export function somebody() {
  const name = `guest-${hex(6)}`;
  return { ...contactOf(name), firstName: 'Quillfeather', email: `${name}@visitors.example` };
}

/** Opens connections that send the same, some at a time. */
async function connectMany(url: string, count: number, bytes: string) {
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

/** A request of which more can come. */
function withBody(url: string, head: readonly string[], body: string): string {
  return `${[...head, `Host: ${new URL(url).host}`].join('\r\n')}\r\n\r\n${body}`;
}

const SENDERS = 450;
const BODY_BYTES = 1_000_000;
/** What the app may take in addition at the most: a part of the buffers that all bodies pass through. */
const MOST_MB = 60;

/** Bodies of a megabyte that no mail provider has signed do not fill the memory. */
function unsignedBodies(name: string, headers: readonly string[]): Siege {
  const request = [
    `POST ${MAIL_EVENTS_PATH} HTTP/1.1`,
    'Connection: close',
    'Content-Type: application/json',
  ];
  return {
    name,
    async lay(site) {
      const beforeMb = await mostMemoryMb(site);
      const head = [...request, `Content-Length: ${BODY_BYTES}`, ...headers];
      const bytes = withBody(site.siteUrl, head, ' '.repeat(BODY_BYTES - 1));
      const senders = await connectMany(site.siteUrl, SENDERS, bytes);
      // Only when all that they have sent is on its way can any of them be complete.
      for (const { socket } of senders)
        if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
      for (const client of senders) client.send(' ');
      await Promise.all(senders.map((client) => client.closed()));
      const grownMb = (await mostMemoryMb(site)) - beforeMb;
      assert.ok(grownMb <= MOST_MB, `${SENDERS} bodies took ${grownMb.toFixed(0)} MB`);
      return `${SENDERS} bodies took ${grownMb.toFixed(0)} MB`;
    },
  };
}

/** More than the connections that a listener has. */
const HOLDERS = 2_300;
const PAGES = 60;

/**
 * Connections that one address holds, and requests that it begins and does not finish, keep nobody from a page.
 * @param head of the requests; without one they say nothing
 */
function held(name: string, to: 'siteUrl' | 'opsUrl', page: string, head?: () => readonly string[]): Siege {
  return {
    name,
    async lay({ [to]: url }) {
      const bytes = head ? withBody(url, [...head(), 'Content-Length: 900'], 'x') : '';
      const holders = await connectMany(url, HOLDERS, bytes);
      const get = `GET ${page} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nConnection: close\r\n\r\n`;
      const answers = await Promise.all(Array.from({ length: PAGES }, () => sendRaw(url, get)));
      const standing = holders.filter(({ socket }) => !socket.closed).length;
      for (const { socket } of holders) socket.destroy();
      const served = answers.filter(({ status }) => status === 200).length;
      assert.equal(served, PAGES, `While ${standing} stood, ${served} of ${PAGES} pages were answered`);
      return `${served} of ${PAGES} pages while ${standing} of ${HOLDERS} stood`;
    },
  };
}

const SLOW_CLIENTS = 20;
const DRIP_MS = 500;

/** Clients that send a little now and then and never finish are cut off. */
function slowClients(name: string, first: string, drop: string): Siege {
  return {
    name,
    async lay({ siteUrl }) {
      const drip = async (): Promise<number | undefined> => {
        const client = await connectRaw(siteUrl);
        client.send(first);
        const timer = setInterval(() => client.send(drop), DRIP_MS);
        const { status } = await client.closed();
        clearInterval(timer);
        return status;
      };
      const statuses = await Promise.all(Array.from({ length: SLOW_CLIENTS }, drip));
      const refused = statuses.filter((status) => status === 408).length;
      assert.equal(refused, SLOW_CLIENTS, `Of ${SLOW_CLIENTS} ${refused} got 408: ${statuses}`);
      return `408 × ${refused}`;
    },
  };
}

const DRIPPING_BODY = `POST ${CREATE_PAYMENT_PATH} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n{`;

/** These last as long as a request may, and so beside all other attacks. */
export const slowSieges: readonly Siege[] = [
  slowClients('clients that say nothing', '', ''),
  slowClients('clients with a slow head', 'GET / HTTP/1.1\r\nHost: here\r\n', 'X-Drip: 1\r\n'),
  slowClients('clients with a slow body', DRIPPING_BODY, ' '),
];

interface Flood {
  path: string;
  size: number;
  body: () => object;
  /** How many are read at least and at most; the limit refuses the others. */
  read: readonly [least: number, most: number];
}

/** Of a flood from one address the limit lets a few through, and others are served meanwhile. */
function flood(name: string, { path, size, body, read: [least, most] }: Flood): Siege {
  const attempt = async (site: Site): Promise<string> => {
    const from = newAddress();
    const sent = Array.from({ length: size }, () => send(site, path, body(), from));
    for (let count = 0; count < 3; count += 1) {
      const { status, secret } = await send(site, CREATE_PAYMENT_PATH, somebody());
      assert.equal(status, 200, `During the flood a registration got ${status}`);
      const agreed = await send(site, RECORD_CONSENT_PATH, { ...consent, paymentIntentClientSecret: secret });
      assert.equal(agreed.status, 204, `During the flood a consent got ${agreed.status}`);
    }
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    const refused = statuses.filter((status) => status === 429).length;
    const passed = statuses.filter((status) => status === 400 || status === 409).length;
    assert.ok(passed >= least && passed <= most && passed + refused === size, `The flood got ${statuses}`);
    return `${passed} were read, ${refused} got 429`;
  };
  return {
    name,
    async lay(site) {
      for (let triesLeft = 2; ; triesLeft -= 1) {
        const before = await countsInMemory(site);
        try {
          return await attempt(site);
        } catch (error) {
          // Where Redis is too slow on a busy machine, the app counts in its memory, and the number means nothing.
          if (triesLeft === 0 || (await countsInMemory(site)) === before) throw error;
        }
      }
    },
  };
}

/** A body may have 16 kB. */
const MOST_BYTES = 15_500;
const marks = `${'\u0301'.repeat(MOST_BYTES / 4)}${'\u0323'.repeat(MOST_BYTES / 4)}`;
const INPUTS = {
  harmless: { paymentIntentClientSecret: 'a'.repeat(MOST_BYTES) },
  secrets: { paymentIntentClientSecret: `pi_${'a_secret_'.repeat(MOST_BYTES / 9)}!` },
  marks: { phoneNumber: `a${marks}` },
};
const READINGS = 45;
const INTERVAL_MS = 10;
/** The cheapest of these counts. */
const ROUNDS = 3;
/** How much more of the app's CPU time than harmless input a hostile one may take. */
const MOST_TIMES = 2;
const ALWAYS_FINE_MS = 150;

/** Input that is designed to be slow to read takes no more of the app's time than any other. */
const slowToRead: Siege = {
  name: 'input that is slow to read',
  async lay(site) {
    const cheapest = { harmless: Infinity, secrets: Infinity, marks: Infinity };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const input of ['harmless', 'secrets', 'marks'] as const) {
        const beforeMs = await usedCpuMs(site);
        const read = async (place: number): Promise<void> => {
          await delay(place * INTERVAL_MS);
          const { status } = await send(site, CREATE_PAYMENT_PATH, { ...somebody(), ...INPUTS[input] });
          assert.equal(status, 400, `What cannot be read got ${status}`);
        };
        await Promise.all(Array.from({ length: READINGS }, (_, place) => read(place)));
        cheapest[input] = Math.min(cheapest[input], (await usedCpuMs(site)) - beforeMs);
      }
    }
    const { harmless, ...hostile } = cheapest;
    const told = Object.entries(cheapest).map(([input, ms]) => `${input} ${ms.toFixed(0)} ms`);
    const mostMs = harmless * MOST_TIMES + ALWAYS_FINE_MS;
    assert.ok(Math.max(...Object.values(hostile)) <= mostMs, `CPU time: ${told.join(', ')}`);
    return `CPU time: ${told.join(', ')}`;
  },
};

const halfSentWebhooks = held('half-sent webhooks', 'siteUrl', '/', () => [
  ...[`POST ${WEBHOOK_PATH} HTTP/1.1`, 'Content-Type: application/json'],
  `Stripe-Signature: t=${nowS()},v1=${'0'.repeat(64)}`,
]);

/**
 * Laid before memory at rest is measured. The bodies are judged by the most memory that the app has ever taken, so
 * they come first of all; after 2,300 connections Node keeps the parsers of a thousand, 24 MB.
 */
export const firstSieges: readonly Siege[] = [
  unsignedBodies('mail webhooks without a signature', []),
  unsignedBodies('mail webhooks with a forged one', [
    ...['webhook-id: 1', `webhook-timestamp: ${nowS()}`],
    `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
  ]),
  halfSentWebhooks,
];

export const sieges: readonly Siege[] = [
  slowToRead,
  flood('a flood of registrations', {
    ...{ path: CREATE_PAYMENT_PATH, size: 45, read: [15, 25] },
    body: () => ({ ...somebody(), ...INPUTS.secrets }),
  }),
  flood('a flood of consents', {
    ...{ path: RECORD_CONSENT_PATH, size: 60, read: [50, 50] },
    body: () => ({ ...consent, paymentIntentClientSecret: `pi_${hex(12)}_secret_${hex(12)}` }),
  }),
  halfSentWebhooks,
  held('held connections', 'siteUrl', '/'),
  held('half-sent sign-ins', 'opsUrl', officePaths.signIn, () => [
    ...[`POST ${officePaths.signIn} HTTP/1.1`, 'Sec-Fetch-Site: same-origin'],
    'Content-Type: application/x-www-form-urlencoded',
  ]),
];
