import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { stateOf } from '#server/registration/registration-state.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import type { CancelledStanding } from '#shared/content/own-page-view.ts';
import { cancelStanding, offerNow, repaymentsOf } from './cancel-view.ts';

const HOUR_MS = 60 * 60 * 1000;
const CHARGED = new Date(edition.facts.balance.chargeAt);
const LAST = new Date(Date.parse(edition.facts.balance.refundsEndAt) - 1);
const TOO_LATE = new Date(LAST.getTime() + 1);
const OVER = new Date(edition.facts.endsAt);

const visa = { brand: 'visa', last4: '4242' };
const paid = balance({ status: 'paid', paidAt: CHARGED, paidWith: visa });
const check = withCheck(70_000, CHARGED);
const STAYS = 'not refunded';
const deposit = {
  of: 'deposit',
  words: 'deposit',
  why: STAYS,
  keptCents: 72_100,
  paidCents: 72_100,
  cents: 0,
};
const offerOf = (changes: Changes, now: Date) => offerNow(recordWith(changes), now);

describe('what she gets back if she cancels now', () => {
  test('is nothing before the balance is paid, and after a check the sum of the check', () => {
    assert.deepEqual(offerOf({}, BEGUN), { cents: 0, checkCents: 0, lines: [deposit] });
    const { cents, checkCents } = offerOf(check, LAST) ?? {};
    assert.deepEqual([cents, checkCents], [70_000, 70_000]);
  });

  test('is not shown once she has cancelled, during a dispute, or after the retreat', () => {
    const cancel = { at: CHARGED, by: 'Anna', writtenAt: CHARGED };
    const cancelled = { at: LAST, cents: 70_000, checkCents: 0 };
    assert.ok(offerOf({ balances: [paid] }, new Date(OVER.getTime() - 1)));
    assert.equal(offerOf({ balances: [paid] }, OVER), undefined);
    assert.equal(offerOf({ balances: [paid], disputed: true }, LAST), undefined);
    assert.equal(offerOf({ balances: [paid], decisions: { cancel } }, LAST), undefined);
    assert.equal(offerOf({ balances: [paid], decisions: { cancel }, cancelled }, LAST), undefined);
  });

  test('has lines that add up, whatever happened', () => {
    const property = fc.property(anyRecord, anyMoment, (record, now) => {
      const offer = offerNow(record, now);
      if (!offer) return;
      const sum = offer.lines.reduce((total, { cents }) => total + cents, 0);
      assert.equal(sum, offer.cents);
      assert.ok(offer.cents >= 0);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});

describe('how her cancellation stands', () => {
  const at = new Date(LAST.getTime() - HOUR_MS);
  const cancel = { at, by: 'the registrant', writtenAt: at, onPage: true } as const;
  const until = new Date(at.getTime() + 24 * HOUR_MS);

  test('she can undo it for 24 hours, but not once the retreat is over', () => {
    const undoAt = (now: Date, decided = cancel) => {
      const standing = cancelStanding(recordWith({ balances: [paid], decisions: { cancel: decided } }), now);
      assert.ok(standing?.kind === 'cancelling');
      assert.deepEqual(standing.cancelled, { at: decided.at, onPage: true });
      assert.equal(standing.refund.cents, decided.at < TOO_LATE ? 70_000 : 0);
      return standing.undoUntil;
    };
    assert.deepEqual(undoAt(at), until);
    assert.deepEqual(undoAt(new Date(until.getTime() - 1)), until);
    assert.equal(undoAt(until), undefined);
    const late = new Date(OVER.getTime() - HOUR_MS);
    assert.deepEqual(undoAt(late, { ...cancel, at: late, writtenAt: late }), OVER);
  });

  test('a charge that raced with it is refunded in full', () => {
    const raced = { ...paid, paidAt: new Date(cancel.writtenAt.getTime() + 1) };
    const standing = cancelStanding(recordWith({ balances: [raced], decisions: { cancel } }), LAST);
    assert.ok(standing?.kind === 'cancelling');
    assert.equal(standing.refund.cents, 72_625);
    assert.ok(standing.refund.lines.slice(1).every(({ afterCancelling }) => afterCancelling));
  });

  const made = refund({ orderedBy: actName('cancel', cancel), at: until });
  const notTaken = { ...made, status: 'failed' } as const;
  const sent = { at: until, by: 'Anna', cents: 70_000, sentAt: until };
  const exception = { at: until, by: 'Anna', cents: 2_625, reason: 'illness' };
  const mark = (changes: Partial<NonNullable<Changes['cancelled']>> = {}): Changes => ({
    balances: [paid],
    decisions: { cancel },
    cancelled: { at: until, cents: 70_000, checkCents: 0, ...changes },
  });
  const cases: readonly [string, Changes, Partial<CancelledStanding>][] = [
    ['carried out, and no refund reported yet', mark(), { state: 'in-work', cents: 70_000 }],
    [
      'refunded, and her bank rejected an exceptional refund',
      {
        ...mark({ refund: 'succeeded' }),
        decisions: { cancel, refund: exception },
        refunds: [made, refund({ id: 're_2', status: 'failed', orderedBy: actName('refund', exception) })],
      },
      { state: 'refunded', at: until },
    ],
    [
      'refunded, and a check was sent earlier for an exceptional refund',
      { ...mark({ refund: 'succeeded' }), decisions: { cancel, checkSent: sent }, refunds: [made] },
      { state: 'refunded', at: until },
    ],
  ];
  for (const [what, changes, expected] of cases) {
    test(what, () => {
      const standing = cancelStanding(recordWith(changes), until);
      assert.ok(standing?.kind === 'cancelled');
      assert.deepEqual({ ...standing, ...expected }, standing);
      assert.equal(standing.refund?.cents ?? standing.cents, standing.cents);
    });
  }

  test('another refund is listed, and does not change the refund of the cancellation', () => {
    const exception = refund({ id: 're_2', cents: 2_625, at: new Date(until.getTime() + HOUR_MS) });
    const record = recordWith({ ...mark({ refund: 'succeeded' }), refunds: [made, exception] });
    const standing = cancelStanding(record, OVER);
    assert.ok(standing?.kind === 'cancelled');
    assert.equal(standing.refund?.cents, 70_000);
    assert.deepEqual(
      repaymentsOf(record).map(({ cents }) => cents),
      [70_000, 2_625],
    );
  });

  test('a failed refund is not listed; the check that was sent for it is', () => {
    const record = recordWith({
      ...mark({ refund: 'failed' }),
      refunds: [notTaken],
      decisions: { cancel, checkSent: sent },
    });
    assert.deepEqual(repaymentsOf(record), [{ cents: 70_000, by: 'check', at: until, pending: false }]);
  });

  test('a status exists exactly if the state says that she cancelled', () => {
    const property = fc.property(anyRecord, anyMoment, (record, now) => {
      const state = stateOf({ ...record, deposit: 'paid' }, now);
      const standing = cancelStanding({ ...record, deposit: 'paid' }, now);
      const later = ['cancelled', 'refund-pending', 'refund-failed', 'refunded', 'nothing-back'];
      const expected = later.includes(state)
        ? 'cancelled'
        : state === 'cancelling'
          ? 'cancelling'
          : undefined;
      assert.equal(standing?.kind, expected);
    });
    fc.assert(property, { numRuns: 2_000 });
  });
});
