import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { messages } from '#shared/registration.ts';

/** A site whose Stripe answers the first requests to one path with these faults, in order. */
async function startFaultySite(t: TestContext, faultyPath: string, faults: readonly Fault[]) {
  const left = [...faults];
  const site = await startTestSite(t, {
    stripeTimeoutMs: 300,
    intercept: ({ method, path }) => (method === 'POST' && path === faultyPath ? left.shift() : undefined),
  });
  const submit = () => submitContact(site.app);
  return { ...site, submit };
}

async function assertMadeOnce({ stripe }: Awaited<ReturnType<typeof startTestSite>>): Promise<void> {
  const customers = await stripe.customers.list();
  const intents = await stripe.paymentIntents.list();
  assert.deepEqual([customers.data.length, intents.data.length], [1, 1]);
}

const never = new Promise<never>(() => {});

/** What goes wrong, and how often the visitor must press the button until it works. */
const faultKinds: readonly [string, readonly Fault[], number][] = [
  ['answers 500, saved, having made it', [{ kind: 'answer-500', carryOut: true }], 2],
  ['answers 500, saved, having made nothing', [{ kind: 'answer-500', carryOut: false }], 2],
  ['resets the connection, having made it', [{ kind: 'reset', carryOut: true }], 1],
  ['resets the connection, having made nothing', [{ kind: 'reset', carryOut: false }], 1],
  ['hangs', [{ kind: 'hang' }, { kind: 'hang' }], 2],
  ['replies after the client gave up', [{ kind: 'late-answer', until: never }], 1],
];

describe('R4.5 Stripe fails: the visitor presses again, and there is one customer and one payment', () => {
  for (const path of ['/v1/customers', '/v1/payment_intents']) {
    for (const [what, faults, presses] of faultKinds) {
      test(`${path} ${what}`, async (t) => {
        const site = await startFaultySite(t, path, faults);
        for (let press = 1; press < presses; press += 1) {
          const { status, body, headers } = await site.submit();
          assert.ok([502, 504].includes(status), `press ${press} got ${status}`);
          assert.equal(body.error.message, 'An unexpected error occurred');
          assert.equal(headers['cache-control'], 'no-store');
        }
        const { body } = await site.submit().expect(200);
        assert.match(body.paymentIntentClientSecret, /^pi_\w+_secret_/);
        await assertMadeOnce(site);
        await site.submit().expect(200, body);
        await assertMadeOnce(site);
      });
    }

    test(`${path} answers 429: she is told when to press again, at once`, async (t) => {
      const site = await startFaultySite(t, path, [{ kind: 'rate-limit' }, { kind: 'rate-limit' }]);
      for (let press = 1; press <= 2; press += 1) {
        const { status, headers, body } = await site.submit();
        assert.deepEqual([status, body.error.message], [503, messages.noRoom]);
        const seconds = Number(headers['retry-after']);
        assert.ok(seconds >= 3 && seconds <= 12, `${seconds}`);
      }
      await site.submit().expect(200);
      await assertMadeOnce(site);
    });
  }

  test('the first request is still in progress when the second comes: the second waits for its answer', async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const site = await startTestSite(t, {
      intercept: async ({ method, path }) => {
        if (method === 'POST' && path === '/v1/customers') await held;
        return undefined;
      },
      log: (line) => line.includes('/v1/customers 409') && release(),
    });
    const submit = () => submitContact(site.app);
    const [first, second] = await Promise.all([submit(), submit()]);
    assert.deepEqual([first.status, second.status], [200, 200]);
    assert.deepEqual(first.body, second.body);
    await assertMadeOnce(site);
  });
});
