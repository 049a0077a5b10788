import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sendRaw } from '#server/testing/network.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { CREATE_PAYMENT_PATH, IDEMPOTENCY_KEY_HEADER } from '#shared/registration.ts';

/** Fewer than the connections that wait to be accepted (`BACKLOG`), so the system resets none. */
const VISITORS = 2_000;

/** Sends the contact step over a connection of its own; returns the status of the answer, and whether it says when to come again. */
async function submit(url: URL, number: number): Promise<string> {
  const body = JSON.stringify({ ...contactStep, email: `visitor-${number}@visitors.example` });
  const head = [
    `POST ${CREATE_PAYMENT_PATH} HTTP/1.1`,
    `Host: ${url.host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Forwarded-For: 10.0.${number >> 8}.${number & 255}`,
    `${IDEMPOTENCY_KEY_HEADER}: ${String(number).padStart(32, '0')}`,
    'Connection: close',
  ];
  const { status, text } = await sendRaw(url.href, `${head.join('\r\n')}\r\n\r\n${body}`);
  return /\r\nRetry-After: \d+\r\n/.test(text) ? `${status}, later` : String(status);
}

describe('many registrations at once', () => {
  for (const [what, env] of [
    ['under the limits of a launch', { RATE_LIMIT_PER_ADDRESS: '5', RATE_LIMIT_OVERALL: '30' }],
    ['with room under the limits', {}],
  ] as const)
    test(`are each answered, and so is the page among them, ${what}`, async (t) => {
      const { start } = await prepareAppProcesses(t);
      const { siteUrl } = await start({ env: { ...env, TRUST_PROXY: '1' } });
      const visitors = Array.from({ length: VISITORS }, (_, number) => submit(new URL(siteUrl), number));
      const page = await fetch(siteUrl, { headers: { Connection: 'close' } });
      assert.ok(page.ok && (await page.text()).endsWith('</html>'));
      const answers = new Set(await Promise.all(visitors));
      for (const answer of answers) assert.match(answer, /^(?:200|429, later|503, later)$/);
      assert.ok(answers.has('200'), [...answers].join());
    });
});
