import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { AT_ONCE } from '#server/database/database.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import { DUE, daysAfter, startCharges, startDue } from '#server/testing/test-charges.ts';
import {
  addressDigest,
  chargeObstacle,
  clearBounce,
  isNoticed,
  isUnreachable,
  type LetterEvent,
  recordBounce,
} from './registration.ts';

const ADDRESS = 'wilma@example.org';

/** A registrant who was notified of her charge, and what the mail provider reports about that letter. */
async function startTold(t: TestContext) {
  const charges = await startCharges(t);
  const { payments, find, register, tell, moveTo, now } = charges;
  const id = await register();
  moveTo(daysAfter(DUE, -9));
  await tell(id, daysAfter(DUE, -10));
  const event = (changes: Partial<LetterEvent> = {}): LetterEvent => ({
    address: ADDRESS,
    at: now(),
    ...changes,
  });
  const bounce = (changes?: Partial<LetterEvent>) => recordBounce(payments, event(changes), now());
  const obstacle = async (at = DUE) => chargeObstacle(await find(id), at);
  return { ...charges, id, event, bounce, obstacle };
}

describe('a letter that bounced', () => {
  test('is recorded for her address, and prevents her charge', async (t) => {
    const { bounce, find, id, obstacle, charge, charged, moveTo, now } = await startTold(t);
    assert.equal(await obstacle(), undefined);
    const at = now();
    assert.deepEqual(await bounce({ at }), { found: [id], marked: [id] });
    const to = addressDigest(ADDRESS);
    assert.deepEqual((await find(id)).bounced, { at, to });
    moveTo(DUE);
    assert.deepEqual(await charge(id), { type: 'stopped', why: 'unreachable' });
    assert.deepEqual(await charged(id), []);
  });

  test('prevents the charge even if it is reported after the worker has begun to charge', async (t) => {
    const { at, id, payments, now, charge, charged } = await startDue(t);
    const event = { address: ADDRESS, at: now() };
    // The request that opens the payment.
    at(1, async () => {
      await recordBounce(payments, event, now());
      return undefined;
    });
    assert.deepEqual(await charge(id), { type: 'stopped', why: 'unreachable' });
    assert.deepEqual(await charged(id), []);
  });

  test('takes effect once, however often it is reported, even after the office declared it resolved', async (t) => {
    const { bounce, event, payments, find, id, now, moveTo } = await startTold(t);
    const told = event();
    await bounce(told);
    for (const again of [told, event({ at: daysAfter(now(), 1) })])
      assert.deepEqual(await bounce(again), { found: [id], marked: [] });
    moveTo(daysAfter(now(), 0.1));
    await clearBounce(payments, await find(id), 'Anna', now());
    assert.deepEqual((await bounce(told)).marked, []);
    assert.equal(isUnreachable(await find(id)), false);
    moveTo(daysAfter(now(), 0.1));
    assert.deepEqual((await bounce({ at: now() })).marked, [id]);
  });

  test('did not notify her: once her address works she must be notified again, or asked to pay if that is too late', async (t) => {
    const { bounce, payments, find, id, now, tell, obstacle, charge, charged, moveTo } = await startTold(t);
    await bounce();
    await clearBounce(payments, await find(id), 'Anna', now());
    assert.equal(isNoticed(await find(id)), false);
    assert.deepEqual([await obstacle(now()), await obstacle()], [undefined, 'no-notice']);
    await tell(id, daysAfter(DUE, -7));
    moveTo(DUE);
    assert.deepEqual(await charge(id), { type: 'charged', cents: 72_625 });
    assert.deepEqual(await charged(id), [72_625]);
  });

  test('from a former address does not affect the current one', async (t) => {
    const { bounce, payments, find, id, now } = await startTold(t);
    await bounce();
    await payments.ask(correctDetails, { id }, { email: 'Wilma@Correct.example' }, 'Anna', now());
    assert.equal(isUnreachable(await find(id)), false);
    assert.deepEqual(await bounce(), { found: [], marked: [] });
    assert.deepEqual((await bounce({ address: 'wilma@correct.EXAMPLE' })).marked, [id]);
    assert.equal(isUnreachable(await find(id)), true);
  });

  test('marks all registrations at its address, also an unpaid one', async (t) => {
    const { payments, begin, register, find, id, database, now } = await startTold(t);
    const { id: jo } = await begin({ firstName: 'Jo', lastName: '', email: 'WILMA@example.org' });
    const other = await register({ email: 'other@example.org' });
    const event = { address: ADDRESS, at: now() };
    const { marked } = await recordBounce(payments, event, now());
    assert.deepEqual(marked.toSorted(), [id, jo].toSorted());
    assert.deepEqual([isUnreachable(await find(jo)), isUnreachable(await find(other))], [true, false]);
    const lookedAtNext = () =>
      database.read((transaction) =>
        transaction.selectFrom('registrations').select('id').where('nextAt', '=', AT_ONCE).execute(),
      );
    const never = { nextAt: null };
    await database.write((transaction) => transaction.updateTable('registrations').set(never).execute());
    await clearBounce(payments, await find(id), 'Anna', now());
    assert.deepEqual((await lookedAtNext()).map((row) => row.id).toSorted(), [id, jo].toSorted());
    assert.deepEqual(await recordBounce(payments, { ...event, address: 'nobody@example.org' }, now()), {
      found: [],
      marked: [],
    });
  });
});
