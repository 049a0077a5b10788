import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { findRegistration, findRow, registrationIdOf } from '#server/registration/registration.ts';
import { catchUp } from '#server/stripe/catch-up.ts';
import { recordConsent } from '#server/stripe/decide.ts';
import { createDeposit } from '#server/stripe/deposit.ts';
import { closeUnpaid, forget } from '#server/stripe/forget.ts';
import { alwaysHeld, DAY_MS, killedAt, startCharges } from '#server/testing/test-charges.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
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
  ['answers 500, saved, having made it', [{ kind: 'answer-500', carryOut: true }], 1],
  ['answers 500, saved, having made nothing', [{ kind: 'answer-500', carryOut: false }], 1],
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

/** The requests of a registration, in their order, at which its process may be killed. */
const REQUESTS = ['asks for the customer', 'asks for the payment'] as const;

/** Somebody registers, and the process is killed at its n-th request: before it is sent, or before its answer is read. */
async function startKilled(t: TestContext, step: number, isSent: boolean) {
  const charges = await startCharges(t);
  const { stripe, database, sandbox, moveTo, now } = charges;
  const { package: _, ...contact } = contactStep;
  const deposit = { contact, facts: edition.facts, timeZone: '', admitLetter: async () => true };
  const key = { value: 'a key of her browser' };
  const press = (by: Stripe) =>
    createDeposit({ ...charges, stripe: by }, deposit, key, alwaysHeld(database, now));
  await assert.rejects(press(killedAt(step, isSent, sandbox)), { type: 'StripeConnectionError' });
  const id = registrationIdOf(key.value);
  return {
    ...charges,
    id,
    press: () => press(stripe),
    row: () => database.read((transaction) => findRow(transaction, id)),
    /** Stripe has forgotten the idempotency keys by then. */
    passHours: (hours: number) => moveTo(new Date(now().getTime() + (hours * DAY_MS) / 24)),
    made: async () => {
      const { data: customers } = await stripe.customers.list();
      const { data: intents } = await stripe.paymentIntents.list();
      return { customers, intents };
    },
  };
}

type Killed = Awaited<ReturnType<typeof startKilled>>;

/** Nothing of hers is left at Stripe, and her payment, if one was made, can be paid no more. */
async function assertEmptied({ made }: Killed): Promise<void> {
  const { customers, intents } = await made();
  for (const { name, email, phone } of customers) assert.deepEqual([name, email, phone].filter(Boolean), []);
  for (const { status, receipt_email: address } of intents)
    assert.deepEqual([status, address || null], ['canceled', null]);
}

describe('R4.5 the process is killed while she registers', () => {
  for (const [index, request] of REQUESTS.entries())
    for (const isSent of [true, false]) {
      const when = `${isSent ? 'after' : 'before'} it ${request}`;
      for (const hours of [0, 25])
        test(`${when}, and she presses again ${hours} hours later: there is one customer and one payment, which are hers`, async (t) => {
          const killed = await startKilled(t, index + 1, isSent);
          const { id, press, passHours, made, row, payments, now } = killed;
          passHours(hours + 0.1);
          const { clientSecret } = await press();
          const { customers, intents } = await made();
          assert.deepEqual([customers.length, intents.length], [1, 1]);
          assert.deepEqual(
            [customers[0]?.metadata.registration, intents[0]?.client_secret],
            [id, clientSecret],
          );
          assert.equal((await row())?.customer, customers[0]?.id);
          const { version, digest } = edition.terms;
          await payments.ask(recordConsent, clientSecret, { version, digest, agreedAt: now() });
          assert.equal((await press()).clientSecret, clientSecret);
          assert.equal(await payments.ask(closeUnpaid, id), true);
          await assertEmptied(killed);
        });

      test(`${when}, and she never comes back: once registration is over, nothing of hers is at Stripe`, async (t) => {
        const killed = await startKilled(t, index + 1, isSent);
        const { id, passHours, payments, now, row } = killed;
        passHours(25);
        // The worker compares payments once a day.
        await payments.ask(catchUp, now());
        assert.equal(await payments.ask(closeUnpaid, id), true);
        await assertEmptied(killed);
        assert.equal((await row())?.email, '');
      });

      test(`${when}: her data are removed from Stripe when the office forgets her`, async (t) => {
        const killed = await startKilled(t, index + 1, isSent);
        const { id, passHours, payments, now } = killed;
        passHours(25);
        await payments.ask(catchUp, now());
        await payments.ask(forget, (await findRegistration(payments, id)) ?? assert.fail(), 'Anna', now());
        await assertEmptied(killed);
      });
    }

  test('and its payment comes on record before she presses again: its client secret is hers', async (t) => {
    const { press, passHours, payments, now } = await startKilled(t, REQUESTS.length, true);
    passHours(25);
    await payments.ask(catchUp, now());
    const { clientSecret } = await press();
    const { version, digest } = edition.terms;
    await payments.ask(recordConsent, clientSecret, { version, digest, agreedAt: now() });
  });
});

test('R4.5 paid while another tab changes her details at Stripe: it stays on record as paid', async (t) => {
  const meanwhile: (() => Promise<unknown>)[] = [];
  const site = await startTestSite(t, {
    intercept: async ({ method, path }) => {
      if (method === 'POST' && /^\/v1\/customers\/./.test(path)) await meanwhile.shift()?.();
      return undefined;
    },
  });
  const { body } = await submitContact(site.app).expect(200);
  const { paymentIntentClientSecret } = body;
  const { data } = await site.stripe.paymentIntents.list();
  const { id, metadata } = data[0] ?? assert.fail();
  meanwhile.push(async () => {
    const paid = await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    await site.tell('payment_intent.succeeded', paid).expect(200);
  });
  await submitContact(site.app, { firstName: 'Betty', paymentIntentClientSecret }).expect(200);
  assert.equal(meanwhile.length, 0);
  assert.equal((await findRegistration(site.payments, metadata.registration ?? ''))?.deposit, 'paid');
});
