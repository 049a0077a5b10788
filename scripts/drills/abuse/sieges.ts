import assert from 'node:assert/strict';
import { once } from 'node:events';
import { MAIL_EVENTS_PATH } from '#server/mail-events/standard-webhooks.ts';
import { officePaths } from '#server/office/paths.ts';
import { WEBHOOK_PATH } from '#server/payments/webhook-route.ts';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/raw-client.ts';
import { JSON_TYPE } from './attack.ts';
import { mostMemoryMb, type Site } from './site.ts';

/** An attack by many connections at once. */
export interface Siege {
  name: string;
  /**
   * Lays the siege, and returns in a few words what came of it.
   * @throws {Error} when the site did not withstand it
   */
  lay(site: Site): Promise<string>;
}

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
function unsignedBodies(name: string, headers: readonly string[]): Siege {
  const request = [`POST ${MAIL_EVENTS_PATH} HTTP/1.1`, 'Connection: close', JSON_TYPE];
  return {
    name,
    async lay(site) {
      const beforeMb = await mostMemoryMb(site);
      const head = [...request, `Content-Length: ${BODY_BYTES}`, ...headers];
      const senders = await connectMany(site.siteUrl, SENDERS, head, ' '.repeat(BODY_BYTES - 1));
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

/** Requests that one address begins and does not finish keep nobody from a page. */
function held(name: string, to: 'siteUrl' | 'opsUrl', page: string, head: () => readonly string[]): Siege {
  return {
    name,
    async lay({ [to]: url }) {
      const holders = await connectMany(url, HOLDERS, [...head(), 'Content-Length: 900'], 'x');
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

const halfSentWebhooks = held('half-sent webhooks', 'siteUrl', '/', () => [
  ...[`POST ${WEBHOOK_PATH} HTTP/1.1`, JSON_TYPE],
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
  halfSentWebhooks,
  held('half-sent sign-ins', 'opsUrl', officePaths.signIn, () => [
    ...[`POST ${officePaths.signIn} HTTP/1.1`, 'Sec-Fetch-Site: same-origin'],
    'Content-Type: application/x-www-form-urlencoded',
  ]),
];
