import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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
import { type Group, isInGroup, listedOf } from './registration-index.ts';

const CHARGED = new Date('2025-12-21T17:00:00-08:00');
const NOW = new Date('2025-12-29T12:00:00-08:00');
const act = { at: new Date('2025-12-10T23:59:00-08:00'), by: 'Anna' };
const later = { at: new Date('2025-12-23T12:00:00-08:00'), by: 'Anna' };
const cancel = { ...act, writtenAt: act.at };
const paid = balance({ status: 'paid', paidAt: CHARGED });
const paidEarly = balance({ status: 'paid', paidAt: new Date('2025-12-05T12:00:00-08:00') });
const lost = {
  id: 'du_1',
  charge: 'ch_1',
  of: 'balance',
  cents: 72_625,
  at: later.at,
  reason: 'fraudulent',
  status: 'lost',
  isOver: true,
} as const;

type Sum = 'inCents' | 'backCents' | 'toPayCents' | 'checkCents' | 'waivedCents' | 'toSendCents';

/** Calculated by hand: a deposit is 72,100, a balance 72,625 by card and 70,000 by check. Sums that are not there are 0. */
const LIVES: readonly [what: string, groups: Group[], sums: Partial<Record<Sum, number>>, Changes][] = [
  ['the deposit is not paid', ['unpaid'], {}, { deposit: 'unpaid', depositCents: 0 }],
  [
    'the balance is due later',
    ['registered', 'due'],
    { inCents: 72_100, toPayCents: 72_625 },
    { decisions: { postponed: { ...act, until: new Date('2026-01-05') } } },
  ],
  [
    'a check has come',
    ['registered', 'paid'],
    { inCents: 142_100, checkCents: 70_000 },
    withCheck(70_000, act.at),
  ],
  [
    'a check was promised, and 200 dollars are waived since',
    ['registered', 'late', 'by-check', 'waived'],
    { inCents: 72_100, toPayCents: 50_000, waivedCents: 20_000 },
    { decisions: { check: act, waived: { ...act, cents: 20_000 } } },
  ],
  [
    '200 dollars are waived: 50,000 and a fee of 1,875 are left',
    ['registered', 'late', 'waived'],
    { inCents: 72_100, toPayCents: 51_875, waivedCents: 20_000 },
    { decisions: { waived: { ...act, cents: 20_000 } } },
  ],
  [
    'she cancelled in time: 700 dollars went back to her card',
    ['cancelled', 'refunded'],
    { inCents: 144_725, backCents: 70_000 },
    {
      balances: [paidEarly],
      decisions: { cancel },
      cancelled: { at: act.at, cents: 70_000, checkCents: 0, refund: 'succeeded' },
      refunds: [refund({ orderedBy: actName('cancel', act) })],
    },
  ],
  [
    'her bank refused the refund, and 300 dollars of it were sent by check',
    ['cancelled', 'refunded'],
    { inCents: 144_725, backCents: 30_000, toSendCents: 40_000 },
    {
      balances: [paidEarly],
      decisions: { cancel, checkSent: { ...later, cents: 30_000, sentAt: later.at } },
      cancelled: { at: act.at, cents: 70_000, checkCents: 0, refund: 'failed' },
      refunds: [refund({ status: 'failed', orderedBy: actName('cancel', act) })],
    },
  ],
  [
    'a refund of 100 dollars as an exception is on its way to the card of a registrant who stays',
    ['registered', 'paid', 'refunded'],
    { inCents: 144_725, backCents: 10_000 },
    {
      balances: [paid],
      decisions: { refund: { ...later, cents: 10_000, reason: 'illness' } },
      refunds: [refund({ cents: 10_000, status: 'pending', orderedBy: actName('refund', later) })],
    },
  ],
  [
    'her bank took the balance back in a dispute: it is asked of her again',
    ['registered', 'late', 'refunded'],
    { inCents: 144_725, backCents: 72_625, toPayCents: 72_625 },
    { balances: [paid], disputes: [lost] },
  ],
];

const MONEY: readonly Group[] = [
  ...([
    'registered',
    'paid',
    'due',
    'late',
    'unpaid',
    'cancelled',
    'refunded',
    'by-check',
    'waived',
  ] as const),
];
const groupsOf = (groups: string) => MONEY.filter((group) => groups.includes(` ${group} `)).toSorted();

for (const [what, groups, sums, changes] of LIVES)
  test(`the list has the groups and the money of one registration: ${what}`, () => {
    const listed = listedOf(recordWith(changes), NOW);
    const { inCents, backCents, toPayCents, checkCents, waivedCents, toSendCents } = listed;
    assert.deepEqual(groupsOf(listed.groups), groups.toSorted());
    const none = { inCents: 0, backCents: 0, toPayCents: 0, checkCents: 0, waivedCents: 0, toSendCents: 0 };
    assert.deepEqual(
      { inCents, backCents, toPayCents, checkCents, waivedCents, toSendCents },
      { ...none, ...sums },
    );
  });

test('a registrant has paid in full, or owes now or later; others have cancelled or not paid the deposit', () => {
  fc.assert(
    fc.property(anyRecord, anyMoment, (record, now) => {
      const groups = groupsOf(listedOf(record, now).groups);
      const countOf = (...some: Group[]) => groups.filter((group) => some.includes(group)).length;
      assert.equal(countOf('registered', 'cancelled', 'unpaid'), 1);
      assert.equal(countOf('paid', 'due', 'late'), countOf('registered'));
    }),
  );
});

test('her whose deposit was given back is registered, and gets no letter to all who have a place', () => {
  const record = recordWith({ refunds: [refund({ of: 'deposit', cents: 72_100 })] });
  const { groups } = listedOf(record, NOW);
  assert.deepEqual([groups.includes(' registered '), groups.includes(' attending ')], [true, false]);
  assert.equal(isInGroup(record, 'registered', NOW), false);
  assert.equal(isInGroup(recordWith(), 'registered', NOW), true);
});

test('a balance is late from the exact moment when it is due', () => {
  const record = recordWith({ agreement: { version: '2', digest: '', agreedAt: BEGUN } });
  const groupsAt = (ms: number) => groupsOf(listedOf(record, new Date(ms)).groups);
  assert.deepEqual(groupsAt(CHARGED.getTime() - 1), ['due', 'registered']);
  assert.deepEqual(groupsAt(CHARGED.getTime()), ['late', 'registered']);
});
