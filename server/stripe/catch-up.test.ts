import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, type TestContext, test } from 'node:test';
import { openCardPage } from '#server/testing/test-cards.ts';
import { DAY_MS, daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { catchUp as catchUpAt } from './catch-up.ts';
import { EVENT_TYPES, noteTaken } from './stripe-events.ts';

/** Registrations at a site that no webhook ever reaches, and the requests to Stripe. */
async function startUnheard(t: TestContext) {
  const calls: string[] = [];
  const charges = await startCharges(t, { log: (line) => calls.push(line.split(' ', 2).join(' ')) });
  const { payments, database, now } = charges;
  return {
    ...charges,
    catchUp: () => payments.ask(catchUpAt, now()),
    /** The requests that catching up takes. */
    async callsOf(act: () => Promise<unknown>) {
      const before = calls.length;
      await act();
      return calls.slice(before);
    },
    /** What is on record of a payment. */
    async onRecord(id: string) {
      const row = await database.read((transaction) =>
        transaction.selectFrom('payments').select('status').where('id', '=', id).executeTakeFirst(),
      );
      return row?.status;
    },
    refundsOnRecord: () =>
      database.read((transaction) =>
        transaction.selectFrom('refunds').select(['payment', 'cents']).execute(),
      ),
  };
}

describe('catching up with Stripe', () => {
  test('R5.1 takes the events that no webhook brought, each once', async (t) => {
    const { begin, stripe, catchUp, callsOf, onRecord, refundsOnRecord } = await startUnheard(t);
    const { payment } = await begin();
    await catchUp();
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    await stripe.refunds.create({ payment_intent: payment, amount: 100 });
    await catchUp();
    assert.equal(await onRecord(payment), 'paid');
    assert.deepEqual(await refundsOnRecord(), [{ payment, cents: 100 }]);
    await catchUp();
    assert.deepEqual(await callsOf(catchUp), ['GET /v1/events']);
  });

  test('a new card that was stored, a card that was replaced and declines are taken too', async (t) => {
    const unheard = await startUnheard(t);
    const { begin, register, sandbox, stripe, payments, find, catchUp, now } = unheard;
    const id = await register();
    await catchUp();
    const beginCard = async () => openCardPage({ payments }, await find(id), now());
    sandbox.bank.enterCard(await beginCard(), 'pm_card_mastercard');
    await catchUp();
    const { card } = await find(id);
    assert.equal(card?.brand, 'mastercard');
    sandbox.bank.renewCard(card.id, { last4: '1881', exp_month: 11, exp_year: 2031 });
    await catchUp();
    assert.equal((await find(id)).card?.last4, '1881');
    const tried = await begin({ email: 'tried@example.org' });
    const other = await beginCard();
    const declined = { payment_method: 'pm_card_visa_chargeDeclined' };
    for (let time = 0; time < 5; time += 1) {
      await assert.rejects(stripe.paymentIntents.confirm(tried.payment, declined));
      assert.throws(() => sandbox.bank.enterCard(other, declined.payment_method), /Your card was declined/);
    }
    await catchUp();
    assert.equal((await stripe.paymentIntents.retrieve(tried.payment)).status, 'canceled');
    assert.equal((await stripe.checkout.sessions.retrieve(other)).status, 'expired');
    await assert.rejects(beginCard(), { code: 'too_many' });
  });

  test('an event that cannot be taken is told of, and stops no other; nor does another shop', async (t) => {
    const { begin, stripe, catchUp, onRecord, moveTo, now } = await startUnheard(t);
    const { payment } = await begin();
    await catchUp();
    const base = { amount: 5_000, currency: 'usd', payment_method: 'pm_card_visa', confirm: true };
    await stripe.paymentIntents.create(base);
    await catchUp();
    const metadata = { site: 'online-retreat', kind: 'deposit', edition: 'january-2025', amount: '5000' };
    const unknown = await stripe.paymentIntents.create({ ...base, metadata });
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    const errors = await catchUp();
    assert.equal(await onRecord(payment), 'paid');
    // It is tried again, for a day.
    moveTo(new Date(now().getTime() + 3 * 60 * 60 * 1000));
    await stripe.refunds.create({ payment_intent: payment, amount: 100 });
    await catchUp();
    assert.equal((await catchUp()).length, 1);
    assert.equal(errors.length, 1);
    assert.ok(String(errors[0]?.cause).includes(unknown.id));
  });

  test('once a day the payments of the last week are recorded: their makers may have been killed', async (t) => {
    const unheard = await startUnheard(t);
    const { register, stripe, database, catchUp, callsOf, moveTo, now, begin, onRecord } = unheard;
    await register();
    await catchUp();
    moveTo(daysAfter(now(), 10));
    await catchUp();
    const { payment } = await begin({ email: 'young@example.org' });
    await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
    // As if they had not been made.
    for await (const event of stripe.events.list()) await noteTaken(database, event);
    await catchUp();
    assert.equal(await onRecord(payment), 'open');
    moveTo(new Date(now().getTime() + DAY_MS));
    const calls = await callsOf(catchUp);
    assert.equal(await onRecord(payment), 'paid');
    assert.ok(calls.length <= 3, String(calls));
  });

  test('a register that is new, or a copy of last month, reads the whole season', async (t) => {
    const { register, database, catchUp, moveTo, now } = await startUnheard(t);
    const id = await register();
    moveTo(daysAfter(now(), 40));
    const eventsUntil = daysAfter(now(), -35);
    for (const marks of [
      { eventsUntil: null, comparedAt: null },
      { eventsUntil, comparedAt: eventsUntil },
    ]) {
      await database.write(async (transaction) => {
        for (const table of [
          'payouts',
          'entries',
          'installments',
          'acts',
          'payments',
          'registrationIndex',
          'registrations',
        ] as const)
          await transaction.deleteFrom(table).execute();
        await transaction.updateTable('register').set(marks).execute();
      });
      await catchUp();
      const rows = await database.read((transaction) =>
        transaction.selectFrom('registrations').select(['id', 'standing', 'edition']).execute(),
      );
      assert.deepEqual(rows, [{ id, standing: 'taken', edition: edition.facts.id }]);
    }
  });
});

test('the operations guide names the events of the webhook', async () => {
  const guide = await readFile(new URL('../ops/launch.md', import.meta.url), 'utf8');
  const [, section = ''] = guide.split("## Stripe's dashboard");
  const [dashboard = ''] = section.split('\n## ');
  const named = [...dashboard.matchAll(/`([a-z_]+(?:\.[a-z_]+)+)`/g)].map(([, name]) => name);
  assert.deepEqual(named, EVENT_TYPES);
  assert.ok(named.length <= 20, 'Stripe lists the events of at most twenty types, see `catchUp`');
});
