import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Stripe from 'stripe';
import { SANDBOX_KEYS, type Sandbox } from '#scripts/stripe-sandbox/sandbox.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { startCharges } from '#server/testing/test-charges.ts';
import { cardWithPostalCode } from '#server/testing/test-own-page.ts';
import { forget } from './forget.ts';
import { LIST_EXPANDED, recordChange, recordList, recordPayment } from './record-payments.ts';

/** A Stripe client whose process does something else once each answer has come, before it reads it. */
function slowReader({ host, port }: Sandbox, beforeReading: () => Promise<void>): Stripe {
  const send: typeof fetch = async (...request) => {
    const answer = await fetch(...request);
    await beforeReading();
    return answer;
  };
  const httpClient = Stripe.createFetchHttpClient(send);
  return new Stripe(SANDBOX_KEYS.secretKey, { host, port, protocol: 'http', telemetry: false, httpClient });
}

/** A registration whose deposit is open, and on record so. */
async function startOpen(t: TestScope) {
  const charges = await startCharges(t);
  const { stripe, database, sandbox, begin } = charges;
  const { id, payment } = await begin();
  const confirm = () => stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
  const record = () => recordPayment(charges, payment);
  return {
    ...charges,
    id,
    payment,
    record,
    confirm,
    refund: (amount: number) => stripe.refunds.create({ payment_intent: payment, amount }),
    async charge() {
      const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
      return String(charge);
    },
    /** A process that is slow to read the first answer of Stripe: another one records what happens meanwhile. */
    overtaken(happening: () => Promise<unknown>) {
      let answers = 0;
      const slow = slowReader(sandbox, async () => {
        answers += 1;
        if (answers > 1) return;
        await happening();
        await record();
      });
      return { ...charges, stripe: slow };
    },
    onRecord: () =>
      database.read((transaction) =>
        transaction.selectFrom('payments').selectAll().where('id', '=', payment).executeTakeFirstOrThrow(),
      ),
    registered: () =>
      database.read((transaction) =>
        transaction.selectFrom('registrations').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
      ),
  };
}

describe('payments on record', () => {
  test('of two readings the one that began later is kept, and the other is repeated', async (t) => {
    const { confirm, overtaken, onRecord } = await startOpen(t);
    const records = overtaken(confirm);
    const list = async (stripe: Stripe) =>
      (await stripe.paymentIntents.list({ limit: 100, ...LIST_EXPANDED })).data;
    assert.deepEqual(
      (await recordList(records, list)).map(({ status }) => status),
      ['succeeded'],
    );
    assert.equal((await onRecord()).status, 'paid');
  });

  test('the answer to a change that another reading overtook does not overwrite it', async (t) => {
    const { payment, confirm, overtaken, onRecord } = await startOpen(t);
    const records = overtaken(confirm);
    const changed = await recordChange(records, ({ paymentIntents }) =>
      paymentIntents.update(payment, { description: 'Another' }),
    );
    assert.equal(changed.status, 'succeeded');
    assert.equal((await onRecord()).status, 'paid');
  });

  test('what is on record already is not written again; each change raises the registration’s version', async (t) => {
    const { sandbox, record, confirm, refund, charge, onRecord, registered } = await startOpen(t);
    const versions = async () => [(await onRecord()).version, (await registered()).version];
    await record();
    let dispute = '';
    const changes = [
      confirm,
      () => refund(100),
      async () => {
        dispute = sandbox.bank.openDispute(await charge());
      },
      async () => sandbox.bank.closeDispute(dispute, 'won'),
    ];
    for (const change of changes) {
      const before = await versions();
      await change();
      await record();
      const [ofPayment = 0, ofRegistration = 0] = await versions();
      assert.ok(ofPayment > (before[0] ?? 0) && ofRegistration > (before[1] ?? 0));
      await record();
      assert.deepEqual(await versions(), [ofPayment, ofRegistration]);
    }
  });

  test('the postal code of her card is not kept once she is forgotten, nor recorded again by what happens later', async (t) => {
    const open = await startOpen(t);
    const { id, stripe, sandbox, payments, record, refund, onRecord, registered, find, now, payment } = open;
    const card = await cardWithPostalCode(sandbox, '95060');
    await stripe.paymentIntents.confirm(payment, { payment_method: card });
    await record();
    assert.equal((await onRecord()).postalCode, '95060');
    await payments.ask(forget, await find(id), 'Anna', now());
    assert.equal((await onRecord()).postalCode, null);
    await record();
    const before = (await registered()).version;
    await record();
    assert.equal((await registered()).version, before, 'it is written again');
    await refund(100);
    await record();
    assert.equal((await onRecord()).postalCode, null);
  });
});
