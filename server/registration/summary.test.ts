import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  recordWith,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { addressDigest, type Decline, HERSELF, type SummaryState, stateOf, summary } from './registration.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const { facts, terms } = edition;
const DUE = new Date(facts.balance.chargeAt);
const OVER = new Date(facts.endsAt);
const LAST = new Date(Date.parse(facts.balance.refundsEndAt) - 1);
const BEFORE = new Date('2025-12-15T10:00:00-08:00');
const AFTER = new Date(DUE.getTime() + HOUR_MS);
const CENTS = facts.prices.balanceCents;

const to = addressDigest('wilma@example.org');
const act = { at: BEFORE, by: 'Anna' };
const agreement = { version: terms.version, digest: terms.digest, agreedAt: BEGUN };
const told = (dueAt = DUE) => ({
  at: new Date(dueAt.getTime() - 11 * DAY_MS),
  dueAt,
  cents: CENTS,
  to,
});
const card = { id: 'pm_1', brand: 'visa', last4: '4242', expMonth: 8, expYear: 2027, since: BEGUN };
const decline = (changes: Partial<Decline> = {}): Decline => ({
  try: 1,
  at: DUE,
  code: 'insufficient_funds',
  card: card.id,
  step: 1,
  ...changes,
});
const agreed = (changes: Changes = {}) => recordWith({ agreement, notices: [told()], card, ...changes });

describe('where a registration stands', () => {
  const nextAt = new Date(DUE.getTime() + DAY_MS);
  const charged = { kind: 'charged-later', cents: CENTS, dueAt: DUE, wasPostponed: false } as const;
  const charging = { kind: 'being-charged', cents: CENTS } as const;
  const toPay = { kind: 'to-pay', cents: CENTS, payBy: DUE } as const;
  const settled = { kind: 'settled' } as const;
  const notified = { agreement, notices: [told()] };
  const openSince = (since: Date) => ({
    atStripe: { id: 'pi_1', until: new Date(since.getTime() + HOUR_MS / 2) },
  });
  const payingSince = (since: Date) => ({ ...notified, ...openSince(since) });
  const declined = (changes: Partial<Decline>) => ({
    ...notified,
    balances: [balance({ tries: 1, decline: decline(changes) })],
  });
  const check = { ...act, cents: 70_000 };
  const paid = balance({ status: 'paid', paidAt: AFTER });
  const cases: readonly [string, Changes, Date, SummaryState][] = [
    ['registered', { agreement }, BEFORE, charged],
    [
      'a part waived',
      { agreement, decisions: { waived: { ...act, cents: 20_000 } } },
      BEFORE,
      { ...charged, cents: 51_875 },
    ],
    ['without consent', {}, BEFORE, toPay],
    ['never notified of it', { agreement }, AFTER, toPay],
    [
      'paid too late for a charge',
      { agreement, paidAt: new Date('2026-01-20T10:00:00-08:00') },
      new Date('2026-01-20T11:00:00-08:00'),
      { kind: 'to-pay', cents: CENTS },
    ],
    ['disputed', { ...notified, disputed: true }, BEFORE, toPay],
    ['letters to her bounce', { ...notified, bounced: { at: BEFORE, to } }, BEFORE, toPay],
    ['a bounce that is over', { ...notified, bounced: { at: BEFORE, to, over: BEFORE } }, BEFORE, charged],
    [
      'due, and she began to pay',
      payingSince(AFTER),
      AFTER,
      { ...toPay, chargedAt: new Date(AFTER.getTime() + HOUR_MS / 2) },
    ],
    ['due, and she began to pay half an hour ago', payingSince(DUE), AFTER, charging],
    ['due for a day, and she began to pay again', payingSince(nextAt), nextAt, charging],
    [
      'a try in progress while she begins to pay',
      { ...notified, balances: [balance({ tries: 1 })], ...openSince(AFTER) },
      AFTER,
      charging,
    ],
    ['a try in progress', { ...notified, balances: [balance({ tries: 1 })] }, AFTER, charging],
    ['a payment processing', { ...declined({}), isProcessing: true }, AFTER, { kind: 'processing' }],
    ['the next try due', declined({ next: nextAt }), nextAt, charging],
    [
      'another card given',
      { ...declined({ next: nextAt }), card: { ...card, since: AFTER } },
      AFTER,
      charging,
    ],
    ['waived', { decisions: { waived: check } }, AFTER, settled],
    ['over and paid', { balances: [paid] }, OVER, settled],
    ['never paid', { deposit: 'unpaid' }, BEFORE, { kind: 'lapsed' }],
    ['closed', { deposit: 'closed' }, BEFORE, { kind: 'closed' }],
  ];
  for (const [what, changes, now, expected] of cases)
    test(what, () => assert.deepEqual(summary(recordWith({ card, ...changes }), now).state, expected));

  test('every registration has a state and an offer that adds up, whatever happened', () => {
    const property = fc.property(anyRecord, anyMoment, (record, now) => {
      const { state, card: shown, offer } = summary(record, now);
      if ('cents' in state && state.kind !== 'cancelled') assert.ok(state.cents > 0);
      if (['settled', 'cancelling', 'cancelled'].includes(state.kind)) assert.equal(shown, undefined);
      const sum = offer?.lines.reduce((total, { cents }) => total + cents, 0) ?? 0;
      assert.equal(sum, offer?.cents ?? 0);
      assert.ok(sum >= 0);
      const listed = stateOf(record, now);
      const isDone = ['cancelled', 'refund-pending', 'refund-failed', 'refunded', 'nothing-back'].includes(
        listed,
      );
      assert.equal(state.kind === 'cancelled', isDone);
      for (const kind of ['begun', 'lapsed', 'closed', 'held', 'settled', 'cancelling'])
        assert.equal(state.kind === kind, listed === kind, kind);
    });
    fc.assert(property, { numRuns: 1_000 });
  });
});

describe('her payment plan', () => {
  const later = new Date('2026-01-10T17:00:00-08:00');
  const parts = [
    { number: 4, cents: 30_000, dueAt: BEFORE },
    { number: 5, cents: 25_000, dueAt: DUE },
    { number: 6, cents: 15_000, dueAt: later },
  ];
  const plan = { ...act, parts };
  const planAgreed = { at: plan.at, by: 'the registrant', parts };
  const first = { id: 'pi_4', number: 4, cents: 31_125, beforeFeeCents: 30_000 };
  const withPlan = ({ decisions, ...changes }: Changes = {}) =>
    agreed({ decisions: { plan, planAgreed, ...decisions }, ...changes });
  const firstPaid = { balances: [balance({ ...first, status: 'paid', paidAt: BEFORE })] };
  const toldOf = (part: number, dueAt: Date, cents: number) => ({
    ...told(dueAt),
    cents,
    number: part,
  });
  const firstDeclined = {
    notices: [toldOf(4, BEFORE, 31_125), toldOf(5, DUE, 25_938)],
    balances: [balance({ ...first, tries: 1, decline: decline({ at: BEFORE, final: true }) })] as const,
  };
  const statesOf = (record: ReturnType<typeof withPlan>, now: Date) =>
    summary(record, now).plan?.parts.map(({ state }) => state);

  test('each part with its place, its sums and its date; their card fees add up', () => {
    const { plan: shown } = summary(withPlan(), BEGUN);
    assert.deepEqual(shown, {
      parts: [
        { position: 1, count: 3, cents: 31_125, beforeFeeCents: 30_000, dueAt: BEFORE, state: 'next' },
        { position: 2, count: 3, cents: 25_938, beforeFeeCents: 25_000, dueAt: DUE, state: 'later' },
        { position: 3, count: 3, cents: 15_562, beforeFeeCents: 15_000, dueAt: later, state: 'later' },
      ],
      agreedOn: plan.at,
      isPaused: false,
      decidedAt: plan.at,
    });
    assert.equal(summary(agreed(), BEFORE).plan, undefined);
  });

  test('which part is paid, which one is next, and which one she has missed', () => {
    const after = new Date(BEFORE.getTime() + DAY_MS);
    assert.deepEqual(statesOf(withPlan(firstPaid), after), ['paid', 'next', 'later']);
    assert.deepEqual(statesOf(withPlan(firstDeclined), after), ['open', 'next', 'later']);
    assert.deepEqual(statesOf(withPlan({ notices: [toldOf(4, BEFORE, 31_125)] }), BEFORE), [
      'next',
      'later',
      'later',
    ]);
    const byCheck = withPlan(withCheck(30_000, BEGUN));
    assert.deepEqual(statesOf(byCheck, BEFORE), ['paid', 'next', 'later']);
    assert.equal(summary(byCheck, BEFORE).plan?.parts.at(0)?.cents, 30_000);
  });

  test('a plan to which she has not agreed as it is now is asked of her', () => {
    const sooner = parts.map((part) => ({ ...part, dueAt: new Date(part.dueAt.getTime() - DAY_MS) }));
    const at = new Date(plan.at.getTime() + 1);
    const changed = withPlan({ decisions: { plan: { ...plan, at, parts: sooner } } });
    assert.equal(summary(changed, BEGUN).plan?.agreedOn, undefined);
    assert.equal(summary(changed, BEGUN).state.kind, 'to-pay');
    const handedOver = {
      at: BEFORE,
      firstName: 'Fred',
      lastName: 'Y',
      email: 'fred@example.org',
      phoneNumber: '',
      linksEpoch: 0,
      of: planAgreed.at,
    };
    assert.equal(summary(withPlan({ handedOver }), BEFORE).plan?.agreedOn, undefined, 'somebody else had');
    const on = new Date('2025-11-30T00:00:00-08:00');
    const spoken = withPlan({ decisions: { planAgreed: { ...planAgreed, how: 'phone', on } } });
    assert.deepEqual(summary(spoken, BEGUN).plan?.agreedOn, on, 'the office recorded it');
  });

  test('while it is paused, no day is promised', () => {
    const paused = withPlan({ ...firstPaid, decisions: { plan: { ...plan, paused: true } } });
    for (const now of [BEFORE, AFTER]) {
      assert.deepEqual(summary(paused, now).state, { kind: 'to-pay', cents: 25_938 });
      assert.deepEqual(statesOf(paused, now), ['paid', 'next', 'later']);
    }
  });

  test('the next part is what is charged, and what she pays; once the retreat is over, all that is left', () => {
    const next = { kind: 'charged-later', cents: 25_938, dueAt: DUE, wasPostponed: false } as const;
    assert.deepEqual(summary(withPlan(firstPaid), BEFORE).state, next);
    assert.deepEqual(summary(withPlan(firstPaid), OVER).state, { kind: 'over', cents: 25_938 + 15_562 });
    assert.equal(summary(withPlan(firstPaid), OVER).plan, undefined);
  });
});

test('the card while something is to be charged, and whether it is valid until then', () => {
  const cardOf = (changes: Changes = {}, now = BEFORE) => summary(agreed(changes), now).card;
  const { brand, last4, expMonth, expYear } = card;
  assert.deepEqual(cardOf(), { brand, last4, expMonth, expYear, expired: false, expiresBeforeDue: false });
  const old = { card: { ...card, expMonth: 11, expYear: 2025 } };
  assert.equal(cardOf(old)?.expiresBeforeDue, true);
  assert.equal(cardOf({ card: { ...card, expMonth: 12, expYear: 2025 } })?.expiresBeforeDue, false);
  const lastZone = new Date('2025-12-01T12:00:00Z');
  assert.equal(
    cardOf(old, new Date(lastZone.getTime() - 1))?.expired,
    false,
    'in one zone it is still November',
  );
  assert.equal(cardOf(old, lastZone)?.expired, true);
  assert.equal(cardOf({}, OVER), undefined);
  assert.equal(cardOf({ balances: [balance({ status: 'paid', paidAt: AFTER })] }, AFTER), undefined);
});

describe('what comes back if she cancels now', () => {
  const paid = balance({ status: 'paid', paidAt: DUE, paidWith: { brand: 'visa', last4: '4242' } });
  const offerOf = (changes: Changes, now: Date) => summary(recordWith(changes), now).offer;

  test('is nothing before the balance is paid, and after a check the sum of the check', () => {
    const deposit = {
      of: 'deposit',
      words: 'deposit',
      why: 'not refunded',
      keptCents: 72_100,
      paidCents: 72_100,
    };
    assert.deepEqual(offerOf({}, BEGUN), { cents: 0, checkCents: 0, lines: [{ ...deposit, cents: 0 }] });
    const { cents, checkCents } = offerOf(withCheck(70_000, DUE), LAST) ?? {};
    assert.deepEqual([cents, checkCents], [70_000, 70_000]);
  });

  test('is the card fee, too, where the terms of her edition give it back', () => {
    const { facts } = edition;
    const generous = { ...edition, facts: { ...facts, balance: { ...facts.balance, feeRefundable: true } } };
    assert.equal(offerOf({ balances: [paid], edition: generous }, LAST)?.cents, 72_625);
    assert.equal(offerOf({ balances: [paid], edition: generous }, new Date(LAST.getTime() + 1))?.cents, 0);
  });

  test('is not offered once she has cancelled, during a dispute, or after the retreat', () => {
    const cancel = { at: DUE, by: 'Anna', writtenAt: DUE };
    assert.ok(offerOf({ balances: [paid] }, new Date(OVER.getTime() - 1)));
    assert.equal(offerOf({ balances: [paid] }, OVER), undefined);
    assert.equal(offerOf({ balances: [paid], disputed: true }, LAST), undefined);
    assert.equal(offerOf({ balances: [paid], decisions: { cancel } }, LAST), undefined);
  });
});

describe('her cancellation', () => {
  const paid = balance({ status: 'paid', paidAt: DUE, paidWith: { brand: 'visa', last4: '4242' } });
  const stateNow = (changes: Changes, now: Date) => summary(recordWith(changes), now).state;
  const at = new Date(LAST.getTime() - HOUR_MS);
  const cancel = { at, by: HERSELF, writtenAt: at, onPage: true } as const;
  const until = new Date(at.getTime() + 24 * HOUR_MS);

  test('she can undo it for 24 hours, but not once the retreat is over', () => {
    const undoAt = (now: Date, decided = cancel) => {
      const state = stateNow({ balances: [paid], decisions: { cancel: decided } }, now);
      assert.ok(state?.kind === 'cancelling');
      assert.deepEqual(state.cancelled, { at: decided.at, onPage: true });
      assert.equal(state.refund.cents, decided.at <= LAST ? 70_000 : 0);
      return state.undoUntil;
    };
    assert.deepEqual(undoAt(at), until);
    assert.deepEqual(undoAt(new Date(until.getTime() - 1)), until);
    assert.equal(undoAt(until), undefined);
    const late = new Date(OVER.getTime() - HOUR_MS);
    assert.deepEqual(undoAt(late, { ...cancel, at: late, writtenAt: late }), OVER);
  });

  test('a charge that raced with it is refunded in full', () => {
    const raced = { ...paid, paidAt: new Date(cancel.writtenAt.getTime() + 1) };
    const state = stateNow({ balances: [raced], decisions: { cancel } }, LAST);
    assert.ok(state?.kind === 'cancelling');
    assert.equal(state.refund.cents, 72_625);
    assert.ok(state.refund.lines.slice(1).every(({ afterCancelling }) => afterCancelling));
  });
});
