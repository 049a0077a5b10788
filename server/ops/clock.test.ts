import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { describe, type TestContext, test } from 'node:test';
import { startTestSandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { openClock } from './clock.ts';

const START = new Date('2025-12-01T17:00:00Z');
const NOTICE = '2025-12-11T01:00:00.000Z';

async function startFollowed(t: TestContext) {
  const { sandbox, stripe } = await startTestSandbox(t, { startsAt: START });
  const log = createTestLog();
  const clock = await openClock(`${sandbox.url}/sandbox/clock`, log.logger);
  t.after(() => clock.close());
  const moved = () => new Promise<void>((resolve) => clock.onMoved(resolve));
  return { sandbox, stripe, log, clock, moved };
}

const moveTo = (url: string, to: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/sandbox/clock`, { method: 'POST', body: new URLSearchParams({ to }), headers });

/** Fails unless a time is the expected one, give or take the seconds that a test may take. */
function assertAbout(actual: Date, expected: Date): void {
  const aheadMs = actual.getTime() - expected.getTime();
  assert.ok(aheadMs >= 0 && aheadMs < 30_000, `${actual.toISOString()} is not ${expected.toISOString()}`);
}

describe('the clock of business dates', () => {
  test('is the machine’s where no other is configured', async () => {
    const clock = await openClock(undefined, createTestLog().logger);
    assert.ok(Math.abs(clock.now().getTime() - Date.now()) < 1_000);
  });

  test('follows the sandbox’s, from its start and at each move', async (t) => {
    const { sandbox, stripe, clock, moved } = await startFollowed(t);
    assertAbout(clock.now(), START);
    const following = moved();
    assert.equal((await moveTo(sandbox.url, NOTICE)).status, 200);
    await following;
    assertAbout(clock.now(), new Date(NOTICE));
    const { created } = await stripe.customers.create({});
    assertAbout(new Date((created + 1) * 1000), new Date(NOTICE));
  });

  test('moves only forward, only to a valid date, and not for a page', async (t) => {
    const { sandbox, clock } = await startFollowed(t);
    assert.equal((await moveTo(sandbox.url, '2025-11-30T00:00')).status, 409);
    assert.equal((await moveTo(sandbox.url, 'tomorrow')).status, 400);
    assert.equal((await moveTo(sandbox.url, NOTICE, { Origin: 'https://elsewhere.example' })).status, 403);
    assertAbout(clock.now(), START);
  });

  test('goes on when the sandbox is away, and follows it once it is back', async (t) => {
    const { sandbox, log, clock, moved } = await startFollowed(t);
    const lost = log.until('The clock of the payment sandbox cannot be followed');
    await sandbox.close();
    await lost;
    assertAbout(clock.now(), START);
    const following = moved();
    await startTestSandbox(t, { port: sandbox.port, startsAt: new Date(NOTICE) });
    await following;
    assertAbout(clock.now(), new Date(NOTICE));
  });

  test('a start without an answer fails with one sentence', async (t) => {
    const silent = createServer((_req, res) => void res.writeHead(404).end()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    t.after(() => silent.close());
    const address = silent.address();
    assert.ok(address && typeof address === 'object');
    const url = `http://127.0.0.1:${address.port}/sandbox/clock`;
    await assert.rejects(
      openClock(url, createTestLog().logger, 100),
      new Error(`The payment sandbox does not tell its date at ${url}`),
    );
  });
});
