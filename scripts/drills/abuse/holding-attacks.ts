import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startCaddy } from '#scripts/product/caddy.ts';
import { findFreePort } from '#scripts/product/ports.ts';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { officePaths } from '#server/office/paths.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/raw-client.ts';
import type { KnownAttack } from './ordinary-site.ts';

/** More than the connections that a listener has. */
const HOLDERS = 2_300;
/** How many connect at the same time. */
const BATCH = 100;
const PAGES = 60;
/** Only so that nothing hangs. */
const TIMEOUT_MS = 60_000;

/** A header as Stripe sends it, which nobody but Stripe can sign. */
const forged = () => `Stripe-Signature: t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;

interface Way {
  name: string;
  url: string;
  /** Of a request with a body that the server waits for. */
  head: readonly string[];
  /** What others open meanwhile. */
  page: string;
}

/** Requests that one address begins and does not finish keep nobody from the site, nor from the office's pages. */
export const heldConnections: KnownAttack = {
  name: 'half-sent requests',
  async run(site) {
    const port = await findFreePort();
    const proxy = await startCaddy({
      ...{ port, folder: join(site.folder, 'caddy'), siteName: '127.0.0.1' },
      sites: [new URL(site.siteUrl).host],
      ops: [new URL(site.opsUrl).host],
      onLine: () => {},
    });
    try {
      const webhook = [`POST ${WEBHOOK_PATH} HTTP/1.1`, 'Content-Type: application/json', forged()];
      const signIn = [`POST ${officePaths.signIn} HTTP/1.1`, 'Sec-Fetch-Site: same-origin'];
      const form = 'Content-Type: application/x-www-form-urlencoded';
      const ways: Way[] = [
        { name: 'webhooks', url: site.siteUrl, head: webhook, page: '/' },
        { name: 'sign-ins', url: site.opsUrl, head: [...signIn, form], page: officePaths.signIn },
        {
          name: 'webhooks by proxy',
          url: `http://127.0.0.1:${port}`,
          head: webhook,
          page: '/',
        },
      ];
      const told: string[] = [];
      for (const way of ways) told.push(await hold(way));
      return told.join('; ');
    } finally {
      await proxy.stop();
    }
  },
};

async function hold({ name, url, head, page }: Way): Promise<string> {
  const { host } = new URL(url);
  const holders = await connectMany(url, HOLDERS, [...head, `Host: ${host}`, 'Content-Length: 900'], 'x');
  const startMs = performance.now();
  const view = async (): Promise<number | undefined> =>
    (await sendRaw(url, `GET ${page} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).status;
  const late = delay(TIMEOUT_MS, undefined, { ref: false });
  const statuses = await Promise.all(Array.from({ length: PAGES }, () => Promise.race([view(), late])));
  const ms = performance.now() - startMs;
  const standing = holders.filter(({ socket }) => !socket.closed).length;
  for (const { socket } of holders) socket.destroy();
  const served = statuses.filter((status) => status === 200).length;
  assert.equal(served, PAGES, `While ${HOLDERS} ${name} stood, ${served} of ${PAGES} pages were answered`);
  return `${name}: ${served} of ${PAGES} pages in ${(ms / 1000).toFixed(1)} s while ${standing} stood`;
}

const SENDERS = 450;
const BODY_BYTES = 1_000_000;
/** What the app may take in addition at the most: a part of the buffers that all bodies pass through. */
const MOST_MB = 100;

/** Bodies of webhooks that nobody has signed do not fill the memory. */
export const unsignedBodies: KnownAttack = {
  name: 'unsigned webhooks',
  async run(site) {
    const time = Math.floor(Date.now() / 1000);
    const signature = `v1,${Buffer.alloc(32).toString('base64')}`;
    const forgery = ['webhook-id: 1', `webhook-timestamp: ${time}`, `webhook-signature: ${signature}`];
    const request = [
      `POST ${MAIL_EVENTS_PATH} HTTP/1.1`,
      `Host: ${new URL(site.siteUrl).host}`,
      'Connection: close',
      'Content-Type: application/json',
      `Content-Length: ${BODY_BYTES}`,
    ];
    const told: string[] = [];
    for (const [name, headers] of [
      ['without a signature', []],
      ['with a forged one', forgery],
    ] as const) {
      const before = (await site.mostMemoryMb()) ?? 0;
      const body = ' '.repeat(BODY_BYTES - 1);
      const senders = await connectMany(site.siteUrl, SENDERS, [...request, ...headers], body);
      // Only now can any of them be complete.
      await Promise.all(senders.map(sent));
      for (const client of senders) client.send(' ');
      await Promise.all(senders.map((client) => client.closed()));
      const grownMb = ((await site.mostMemoryMb()) ?? 0) - before;
      assert.ok(grownMb <= MOST_MB, `${SENDERS} bodies ${name} took ${grownMb.toFixed(0)} MB`);
      told.push(`${SENDERS} ${name}: ${grownMb.toFixed(0)} MB`);
    }
    return told.join('; ');
  },
};

/** Resolves when all that a client has sent is on its way, or its connection is closed. */
async function sent({ socket }: RawClient): Promise<void> {
  if (socket.writableNeedDrain) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
}

/** Opens connections that send the same, some at a time. */
async function connectMany(
  url: string,
  count: number,
  head: readonly string[],
  body: string,
): Promise<RawClient[]> {
  const clients: RawClient[] = [];
  const bytes = `${head.join('\r\n')}\r\n\r\n${body}`;
  while (clients.length < count) {
    const batch = Array.from({ length: Math.min(BATCH, count - clients.length) }, async () => {
      const client = await connectRaw(url);
      client.send(bytes);
      return client;
    });
    clients.push(...(await Promise.all(batch)));
  }
  return clients;
}
