import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import request from 'supertest';
import { DUE, daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { recordAct } from '#server/testing/test-database.ts';
import { startTestSite, submitContact } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { HERSELF } from './acts.ts';
import { stateOf } from './registration-state.ts';

const MINUTE_DAYS = 1 / (24 * 60);

async function startSecond(t: TestContext, { somebodyElse = false } = {}) {
  const charges = await startCharges(t);
  const { registerTwice, payments, database, find, now, moveTo } = charges;
  const { first, second } = await registerTwice({ somebodyElse });
  return {
    ...charges,
    first,
    second,
    /** What the worker looks at again after `happens`. */
    async changedBy(happens: () => Promise<unknown>): Promise<readonly string[]> {
      const versions = () =>
        database.read((transaction) =>
          transaction.selectFrom('registrations').select(['deposit', 'version']).execute(),
        );
      const before = new Map((await versions()).map(({ deposit, version }) => [deposit, version]));
      await happens();
      const changed = (await versions()).filter(({ deposit, version }) => version !== before.get(deposit));
      return changed.flatMap(({ deposit }) => deposit ?? []).toSorted();
    },
    async cancelFirst(): Promise<void> {
      const at = now();
      await payments.decide(await find(first), 'cancel', { at, by: HERSELF, writtenAt: at });
      moveTo(daysAfter(at, 25 / 24));
      await payments.makeDueRefunds(first, now());
    },
  };
}

describe('of two payments of one person for the same place', () => {
  test('R4.6 the second gets no second welcome: one letter says so to her, and the office’s notice too', async (t) => {
    const site = await startTestSite(t);
    const begun = [];
    for (const device of ['laptop', 'phone']) {
      const { body } = await submitContact(site.app, {}, device.repeat(5)).expect(200);
      begun.push(String(body.paymentIntentClientSecret).split('_secret_')[0] ?? '');
    }
    const letters = [];
    for (const id of begun.toReversed()) {
      await site.mailQueue.bullQueue.obliterate();
      site.sandbox.clock.moveTo(daysAfter(new Date(site.sandbox.clock.now()), MINUTE_DAYS));
      const paid = await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await site.tell('payment_intent.succeeded', paid).expect(200);
      letters.push((await site.lettersQueued()).map(({ letter }) => letter));
    }
    const [ofPhone = [], ofLaptop = []] = letters;
    assert.deepEqual(ofPhone.map(({ kind }) => kind).toSorted(), ['office-paid', 'welcome']);
    assert.deepEqual(ofLaptop.map(({ kind }) => kind).toSorted(), ['office-paid', 'second-payment']);
    const told = [ofPhone, ofLaptop].map((all) => all.some((one) => 'isSecond' in one));
    assert.deepEqual(told, [false, true]);
  });

  test('R4.5 she pays again on another device, where nobody can ask her: held, told, and given back whole', async (t) => {
    const site = await startTestSite(t);
    const pay = async (device: string) => {
      const { body } = await submitContact(site.app, {}, device.repeat(5)).expect(200);
      const { paymentIntentClientSecret } = body;
      const { version, digest } = edition.terms;
      const consent = { paymentIntentClientSecret, version, digest };
      await request(site.app).post(RECORD_CONSENT_PATH).send(consent).expect(204);
      const id = String(paymentIntentClientSecret).split('_secret_')[0] ?? '';
      site.sandbox.clock.moveTo(daysAfter(new Date(site.sandbox.clock.now()), MINUTE_DAYS));
      const paid = await site.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await site.tell('payment_intent.succeeded', paid, { id: `evt_${id}` }).expect(200);
      return id;
    };
    const [first, second] = [await pay('laptop'), await pay('tablet')];
    const letters = (await site.lettersQueued()).map(({ letter }) => letter);
    const toldOf = (id: string) =>
      letters.flatMap(({ kind, ...letter }) =>
        'paymentIntentId' in letter && letter.paymentIntentId === id ? kind : [],
      );
    assert.ok(toldOf(first).includes('welcome'));
    assert.ok(toldOf(second).includes('second-payment') && !toldOf(second).includes('welcome'));
    const find = async (id: string) => (await site.payments.findRegistration(id)) ?? assert.fail();
    const held = await find(second);
    assert.deepEqual([held.secondOf, stateOf(held, DUE)], [first, 'second-payment']);
    const at = new Date(site.sandbox.clock.now());
    await site.payments.decide(held, 'cancel', { at, by: 'Anna', writtenAt: at });
    await site.payments.makeDueRefunds(second, at);
    const backOf = async (id: string) => (await find(id)).refunds.map(({ cents }) => cents);
    assert.deepEqual([await backOf(first), await backOf(second)], [[], [72_100]]);
  });

  test('the second owes no welcome, and is not charged when the balance is due, nor paid on her page; the first is', async (t) => {
    const { first, second, find, tell, moveTo, charge, charged, payments, state, now } = await startSecond(t);
    assert.deepEqual([(await find(first)).secondOf, (await find(second)).secondOf], [undefined, first]);
    const welcomes = [(await find(first)).letters.welcome, (await find(second)).letters.welcome];
    assert.deepEqual(welcomes, ['owed', undefined]);
    for (const id of [first, second]) await tell(id);
    const early = payments.payBalance(await find(second), 72_625, now());
    await assert.rejects(early, { code: 'changed' });
    moveTo(DUE);
    for (const id of [first, second]) await charge(id);
    assert.deepEqual([await charged(first), await charged(second)], [[72_625], []]);
    assert.deepEqual([await state(first), await state(second)], ['settled', 'second-payment']);
  });

  test('a payment that she said is for somebody else is no second one', async (t) => {
    const { second, find, state } = await startSecond(t, { somebodyElse: true });
    assert.equal((await find(second)).secondOf, undefined);
    assert.equal(await state(second), 'registered');
  });

  test('the second is none any more once the first has given up its place; both are read again', async (t) => {
    const { first, second, find, state, cancelFirst, changedBy } = await startSecond(t);
    assert.deepEqual(await changedBy(cancelFirst), [first, second].toSorted());
    assert.equal((await find(second)).secondOf, undefined);
    assert.equal(await state(second), 'registered');
  });

  test('the second is none any more once the first was given back whole in Stripe’s dashboard', async (t) => {
    const { first, second, stripe, find, changedBy } = await startSecond(t);
    const refund = async () => {
      await stripe.refunds.create({ payment_intent: first });
      await find(first);
    };
    assert.deepEqual(await changedBy(refund), [first, second].toSorted());
    assert.equal((await find(second)).secondOf, undefined);
  });

  test('a correction of one of the names or addresses parts them; both are read again', async (t) => {
    const { first, second, payments, find, now, changedBy } = await startSecond(t);
    const correct = () => payments.correctAddress(first, 'else@example.org', 'Anna', now());
    assert.deepEqual(await changedBy(correct), [first, second].toSorted());
    assert.equal((await find(second)).secondOf, undefined);
  });

  test('people whose data were removed are not taken for one another', async (t) => {
    const { first, second, database, find } = await startSecond(t);
    await database.write((transaction) =>
      transaction.updateTable('registrations').set({ person: '', address: '' }).execute(),
    );
    assert.deepEqual([(await find(first)).secondOf, (await find(second)).secondOf], [undefined, undefined]);
  });

  test('is either given back or somebody else’s: of two decisions at once the second gets an error', async (t) => {
    const { second, payments, find, now } = await startSecond(t);
    const [record, at] = [await find(second), now()];
    await payments.decide(record, 'twoPeople', { at, by: 'Anna' });
    const late = payments.decide(record, 'cancel', { at, by: 'Berta', writtenAt: at });
    await assert.rejects(late, { code: 'decided_meanwhile' });
    assert.equal((await find(second)).decisions.cancel, undefined);
  });

  test('a second payment stays one when it is given back, whatever becomes of the first', async (t) => {
    const { second, first, database, find, now, cancelFirst } = await startSecond(t);
    const at = now();
    await recordAct(database, second, 'cancel', { at, writtenAt: at, secondOf: first });
    await cancelFirst();
    assert.equal((await find(second)).secondOf, first);
  });
});
