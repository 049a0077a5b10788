import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { localClock } from '#server/service/local-clock.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  manyRegistrations,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { groupNames, isInGroup, listedOf } from '#server/worker/registration-index.ts';
import { type Totals, totalsOf } from './figures.tsx';
import type { Tally } from './find-listed.ts';

const CHARGED = new Date('2025-12-21T17:00:00-08:00');
const NOW = new Date('2025-12-29T12:00:00-08:00');
const act = { at: new Date('2025-12-10T23:59:00-08:00'), by: 'Anna' };
const cancel = { ...act, writtenAt: act.at };
const paid = balance({ status: 'paid', paidAt: CHARGED });
const paidEarly = balance({ status: 'paid', paidAt: new Date('2025-12-05T12:00:00-08:00') });
const later = { at: new Date('2025-12-23T12:00:00-08:00'), by: 'Anna' };
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
/** As the index holds it, counted alone. */
function rowOf(record: RegistrationRecord, now: Date): Tally {
  const { groups, ...listed } = listedOf(record, now);
  const names = groupNames.filter((group) => groups.includes(` ${group} `));
  return { ...listed, groups: names, count: 1 };
}
const rowsAt = (now: Date, ...changes: Changes[]): Tally[] =>
  changes.map((one, index) => rowOf(recordWith({ id: `reg_${index}`, ...one }), now));
const nothing = { count: 0, cents: 0 };
const none: Totals = {
  registered: nothing,
  paid: nothing,
  due: nothing,
  late: nothing,
  cameIn: nothing,
  byCheck: nothing,
  wentBack: nothing,
  toSend: nothing,
  waived: nothing,
  checkPromised: nothing,
};
const one = (cents: number) => ({ count: 1, cents });

/** Calculated by hand: a deposit is 72,100, a balance 72,625 by card and 70,000 by check. */
const lives: [what: string, totals: Partial<Totals>, Changes][] = [
  ['the deposit is not paid', {}, { deposit: 'unpaid', depositCents: 0 }],
  [
    'the balance is due later',
    { registered: one(72_100), due: one(72_625), cameIn: one(72_100) },
    { decisions: { postponed: { ...act, until: new Date('2026-01-05') } } },
  ],
  ['the balance is late', { registered: one(72_100), late: one(72_625), cameIn: one(72_100) }, {}],
  [
    'both are paid by card',
    { registered: one(144_725), paid: one(144_725), cameIn: one(144_725) },
    { balances: [paid] },
  ],
  [
    'a check has come',
    { registered: one(142_100), paid: one(142_100), cameIn: one(142_100), byCheck: one(70_000) },
    withCheck(70_000, act.at),
  ],
  [
    'a check was promised, and 200 dollars are waived since',
    {
      registered: one(72_100),
      cameIn: one(72_100),
      late: one(50_000),
      waived: one(20_000),
      checkPromised: one(50_000),
    },
    { decisions: { check: act, waived: { ...act, cents: 20_000 } } },
  ],
  [
    '200 dollars are waived: 50,000 and a fee of 1,875 are left',
    { registered: one(72_100), cameIn: one(72_100), late: one(51_875), waived: one(20_000) },
    { decisions: { waived: { ...act, cents: 20_000 } } },
  ],
  [
    'all of the balance is waived',
    { registered: one(72_100), paid: one(72_100), cameIn: one(72_100), waived: one(70_000) },
    { decisions: { waived: { ...act, cents: 70_000 } } },
  ],
  [
    'she cancelled in time: 700 dollars went back to her card',
    { cameIn: one(144_725), wentBack: one(70_000) },
    {
      balances: [paidEarly],
      decisions: { cancel },
      cancelled: { at: act.at, cents: 70_000, checkCents: 0, refund: 'succeeded' },
      refunds: [refund({ orderedBy: actName('cancel', act) })],
    },
  ],
  [
    'her bank refused the refund, and 300 dollars of it were sent by check',
    { cameIn: one(144_725), wentBack: one(30_000), toSend: one(40_000) },
    {
      balances: [paidEarly],
      decisions: { cancel, checkSent: { ...later, cents: 30_000, sentAt: later.at } },
      cancelled: { at: act.at, cents: 70_000, checkCents: 0, refund: 'failed' },
      refunds: [refund({ status: 'failed', orderedBy: actName('cancel', act) })],
    },
  ],
  [
    'she cancelled, and nothing goes back',
    { cameIn: one(72_100) },
    { decisions: { cancel }, cancelled: { at: act.at, cents: 0, checkCents: 0 } },
  ],
  [
    'a refund of 100 dollars as an exception is on its way to the card of a registrant who stays',
    { registered: one(144_725), paid: one(144_725), cameIn: one(144_725), wentBack: one(10_000) },
    {
      balances: [paid],
      decisions: { refund: { ...later, cents: 10_000, reason: 'illness' } },
      refunds: [refund({ cents: 10_000, status: 'pending', orderedBy: actName('refund', later) })],
    },
  ],
  [
    'her bank took the balance back in a dispute: it is asked of her again',
    { registered: one(144_725), late: one(72_625), cameIn: one(144_725), wentBack: one(72_625) },
    { balances: [paid], disputes: [lost] },
  ],
];

describe('the figures', () => {
  for (const [what, totals, changes] of lives)
    test(`of one registration: ${what}`, () => {
      assert.deepEqual(totalsOf(rowsAt(NOW, changes)), { ...none, ...totals });
    });

  test('of all registrations are the sums of each one', () => {
    const rows = rowsAt(NOW, ...lives.map(([, , changes]) => changes));
    const totals = totalsOf(rows);
    for (const name of Object.keys(none) as (keyof Totals)[]) {
      const parts = lives.map(([, part]) => part[name] ?? nothing);
      const sum = (of: 'count' | 'cents') => parts.reduce((all, part) => all + part[of], 0);
      assert.deepEqual(totals[name], { count: sum('count'), cents: sum('cents') }, name);
    }
    // Twelve deposits, five balances by card, one by check.
    assert.deepEqual(totals.cameIn, { count: 12, cents: 12 * 72_100 + 5 * 72_625 + 70_000 });
    assert.deepEqual(totals.wentBack, { count: 4, cents: 182_625 });
  });

  test('add up, whatever the registrations are', () => {
    fc.assert(
      fc.property(fc.array(anyRecord, { maxLength: 8 }), anyMoment, (records, now) => {
        const rows = records.map((record) => rowOf(record, now));
        const { registered, paid, due, late, cameIn } = totalsOf(rows);
        assert.equal(registered.count, paid.count + due.count + late.count);
        const cancelled = rows.filter((row) => row.groups.includes('cancelled'));
        const ofCancelled = cancelled.reduce((sum, { inCents }) => sum + inCents, 0);
        const ofUnpaid = rows
          .filter((row) => row.groups.includes('unpaid'))
          .reduce((sum, { inCents }) => sum + inCents, 0);
        assert.equal(cameIn.cents, registered.cents + ofCancelled + ofUnpaid);
      }),
    );
  });

  test('put each registration in the groups that the totals count', () => {
    const rows = manyRegistrations(500, NOW).map((record) => rowOf(record, NOW));
    const countOf = (group: (typeof groupNames)[number]) =>
      rows.filter((row) => row.groups.includes(group)).length;
    const totals = totalsOf(rows);
    assert.equal(countOf('all'), countOf('registered') + countOf('cancelled') + countOf('unpaid'));
    for (const group of ['registered', 'paid', 'due', 'late', 'waived'] as const)
      assert.equal(totals[group].count, countOf(group), group);
    assert.equal(totals.wentBack.count, countOf('refunded'));
    // Of letters, calls and held places, and of questions, which this edition does not ask.
    const ofOthers = ['letter-failed', 'bounced', 'unanswered', 'call-back', 'held'];
    for (const group of groupNames) if (!ofOthers.includes(group)) assert.ok(countOf(group) > 0, group);
  });

  test('count her whose deposit was given back as registered, and she gets no letter to all who have a place', () => {
    const record = recordWith({ refunds: [refund({ of: 'deposit', cents: 72_100 })] });
    const { groups } = rowOf(record, NOW);
    assert.deepEqual([groups.includes('registered'), groups.includes('attending')], [true, false]);
    assert.equal(isInGroup(record, 'registered', NOW), false);
    assert.equal(isInGroup(recordWith(), 'registered', NOW), true);
  });

  test('of a registration change at the exact moment when its balance becomes late', () => {
    const before = new Date(CHARGED.getTime() - 1);
    const agreement = { version: '2', digest: '', agreedAt: BEGUN };
    const groupsAt = (now: Date) => {
      const rows = rowsAt(now, { agreement });
      return (['due', 'late'] as const).filter((group) => rows.some((row) => row.groups.includes(group)));
    };
    assert.deepEqual([groupsAt(before), groupsAt(CHARGED)], [['due'], ['late']]);
  });
});

test('the clock of a time zone tells its local time, also around a clock change', () => {
  const berlin = localClock('Europe/Berlin');
  const moments = [
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T00:59:00Z',
    '2026-10-25T01:00:00Z',
  ];
  assert.deepEqual(
    moments.map((at) => berlin.minuteOf(new Date(at))),
    ['2026-03-29 01:59', '2026-03-29 03:00', '2026-10-25 02:59', '2026-10-25 02:00'],
  );
  assert.equal(localClock('Asia/Kathmandu').minuteOf(new Date('2026-01-01T00:00:00Z')), '2026-01-01 05:45');
});
