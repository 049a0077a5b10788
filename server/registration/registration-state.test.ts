import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { withLedger } from '#server/testing/ledger-of-record.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  card,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { listedOf } from '#server/worker/registration-index.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import {
  addressDigest,
  BALANCE,
  chargeObstacle,
  chargeStop,
  type Decline,
  hasPlace,
  nextInstallment,
  placeOf,
  type RegistrationState,
  registrationStates,
  stateOf,
} from './registration.ts';

const CHARGE = new Date('2025-12-21T17:00-08:00');
const NOTICED = { at: new Date('2025-12-10T17:00:05-08:00'), dueAt: CHARGE, cents: 72_625, to: 'wilma' };
const by = { at: new Date('2025-12-12T10:00:00-08:00'), by: 'Anna' };

const before = new Date(CHARGE.getTime() - 1);
const UNPAID = { deposit: 'unpaid', depositCents: 0 } as const;
const dayAfter = (date: Date, days: number) => new Date(date.getTime() + days * 24 * 60 * 60 * 1000);
const cancel = { ...by, writtenAt: by.at };

const declined = (at: Date) => ({ try: 1, at, code: 'insufficient_funds', card: 'pm_1', step: 1 });

/** The mark of a cancellation that is carried out. */
const back = { at: CHARGE, cents: 70_000, checkCents: 0 };
const paidEarly = { balances: [balance({ status: 'paid', paidAt: BEGUN })] };
const notTaken: Changes = {
  ...paidEarly,
  cancelled: { ...back, refund: 'failed' },
  decisions: { cancel },
  refunds: [refund({ status: 'failed', orderedBy: actName('cancel', cancel) })],
};
const checkSent = { ...by, at: dayAfter(CHARGE, 1), cents: 70_000, sentAt: CHARGE };

const told = { notices: [NOTICED] };
const bounced = { at: dayAfter(CHARGE, -9), to: NOTICED.to };
const paid = { balances: [balance({ status: 'paid', paidAt: CHARGE })] };
const postponedTo = (until: Date) => ({ postponed: { ...by, until } });
const check = { ...by, cents: 70_000 };
/** The office has her card tried again when the balance is due. */
const again = { charge: { ...by, at: CHARGE } };
/** The last try of her card was declined. */
const triedAt = (at: Date, tries = 1, changes: Partial<Decline> = {}): Changes => ({
  balances: [balance({ tries, decline: { ...declined(at), try: tries, ...changes } })],
  card,
});
const checkDue = { ...withCheck(70_000, BEGUN), cancelled: { at: CHARGE, cents: 0, checkCents: 70_000 } };

const heldUntil = (until: Date): Changes => ({
  ...UNPAID,
  decisions: { held: { ...by, way: 'check', until, cents: 69_500 } },
});

/** Each state, why, and when: at the moment of the charge unless it says otherwise. */
const cases: [RegistrationState, string, Changes, Date?][] = [
  ['begun', 'the deposit is not paid', UNPAID, dayAfter(BEGUN, 1)],
  ['lapsed', 'the deposit is not paid two days later', UNPAID, dayAfter(BEGUN, 2)],
  ['held', 'the office holds a place for her', heldUntil(dayAfter(BEGUN, 5)), dayAfter(BEGUN, 5.9)],
  ['lapsed', 'it was held until a day before', heldUntil(dayAfter(BEGUN, 5)), dayAfter(BEGUN, 6)],
  ['closed', 'it was cancelled unpaid', { ...UNPAID, deposit: 'closed' }, before],
  ['registered', 'the deposit is paid', {}, before],
  ['noticed', 'she was notified of the charge', told, before],
  ['registered', 'the letter that notified her bounced', { ...told, bounced }, before],
  ['due', 'its moment has come', told],
  ['postponed', 'the postponed moment is in the future', { decisions: postponedTo(dayAfter(CHARGE, 9)) }],
  ['due', 'the postponed moment has come', { decisions: postponedTo(CHARGE) }],
  ['due', 'a check that she promised has not come', { decisions: { check } }],
  ['retrying', 'a try is in progress', { balances: [balance({ tries: 1 })], card }],
  ['retrying', 'her card was declined, and is retried', triedAt(CHARGE, 1, { next: dayAfter(CHARGE, 1) })],
  [
    'retrying',
    'she gave another card since',
    { ...triedAt(CHARGE), card: { ...card, id: 'pm_2', since: CHARGE } },
  ],
  ['retrying', 'the office has the card retried', { ...triedAt(before, 4), decisions: again }],
  ['action-needed', 'her card is not retried', triedAt(CHARGE, 4)],
  [
    'action-needed',
    'her card would be retried, and was detached since',
    { ...triedAt(CHARGE, 1, { next: dayAfter(CHARGE, 1) }), card: undefined },
  ],
  [
    'action-needed',
    'the office has a card retried that must not be retried',
    { ...triedAt(before, 1, { final: true }), decisions: again },
  ],
  [
    'action-needed',
    'another card is not tried after the maximum number of tries',
    { ...triedAt(before, 12), card: { ...card, id: 'pm_2' } },
  ],
  [
    'action-needed',
    'she has to confirm it',
    triedAt(before, 1, { code: 'authentication_required', final: true }),
  ],
  [
    'action-needed',
    'her card is not retried after its payment was cancelled',
    {
      balances: [balance({ status: 'cancelled', tries: 4, decline: { ...declined(before), try: 4 } })],
      card,
    },
  ],
  ['settled', 'the balance is paid', paid],
  ['settled', 'the check has come', withCheck(70_000, by.at)],
  ['settled', 'all of it is waived', { decisions: { waived: { ...by, cents: 70_000 } } }, before],
  ['cancelling', 'she cancelled', { decisions: { cancel } }],
  ['nothing-back', 'nothing is refunded by the policy', { cancelled: { ...back, cents: 0 } }],
  ['cancelled', 'Stripe has not reported the refund yet', { cancelled: back }],
  ['refund-pending', 'the refund takes days', { cancelled: { ...back, refund: 'pending' } }],
  ['refund-failed', 'her bank rejected the refund', notTaken],
  [
    'refunded',
    'a check was sent after her bank rejected it',
    { ...notTaken, decisions: { cancel, checkSent } },
  ],
  ['refund-pending', 'she paid by check, and a check to her is owed', { ...checkDue, decisions: { cancel } }],
  ['refunded', 'the check was sent', { ...checkDue, decisions: { cancel, checkSent } }],
  ['refunded', 'the refund succeeded', { cancelled: { ...back, refund: 'succeeded' } }],
];

describe('the state of a registration', () => {
  for (const [state, why, changes, now = CHARGE] of cases) {
    test(`${state}: ${why}`, () => assert.equal(stateOf(recordWith(changes), now), state));
  }

  test('every state is among these cases', () => {
    assert.deepEqual(new Set(cases.map(([state]) => state)), new Set(registrationStates));
  });

  test('exists for every combination of marks, and never moves back by time alone', () => {
    fc.assert(
      fc.property(anyRecord, anyMoment, anyMoment, (record, one, other) => {
        const [earlier, later] = [one, other].toSorted((a, b) => a.getTime() - b.getTime());
        assert.ok(earlier && later);
        const ranks = [earlier, later].map((now) => registrationStates.indexOf(stateOf(record, now)));
        assert.ok(ranks[0] !== -1 && (ranks[0] ?? 0) <= (ranks[1] ?? 0), String(ranks));
      }),
      { numRuns: 1_000 },
    );
  });
});

/** How early a charge is announced, as the terms say. */
const NOTICE_MS = 3 * 24 * 60 * 60 * 1000;

const { version } = edition.terms;
const agreement = { version, digest: 'a'.repeat(64), agreedAt: BEGUN };
const to = addressDigest('wilma@example.org');

describe('the plan of a charge', () => {
  test('never charges without consent and notice, before the due moment, after the retreat, or a sum that is not owed', () => {
    const facts = { agreement, card };
    let due = 0;
    fc.assert(
      fc.property(anyRecord, anyMoment, fc.boolean(), fc.boolean(), (any, now, isTold, isUsual) => {
        const { cancelled: _cancelled, ...others } = any;
        const { cancel: _cancel, check: _check, ...decided } = any.decisions;
        const usual = { deposit: 'paid', disputed: false, decisions: decided } as const;
        const record = withLedger({ ...(isUsual ? { ...others, ...usual } : any), ...facts });
        const dueAt = nextInstallment(record).dueAt;
        const noticed = { at: new Date(dueAt.getTime() - NOTICE_MS), dueAt, cents: 72_625, to };
        const whole = { ...record, ...(isTold && { notices: [{ ...noticed, number: BALANCE }] }) };
        if (chargeStop(whole, now) !== undefined) return;
        due += 1;
        const { decisions } = whole;
        const told = nextInstallment(whole).noticed;
        assert.ok(told && told.at.getTime() <= dueAt.getTime() - NOTICE_MS);
        assert.ok(now >= dueAt && now < new Date(edition.facts.endsAt));
        assert.deepEqual([whole.deposit, whole.disputed], ['paid', false]);
        assert.deepEqual(
          [whole.cancelled, decisions.cancel, decisions.check],
          [undefined, undefined, undefined],
        );
        assert.notEqual(nextInstallment(whole).payment?.status, 'paid');
        assert.ok((decisions.waived?.cents ?? 0) < 70_000);
        const { agreement: _, ...withoutConsent } = whole;
        assert.equal(chargeStop(withoutConsent, now), 'no-consent');
      }),
      { numRuns: 1_000 },
    );
    assert.ok(due > 3, `only ${due} were due`);
  });

  test('names each obstacle to a charge', () => {
    const dueAt = new Date(edition.facts.balance.chargeAt);
    const noticed = { at: new Date(dueAt.getTime() - NOTICE_MS), dueAt, cents: 72_625, to };
    const usual = { agreement, card, notices: [noticed] };
    const act = { at: BEGUN, by: 'Anna' };
    const late = new Date('2026-01-20T10:00:00-08:00');
    for (const [expected, changes, now] of [
      [undefined, {}, dueAt],
      [undefined, { balances: [balance()] }, dueAt],
      ['over', {}, new Date(edition.facts.endsAt)],
      ['disputed', { disputed: true }, dueAt],
      ['deposit-refunded', { refunds: [refund({ of: 'deposit', cents: 72_100 })] }, dueAt],
      [undefined, { refunds: [refund({ of: 'deposit', cents: 10_000 })] }, dueAt],
      ['check', { decisions: { check: act } }, dueAt],
      // A card has paid it once.
      ['no-consent', { ...paidEarly, disputes: [lostDispute] }, dueAt],
      ['too-late', { begunAt: late, paidAt: late }, daysAfter(late, 1)],
      ['no-notice', { notices: [{ ...noticed, cents: 72_624 }] }, dueAt],
      ['no-notice', { notices: [{ ...noticed, to: 'other' }] }, dueAt],
      // Her address was corrected, and corrected back: in between letters went elsewhere.
      [
        'no-notice',
        { corrections: { email: { ...act, was: 'wrong@example.org', at: daysAfter(noticed.at, 1) } } },
        dueAt,
      ],
      // There is still time to notify her.
      [undefined, { notices: [{ ...noticed, to: 'other' }] }, daysAfter(dueAt, -3.1)],
    ] as const) {
      assert.equal(chargeObstacle(recordWith({ ...usual, ...changes }), now), expected);
    }
    assert.equal(chargeObstacle(recordWith({ card, notices: [noticed] }), dueAt), 'no-consent');
    // The obstacle is the same before the notice would have gone out and when it is too late for it.
    for (const days of [-30, -1, 1])
      assert.equal(chargeObstacle(recordWith({ agreement }), daysAfter(dueAt, days)), 'no-card');
  });
});

const lostDispute = {
  id: 'du_1',
  charge: 'ch_pi_2',
  of: 'balance',
  cents: 72_625,
  at: daysAfter(BEGUN, 1),
  reason: 'general',
  status: 'lost',
  isOver: true,
} as const;

const places: [ReturnType<typeof placeOf>, string, Changes][] = [
  ['open', 'who has not paid', { deposit: 'unpaid', depositCents: 0 }],
  ['free', 'whose payment was closed', { deposit: 'closed', depositCents: 0 }],
  ['taken', 'who paid', {}],
  ['taken', 'who may still undo her cancellation', { decisions: { cancel } }],
  [
    'free',
    'whose cancellation is carried out',
    { decisions: { cancel }, cancelled: { ...by, cents: 0, checkCents: 0 } },
  ],
  ['taken', 'who got a part of her deposit back', { refunds: [refund({ of: 'deposit', cents: 72_099 })] }],
  ['free', 'who got all of it back', { refunds: [refund({ of: 'deposit', cents: 72_100 })] }],
  ['taken', 'who got her balance back', { refunds: [refund({ of: 'balance', cents: 72_625 })] }],
  ['taken', 'who disputes a charge', { disputed: true }],
  ['taken', 'whose data were removed', { forgottenAt: by.at }],
];

describe('what a bank holds of the deposit while a dispute is open', () => {
  const open = {
    ...lostDispute,
    of: 'deposit',
    charge: `ch_${recordWith({}).depositPayment?.id}`,
    cents: 72_100,
    status: 'needs_response',
    isOver: false,
  } as const;
  const disputing = recordWith({ disputes: [open], disputed: true });
  const lost = recordWith({ disputes: [{ ...open, status: 'lost', isOver: true }] });
  test('leaves her the place, and has not gone back', () => {
    assert.equal(hasPlace(disputing), true);
    assert.equal(listedOf(disputing, BEGUN).backCents, 0);
  });
  test('has gone back once it is lost', () => {
    assert.equal(hasPlace(lost), false);
    assert.equal(listedOf(lost, BEGUN).backCents, 72_100);
  });
});

for (const [place, who, changes] of places)
  test(`the place of somebody ${who} is ${place}`, () => {
    assert.equal(placeOf(recordWith(changes)), place);
  });
