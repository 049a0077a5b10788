import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import type { PaymentRow } from '#server/database/schema.ts';
import { RECORD_EXPANSION } from '#server/registration/registration-record.ts';
import { engines, registration, testDatabase } from '#server/testing/test-database.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { readAndRecordPayments } from './find-registration.ts';
import type { PaymentRead } from './payment-at-stripe.ts';
import { recordPayments, versionNow } from './record-payments.ts';

const AT = new Date(edition.tryOutFrom).toISOString();

/** A disputed deposit as Stripe shows it. */
const disputed = (status: string): PaymentRead => ({
  payment: { ...deposit('paid').payment, charge: 'ch_1', disputed: 1 },
  refunds: [],
  disputes: [
    {
      id: 'du_1',
      payment: 'pi_1',
      cents: 72_100,
      reason: 'fraudulent',
      status,
      at: AT,
      evidenceDue: AT,
    },
  ],
});

/** A deposit as Stripe shows it, with the sums that were refunded. */
function deposit(status: PaymentRow['status'], ...refunded: readonly number[]): PaymentRead {
  return {
    payment: {
      id: 'pi_1',
      registration: 'pi_1',
      name: 'deposit',
      edition: edition.facts.id,
      status,
      asMade: 1,
      cents: 72_100,
      madeAt: AT,
      paidAt: status === 'paid' ? AT : null,
      charge: null,
      disputed: 0,
      card: null,
      beforeFeeCents: null,
      part: 0,
    },
    refunds: refunded.map((cents, index) => ({
      id: `re_${index}`,
      payment: 'pi_1',
      cents,
      status: 'succeeded',
      at: AT,
      ordered: null,
    })),
    disputes: [],
  };
}

async function open(t: TestContext, engine: (typeof engines)[number]) {
  const { database } = await testDatabase(t, engine);
  const row = { ...registration('anna'), deposit: 'pi_1', edition: edition.facts.id };
  await database.write((transaction) =>
    transaction
      .insertInto('registrations')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
  return {
    database,
    record: async (read: PaymentRead, since?: number) =>
      recordPayments(database, [read], since ?? (await versionNow(database))),
    payment: () =>
      database.read((transaction) =>
        transaction.selectFrom('payments').selectAll().executeTakeFirstOrThrow(),
      ),
    registered: () =>
      database.read((transaction) =>
        transaction.selectFrom('registrations').selectAll().executeTakeFirstOrThrow(),
      ),
  };
}

for (const engine of engines) {
  describe(`payments on record, on ${engine}`, () => {
    test('of two readings the one that began later is kept, and the other is named to be repeated', async (t) => {
      const { database, record, payment } = await open(t, engine);
      await record(deposit('open'));
      const since = await versionNow(database);
      assert.deepEqual(await record(deposit('paid')), new Set());
      assert.deepEqual(await record(deposit('cancelled'), since), new Set(['pi_1']));
      assert.equal((await payment()).status, 'paid');
      assert.deepEqual(await record(deposit('paid'), since), new Set());
    });

    test('what is on record already is not written again; each change raises the registration’s version', async (t) => {
      const { record, payment, registered } = await open(t, engine);
      const versions = async () => [(await payment()).version, (await registered()).version];
      await record(deposit('open'));
      const changes = [deposit('paid'), deposit('paid', 100), disputed('needs_response'), disputed('won')];
      for (const change of changes) {
        const before = await versions();
        await record(change);
        const [ofPayment = 0, ofRegistration = 0] = await versions();
        assert.ok(ofPayment > (before[0] ?? 0) && ofRegistration > (before[1] ?? 0));
        await record(change);
        assert.deepEqual(await versions(), [ofPayment, ofRegistration]);
      }
    });

    test('a place is taken once the deposit is paid, and free once all of it is given back', async (t) => {
      const { record, registered } = await open(t, engine);
      const standing = async () => (await registered()).standing;
      await record(deposit('open'));
      assert.equal(await standing(), 'open');
      await record(deposit('paid'));
      assert.equal(await standing(), 'taken');
      await record(deposit('paid', 72_099));
      assert.equal(await standing(), 'taken');
      await record(deposit('paid', 72_099, 1));
      assert.equal(await standing(), 'free');
    });
  });
}

test('a reading at Stripe that another one overtook is repeated before anybody acts on it', async (t) => {
  const { id, stripe, database, letterLog, payments, pay } = await startRegistered(t);
  const retrieve = () => stripe.paymentIntents.retrieve(id, { expand: [...RECORD_EXPANSION] });
  let reads = 0;
  const read = async (): Promise<Stripe.PaymentIntent[]> => {
    reads += 1;
    const intent = await retrieve();
    if (reads === 1) {
      await pay();
      await payments.findRegistration(id);
    }
    return [intent];
  };
  const taken = await readAndRecordPayments({ stripe, database, letterLog }, read);
  assert.equal(reads, 2);
  assert.equal(taken?.onRecord.payments[0]?.status, 'paid');
});
