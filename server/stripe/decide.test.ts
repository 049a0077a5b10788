import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Fault, SandboxOptions } from '#scripts/stripe-sandbox/sandbox.ts';
import {
  canUndo,
  type Decision,
  type DecisionKind,
  nextInstallment,
  readActs,
} from '#server/registration/registration.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { goToBank } from '#server/testing/test-cards.ts';
import { DUE, daysAfter, startCharges, startDue } from '#server/testing/test-charges.ts';
import { balance, laterKindsDue, recordWith, refund } from '#server/testing/test-registrations.ts';
import { decide } from './decide.ts';

const UNTIL = daysAfter(DUE, 10);
const by = { at: DUE, by: 'Anna' };
/** Each decision that changes what is charged or when. */
const moves = [
  ['cancel', { ...by, writtenAt: DUE }],
  ['waived', { ...by, cents: 20_000 }],
  ['check', { ...by, cents: 70_000 }],
  ['postponed', { ...by, until: UNTIL }],
] as const satisfies [DecisionKind, Decision][];

/** What replaces the row that is being charged. */
const replaces: readonly DecisionKind[] = ['waived', 'postponed'];

/** A registrant whose balance is due; `first` runs an act right before Stripe gets the next request of a kind. */
async function startRace(t: TestContext) {
  let before: { method: string; path: RegExp; act: () => Promise<unknown> } | undefined;
  const intercept: SandboxOptions['intercept'] = async ({ method, path }): Promise<Fault | undefined> => {
    if (!before || before.method !== method || !before.path.test(path)) return undefined;
    const { act } = before;
    before = undefined;
    await act();
    return undefined;
  };
  const due = await startDue(t, { intercept });
  return {
    ...due,
    first(method: string, path: RegExp, act: () => Promise<unknown>) {
      before = { method, path, act };
    },
  };
}

describe('what the office decides', () => {
  for (const [kind, decision] of moves) {
    test(`${kind}: stops a charge that is about to be confirmed, or is refused meanwhile`, async (t) => {
      const { first, charge, charged, payments, find, id } = await startRace(t);
      const decided = async () => payments.ask(decide, await find(id), kind, decision);
      if (replaces.includes(kind)) {
        first('POST', /\/confirm$/, () => assert.rejects(decided(), { code: 'not_possible_now' }));
        assert.deepEqual(await charge(id), { type: 'charged', cents: 72_625 });
        return;
      }
      first('POST', /\/confirm$/, decided);
      assert.deepEqual(await charge(id), { type: 'stopped', why: 'elsewhere' });
      assert.deepEqual(await charged(id), []);
      assert.equal(nextInstallment(await find(id)).payment?.status, 'cancelled');
    });

    test(`${kind}: is an error, unless she cancels, where she pays before her payment is cancelled`, async (t) => {
      const race = await startRace(t);
      const { first, payments, find, id, now, sandbox } = race;
      const payment = await goToBank(race, await find(id), now());
      first('POST', /\/cancel$/, async () => sandbox.bank.authenticate(payment));
      const decided = payments.ask(decide, await find(id), kind, decision);
      if (kind === 'cancel') await decided;
      else await assert.rejects(decided, { code: 'decided_but_paid' });
      assert.ok((await find(id)).decisions[kind]);
    });
  }

  test('withdrawn: an earlier notice allows no charge; if there is time she is notified again', async (t) => {
    const { register, tell, moveTo, payments, find, now, charge } = await startCharges(t);
    const id = await register();
    const due = async () => laterKindsDue(await find(id), now());
    moveTo(daysAfter(DUE, -11));
    await tell(id, now());
    moveTo(daysAfter(DUE, -5));
    await payments.ask(decide, await find(id), 'check', { ...by, at: now(), cents: 70_000 });
    moveTo(daysAfter(DUE, -4));
    await payments.ask(decide, await find(id), 'check', { ...by, at: now(), withdrawn: true });
    assert.deepEqual(await due(), ['balance-notice']);
    moveTo(DUE);
    assert.deepEqual(await charge(id), { type: 'stopped', why: 'no-notice' });
    assert.deepEqual(await due(), ['please-pay']);
  });
});

const NOW = new Date('2025-12-12T10:00:00Z');

async function startPaid(t: TestContext) {
  const charges = await startCharges(t);
  const id = await charges.register({ consents: false });
  return { ...charges, id, find: () => charges.find(id) };
}

describe('decisions about a registration', () => {
  test('a check that bounced and a waiver can be withdrawn, but nothing that her card paid or got back', () => {
    const act = { at: NOW, by: 'Anna' };
    const check = { ...act, cents: 70_000 };
    const waived = { ...act, cents: 20_000 };
    const cancel = { ...act, writtenAt: NOW };
    const paid = balance({ status: 'paid', paidAt: NOW });
    const after = new Date(NOW.getTime() + 1);
    const early = { ...paid, paidAt: new Date(NOW.getTime() - 1) };
    const noticed = { at: NOW, dueAt: NOW, cents: 72_625, to: 'wilma' };
    const exception = { ...act, cents: 10_000, reason: 'illness' };
    const made = refund({ cents: 10_000, orderedBy: actName('refund', exception) });
    for (const [changes, kind, expected] of [
      [{ decisions: { check } }, 'check', true],
      [{ decisions: { waived: { ...act, cents: 70_000 } } }, 'waived', true],
      [{ decisions: { waived }, notices: [noticed] }, 'waived', true],
      [{ decisions: { waived }, balances: [paid] }, 'waived', false],
      [{ decisions: { waived: { ...waived, at: after } }, balances: [paid] }, 'waived', true],
      [{ decisions: { check, cancel } }, 'check', false],
      [{ decisions: { refund: exception }, balances: [early] }, 'refund', true],
      [{ decisions: { refund: exception }, balances: [early], refunds: [made] }, 'refund', false],
    ] as const) {
      assert.equal(canUndo(recordWith(changes), kind, NOW), expected);
    }
  });

  test('of two made at the same time the first is stored, and the second is refused', async (t) => {
    const { payments, find } = await startPaid(t);
    const record = await find();
    await payments.ask(decide, record, 'waived', { at: NOW, by: 'Anna', cents: 10_000 });
    const late = payments.ask(decide, record, 'waived', { at: NOW, by: 'Britt', cents: 20_000 });
    await assert.rejects(late, { code: 'decided_meanwhile' });
    const { waived } = (await find()).decisions;
    assert.deepEqual(waived, { at: NOW, by: 'Anna', cents: 10_000 });
    await payments.ask(decide, await find(), 'waived', { at: NOW, by: 'Britt', cents: 20_000 });
    assert.equal((await find()).decisions.waived?.cents, 20_000);
  });

  test('nothing of them is at Stripe, and each that was made or withdrawn stays on record', async (t) => {
    const { stripe, database, payments, id, find, depositOf } = await startPaid(t);
    const payment = await depositOf(id);
    const { metadata } = await stripe.paymentIntents.retrieve(payment);
    const act = { at: NOW, by: 'Anna' };
    await payments.ask(decide, await find(), 'waived', { ...act, cents: 10_000 });
    await payments.ask(decide, await find(), 'waived', { ...act, by: 'Britt', withdrawn: true });
    assert.deepEqual((await find()).decisions, { withdrawn: [{ kind: 'waived', ...act, by: 'Britt' }] });
    await payments.ask(decide, await find(), 'waived', { ...act, cents: 20_000 });
    assert.deepEqual((await find()).decisions, { waived: { ...act, cents: 20_000 }, withdrawn: [] });
    const acts = await database.read((transaction) => readActs(transaction, id));
    assert.deepEqual(
      acts.map(({ kind, byWhom, facts }) => [kind, byWhom, JSON.parse(facts)]),
      [
        ['waived', 'Anna', {}],
        ['withdrawal', 'Britt', {}],
        ['waived', 'Anna', {}],
      ],
    );
    assert.deepEqual((await stripe.paymentIntents.retrieve(payment)).metadata, metadata);
  });
});
