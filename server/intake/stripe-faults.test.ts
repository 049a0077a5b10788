import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import type { Fault } from '#scripts/stripe-sandbox/sandbox.ts';
import { findRegistration, findRow, registrationIdOf } from '#server/registration/registration.ts';
import { catchUp } from '#server/stripe/catch-up.ts';
import { recordConsent } from '#server/stripe/decide.ts';
import { createDeposit } from '#server/stripe/deposit.ts';
import { closeUnpaid, forget } from '#server/stripe/forget.ts';
import { alwaysHeld, type Charges, DAY_MS, killedAt, startCharges } from '#server/testing/test-charges.ts';
import { contactStep } from '#server/testing/test-registrations.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { messages } from '#shared/registration.ts';

async function assertMadeOnce({ stripe }: Pick<Charges, 'stripe'>): Promise<void> {
  const customers = await stripe.customers.list();
  const intents = await stripe.paymentIntents.list();
  assert.deepEqual([customers.data.length, intents.data.length], [1, 1]);
}

describe('R4.5 Stripe fails while she registers: there is one customer and one payment', () => {
  for (const path of ['/v1/customers', '/v1/payment_intents'])
    for (const kind of ['answer-500', 'reset'] as const)
      for (const carryOut of [true, false])
        test(`${path}, ${kind}, having made ${carryOut ? 'it' : 'nothing'}: one press is enough`, async (t) => {
          const left: Fault[] = [{ kind, carryOut }];
          const charges = await startCharges(t, {
            intercept: (asked) => (asked.method === 'POST' && asked.path === path ? left.shift() : undefined),
          });
          await charges.begin();
          assert.deepEqual(left, []);
          await assertMadeOnce(charges);
        });

  test('it answers 429: she is told when to press again, at once', async (t) => {
    const left: Fault[] = [{ kind: 'rate-limit' }];
    const site = await startTestSite(t, { intercept: () => left.shift() });
    const { status, headers, body } = await submitContact(site.app);
    assert.deepEqual([status, body.error.message], [503, messages.noRoom]);
    const seconds = Number(headers['retry-after']);
    assert.ok(seconds >= 3 && seconds <= 12, `${seconds}`);
    assert.equal(headers['cache-control'], 'no-store');
    await submitContact(site.app).expect(200);
    await assertMadeOnce(site);
  });

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

      for (const how of ['registration is over', 'the office forgets her'] as const)
        test(`${when}, and she never comes back: once ${how}, nothing of hers is at Stripe`, async (t) => {
          const killed = await startKilled(t, index + 1, isSent);
          const { id, passHours, payments, now, row, letterLog } = killed;
          passHours(25);
          assert.deepEqual(await letterLog.about(id), []);
          // The worker compares payments once a day.
          await payments.ask(catchUp, now());
          if (how === 'registration is over') assert.equal(await payments.ask(closeUnpaid, id), true);
          else
            await payments.ask(
              forget,
              (await findRegistration(payments, id)) ?? assert.fail(),
              'Anna',
              now(),
            );
          await assertEmptied(killed);
          assert.equal((await row())?.email, '');
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
