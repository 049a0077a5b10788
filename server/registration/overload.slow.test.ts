import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

const VISITORS = 3_000;
const LONGEST_MS = 60_000;
const PAGE_MS = 2_000;
const LOOK_EVERY_MS = 100;

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

/** How long the page took at most while the work went on, in ms. */
async function slowestPage(url: string, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  const looks: Promise<number>[] = [];
  const look = async (): Promise<number> => {
    const startMs = performance.now();
    const answer = await fetch(url);
    await answer.arrayBuffer();
    return answer.status === 200 ? performance.now() - startMs : Number.POSITIVE_INFINITY;
  };
  while (!isOver) {
    looks.push(look());
    await pause(LOOK_EVERY_MS);
  }
  return Math.max(...(await Promise.all(looks)));
}

describe('many registrations at once', () => {
  for (const [what, env] of [
    ['under the limits of a launch', { RATE_LIMIT_PER_ADDRESS: '5', RATE_LIMIT_OVERALL: '30' }],
    ['with room under the limits', {}],
  ] as const)
    test(`are each answered, and the page within 2 s, ${what}`, async (t) => {
      const { start } = await prepareAppProcesses(t);
      const { siteUrl } = await start({ env: { ...env, TRUST_PROXY: '1' } });
      await fetch(siteUrl);
      const submits = Promise.all(
        Array.from({ length: VISITORS }, (_, number) => submit(new URL(siteUrl), number)),
      );
      const pageMs = await slowestPage(siteUrl, submits);
      const counts = new Map<string, number>();
      for (const answer of await submits) counts.set(answer, (counts.get(answer) ?? 0) + 1);
      t.diagnostic(`${[...counts].join(' times, ')} times; page within ${Math.round(pageMs)} ms`);
      for (const answer of counts.keys()) assert.match(answer, /^HTTP\/1\.1 (?:200|429, later|503, later)$/);
      assert.ok(pageMs <= PAGE_MS, `${pageMs} ms`);
    });
});
