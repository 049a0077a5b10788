import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

const VISITORS = 10_000;
const LONGEST_MS = 60_000;
const PAGE_MS = 2_000;
const LOOK_EVERY_MS = 250;

/** Sends the contact step over a connection of its own, and reads the head of the answer. */
async function submit(url: URL, number: number): Promise<string> {
  const body = JSON.stringify({ ...contactStep, email: `visitor-${number}@visitors.example` });
  const head = [
    `POST ${CREATE_PAYMENT_PATH} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Forwarded-For: 10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`,
    `${IDEMPOTENCY_KEY_HEADER}: ${String(number).padStart(32, '0')}`,
    'Connection: close',
  ];
  const socket = connect(Number(url.port), url.hostname);
  let answer = '';
  let problem = 'closed without an answer';
  socket.setEncoding('latin1').setTimeout(LONGEST_MS, () => socket.destroy(new Error('no answer in time')));
  socket.on('data', (chunk: string) => {
    answer += chunk;
  });
  socket.on('error', ({ message }) => {
    problem = message;
  });
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  await once(socket, 'close').catch(() => {});
  const [status] = /^HTTP\/1\.1 \d+/.exec(answer) ?? [];
  if (status === undefined) return problem;
  return /\r\nRetry-After: \d+\r\n/.test(answer) ? `${status}, later` : status;
}

/**
 * Opens the page again and again, over a connection that is kept as a proxy keeps its own; in a thread of its own, for what
 * the test does takes time too.
 */
const VISITOR = `
const { parentPort, workerData } = require('node:worker_threads');
let isOver = false;
parentPort.once('message', () => { isOver = true; });
const look = async () => {
  const startMs = performance.now();
  const answer = await fetch(workerData.url);
  await answer.arrayBuffer();
  return answer.status === 200 ? performance.now() - startMs : Number.POSITIVE_INFINITY;
};
(async () => {
  await look();
  parentPort.postMessage('ready');
  let slowestMs = 0;
  while (!isOver) {
    slowestMs = Math.max(slowestMs, await look());
    await new Promise((resolve) => setTimeout(resolve, workerData.everyMs));
  }
  parentPort.postMessage(slowestMs);
})();`;

/** How long the page took at most during some work, in ms. */
async function slowestPage(url: string, work: () => Promise<unknown>): Promise<number> {
  const visitor = new Worker(VISITOR, { eval: true, workerData: { url, everyMs: LOOK_EVERY_MS } });
  await once(visitor, 'message');
  await work();
  visitor.postMessage('stop');
  const [slowestMs] = await once(visitor, 'message');
  await visitor.terminate();
  return Number(slowestMs);
}

describe('many registrations at once', () => {
  for (const [what, env] of [
    ['under the limits of a launch', { RATE_LIMIT_PER_ADDRESS: '5', RATE_LIMIT_OVERALL: '30' }],
    ['with room under the limits', {}],
  ] as const)
    test(`are each answered, and the page within 2 s, ${what}`, async (t) => {
      const { start } = await prepareAppProcesses(t);
      const { siteUrl } = await start({ env: { ...env, TRUST_PROXY: '1' } });
      const counts = new Map<string, number>();
      const pageMs = await slowestPage(siteUrl, async () => {
        const visitors = Array.from({ length: VISITORS }, (_, number) => submit(new URL(siteUrl), number));
        for (const answer of await Promise.all(visitors)) counts.set(answer, (counts.get(answer) ?? 0) + 1);
      });
      t.diagnostic(`${[...counts].join(' times, ')} times; page within ${Math.round(pageMs)} ms`);
      for (const answer of counts.keys()) assert.match(answer, /^HTTP\/1\.1 (?:200|429, later|503, later)$/);
      assert.ok(pageMs <= PAGE_MS, `${pageMs} ms`);
    });
});
