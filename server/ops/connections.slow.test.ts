import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import type { Server } from '#scripts/product/product.ts';
import { officePaths } from '#server/office/paths.ts';
import { WEBHOOK_PATH } from '#server/stripe/webhook-route.ts';
import { connectRaw, type RawClient, sendRaw } from '#server/testing/network.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';

/** What the client of a connection does with it; afterwards the connection stays open, unless it closes it. */
type Misuse = (client: RawClient) => unknown;

const HOST = 'Host: here\r\n';
const PAGES = 60;

const sends =
  (text: string): Misuse =>
  (client) =>
    client.send(text);

const halfABody = (path: string, ...headers: readonly string[]): Misuse =>
  sends(`POST ${path} HTTP/1.1\r\n${HOST}${headers.join('\r\n')}\r\nContent-Length: 900\r\n\r\nx`);

const JSON_TYPE = 'Content-Type: application/json';
const SAME_ORIGIN = 'Sec-Fetch-Site: same-origin';
const signature = `Stripe-Signature: t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}`;

const byteByByte = `POST ${WEBHOOK_PATH} HTTP/1.1\r\n${HOST}${JSON_TYPE}\r\n${signature}\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(250_000)}`;

/** Asks many times without reading an answer, until nothing more can be sent. */
const asksWithoutReading =
  (path: string): Misuse =>
  ({ socket }) => {
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\n${HOST}\r\n`.repeat(1_600));
  };

/** Resets the connection some milliseconds after these bytes. */
const leaves =
  (text: string): Misuse =>
  ({ socket }) => {
    socket.write(text);
    setTimeout(() => socket.resetAndDestroy(), randomInt(13));
    return once(socket, 'close');
  };

test('clients that misuse connections keep nobody else out', async (t) => {
  const { start } = await prepareAppProcesses(t);
  const app = await start();
  const worker = await start({ name: 'worker' });
  const tunnel = leaves('CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n');
  const [agreed] = edition.agreed;
  assert.ok(agreed);
  const cases: readonly (readonly [what: string, connections: number, Misuse])[] = [
    ['half a registration', 2_300, halfABody(CREATE_PAYMENT_PATH, JSON_TYPE)],
    ['half a webhook', 2_300, halfABody(WEBHOOK_PATH, JSON_TYPE, signature)],
    ['a webhook byte by byte', 8, sends(byteByByte)],
    ['nothing', 2_300, () => {}],
    ['half a head', 2_300, sends(`GET / HTTP/1.1\r\n${HOST}X-Slow: `)],
    ['heads above the limit', 2_300, sends(`GET / HTTP/1.1\r\n${HOST}X-Long: ${'a'.repeat(20_000)}`)],
    ['a tunnel, and leave', 60, tunnel],
    ['a request, and leave', 2_300, leaves(`GET / HTTP/1.1\r\n${HOST}\r\n`)],
    [
      'half a body, and leave',
      2_300,
      leaves(`POST ${CREATE_PAYMENT_PATH} HTTP/1.1\r\n${HOST}${JSON_TYPE}\r\nContent-Length: 9\r\n\r\n{`),
    ],
    ...['/', '/privacy', termsPathOf(edition.facts, agreed), '/nothing', OWN_PAGE_PATH].map(
      (path) => [`1,600 requests for ${path}, and read nothing`, 30, asksWithoutReading(path)] as const,
    ),
  ];
  for (const [what, connections, misuse] of cases)
    await t.test(`who send ${what}`, () => withstands(app, app.siteUrl, '/', connections, misuse));
  await t.test('who send a tunnel to the office or the worker, and leave', async () => {
    await withstands(app, app.opsUrl, '/healthz', 60, tunnel);
    await withstands(worker, worker.opsUrl, '/healthz', 60, tunnel);
  });
  await t.test('who send half a sign-in to the office', async () => {
    const form = 'Content-Type: application/x-www-form-urlencoded';
    const { signIn } = officePaths;
    await withstands(app, app.opsUrl, signIn, 2_300, halfABody(signIn, SAME_ORIGIN, form));
  });
});

async function withstands(server: Server, url: string, page: string, connections: number, misuse: Misuse) {
  const { pid } = server;
  const clients: RawClient[] = [];
  while (clients.length < connections) {
    const few = Array.from({ length: Math.min(100, connections - clients.length) }, async () => {
      const client = await connectRaw(url);
      await misuse(client);
      return client;
    });
    clients.push(...(await Promise.all(few)));
  }
  const get = `GET ${page} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
  const answers = await Promise.all(Array.from({ length: PAGES }, () => sendRaw(url, get)));
  for (const { socket } of clients) socket.destroy();
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(server.pid, pid);
}
