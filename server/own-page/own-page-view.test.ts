import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Decline } from '#server/registration/balance.ts';
import { addressDigest } from '#server/registration/seal.ts';
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
import type { OwnPageStanding } from '#shared/content/own-page-view.ts';
import { maskPhone, standingOf, viewOf } from './own-page-view.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

const { facts, terms, timetable } = edition;
const DUE = new Date(facts.balance.chargeAt);
const OVER = new Date(facts.endsAt);
const BEFORE = new Date('2025-12-15T10:00:00-08:00');
const AFTER = new Date(DUE.getTime() + HOUR_MS);
const CENTS = facts.prices.balanceCents;
const before = (moment: Date) => new Date(moment.getTime() - 1);

const act = { at: BEFORE, by: 'Anna' };
const agreement = { version: terms.version, digest: terms.digest, agreedAt: BEGUN };
const told = (dueAt = DUE) => ({
  at: new Date(dueAt.getTime() - 11 * DAY_MS),
  dueAt,
  cents: CENTS,
  to: addressDigest('wilma@example.org'),
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

const view = (record = agreed(), now = BEFORE, beside: object = {}) =>
  viewOf(record, now, {
    mayAct: true,
    token: 'token',
    secondFactor: 'phone',
    letters: [],
    ...beside,
  });

test('what the office noted is nowhere on her page', () => {
  const notes = [{ id: 'note', number: 1, ...act, text: 'Comes by train', callBack: true } as const];
  assert.deepEqual(view(agreed({ notes })), view());
});

describe('while letters to her bounce', () => {
  const to = addressDigest('wilma@example.org');
  const bounced = { at: BEFORE, to };

  test('her page says so, and nothing is charged automatically', () => {
    const shown = view(agreed({ bounced }));
    assert.equal(shown.unreachable, true);
    assert.deepEqual(shown.standing, { kind: 'to-pay', cents: CENTS, payBy: DUE });
  });

  test('her page ignores a bounce from another address, and a resolved one', () => {
    const others = [{ to: addressDigest('old@example.org') }, { over: BEFORE }] as const;
    for (const change of others) {
      const shown = view(agreed({ bounced: { ...bounced, ...change } }));
      assert.deepEqual([shown.unreachable, shown.standing.kind], [false, 'charged-later']);
    }
  });
});

describe('how her balance stands', () => {
  const nextAt = new Date(DUE.getTime() + DAY_MS);
  const charged = { kind: 'charged-later', cents: CENTS, dueAt: DUE, wasPostponed: false } as const;
  const charging = { kind: 'being-charged', cents: CENTS } as const;
  const toPay = { kind: 'to-pay', cents: CENTS, payBy: DUE } as const;
  const settled = { kind: 'settled' } as const;
  const notified = { agreement, notices: [told()] };
  const payingSince = (since: Date) => ({ ...notified, payingBegunAt: since });
  const declined = (changes: Partial<Decline>) => ({
    ...notified,
    balances: [balance({ tries: 1, decline: decline(changes) })],
  });
  const check = { ...act, cents: 70_000 };
  const paid = balance({ status: 'paid', paidAt: AFTER });
  const cases: readonly [string, Changes, Date, OwnPageStanding][] = [
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
      { ...notified, balances: [balance({ tries: 1 })], payingBegunAt: AFTER },
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
  ];
  for (const [what, changes, now, expected] of cases)
    test(what, () => assert.deepEqual(standingOf(recordWith({ card, ...changes }), now), expected));

  test('every paid registration has a status, whatever happened', () => {
    const property = fc.property(anyRecord, anyMoment, (record, now) => {
      const { standing, card: shown } = view({ ...record, deposit: 'paid' }, now);
      if ('cents' in standing && standing.kind !== 'cancelled') assert.ok(standing.cents > 0);
      if (['settled', 'cancelling', 'cancelled'].includes(standing.kind)) assert.equal(shown, undefined);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  test('an unpaid one has no page', () => {
    assert.throws(() => standingOf(recordWith({ deposit: 'unpaid' }), BEFORE), RangeError);
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
    view(record, now).plan?.parts.map(({ state }) => state);

  test('each part with its place, its sums and its date; their card fees add up', () => {
    const { plan: shown } = view(withPlan(), BEGUN);
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
    assert.equal(view().plan, undefined);
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
    assert.equal(view(byCheck).plan?.parts.at(0)?.cents, 30_000);
  });

  test('when another card would be charged, where her card was refused for good', () => {
    const newCardAt = (changes: Changes, now: Date) => {
      const standing = standingOf(withPlan(changes), now);
      assert.ok(standing.kind === 'action-needed');
      return standing.newCard;
    };
    const after = new Date(BEFORE.getTime() + DAY_MS);
    assert.equal(newCardAt(firstDeclined, after), 'at-once');
    // Another card has paid the first part on her page; the one on file was refused for good, and the second is not due.
    const { balances, notices } = firstDeclined;
    const [refused] = balances;
    const paidOtherwise = { ...refused, status: 'paid' as const, paidAt: after };
    assert.equal(newCardAt({ balances: [paidOtherwise], notices }, after), 'when-due');
    const spent = { ...refused, tries: 12, decline: decline({ at: BEFORE, try: 12, final: true }) };
    assert.equal(newCardAt({ ...firstDeclined, balances: [spent] }, after), undefined);
  });

  test('her payment of a part is named by it, also once all is paid', () => {
    const named = (record: ReturnType<typeof withPlan>) =>
      view(record, AFTER).payments.map(({ part }) => part?.position);
    assert.deepEqual(named(withPlan(firstPaid)), [undefined, 1]);
    const waived = { ...firstPaid, decisions: { waived: { ...act, cents: 40_000 } } };
    assert.deepEqual(named(withPlan(waived)), [undefined, 1]);
    assert.deepEqual(standingOf(withPlan(waived), AFTER), { kind: 'settled' });
    assert.equal(view(withPlan(waived), AFTER).plan, undefined);
  });

  test('a plan to which she has not agreed as it is now is asked of her', () => {
    const sooner = parts.map((part) => ({ ...part, dueAt: new Date(part.dueAt.getTime() - DAY_MS) }));
    const at = new Date(plan.at.getTime() + 1);
    const changed = withPlan({ decisions: { plan: { ...plan, at, parts: sooner } } });
    assert.equal(view(changed, BEGUN).plan?.agreedOn, undefined);
    assert.equal(standingOf(changed, BEGUN).kind, 'to-pay');
    const handedOver = {
      at: BEFORE,
      firstName: 'Fred',
      lastName: 'Y',
      email: 'fred@example.org',
      phoneNumber: '',
      linksEpoch: 0,
      of: planAgreed.at,
    };
    assert.equal(view(withPlan({ handedOver }), BEFORE).plan?.agreedOn, undefined, 'somebody else had');
    const on = new Date('2025-11-30T00:00:00-08:00');
    const spoken = withPlan({ decisions: { planAgreed: { ...planAgreed, how: 'phone', on } } });
    assert.deepEqual(view(spoken, BEGUN).plan?.agreedOn, on, 'the office recorded it');
  });

  test('while it is paused, no day is promised', () => {
    const paused = withPlan({ ...firstPaid, decisions: { plan: { ...plan, paused: true } } });
    for (const now of [BEFORE, AFTER]) {
      assert.deepEqual(standingOf(paused, now), { kind: 'to-pay', cents: 25_938 });
      assert.deepEqual(statesOf(paused, now), ['paid', 'next', 'later']);
    }
  });

  test('the next part is what is charged, and what she pays; once the retreat is over, all that is left', () => {
    const next = { kind: 'charged-later', cents: 25_938, dueAt: DUE, wasPostponed: false } as const;
    assert.deepEqual(standingOf(withPlan(firstPaid), BEFORE), next);
    assert.deepEqual(standingOf(withPlan(firstPaid), OVER), { kind: 'over', cents: 25_938 + 15_562 });
    assert.equal(view(withPlan(firstPaid), OVER).plan, undefined);
  });
});

describe('what else her page shows', () => {
  test('each payment with its fee, and each refund', () => {
    const paid = balance({ status: 'paid', paidAt: AFTER });
    const { payments, repayments } = view(
      agreed({ balances: [paid], refunds: [refund({ cents: 5_000 })] }),
      AFTER,
    );
    assert.deepEqual(payments, [
      { what: 'deposit', by: 'card', cents: 72_100, feeCents: 2_600, paidAt: BEGUN, reference: 'pi_1' },
      { what: 'balance', by: 'card', cents: 72_625, feeCents: 2_625, paidAt: AFTER, reference: 'pi_2' },
    ]);
    assert.deepEqual(repayments, [{ cents: 5_000, by: 'card', at: BEGUN, pending: false }]);
    assert.deepEqual(view(agreed(withCheck(70_000, AFTER)), AFTER).payments.at(1), {
      what: 'balance',
      by: 'check',
      cents: 70_000,
      feeCents: 0,
      paidAt: AFTER,
    });
  });

  test('the card while something is to be charged, and whether it is valid until then', () => {
    const { brand, last4, expMonth, expYear } = card;
    const shown = { brand, last4, expMonth, expYear };
    assert.deepEqual(view().card, { ...shown, expired: false, expiresBeforeDue: false });
    const old = { ...card, expMonth: 11, expYear: 2025 };
    assert.equal(view(agreed({ card: old })).card?.expiresBeforeDue, true);
    const expiredAt = (now: Date) => view(agreed({ card: old }), now).card?.expired;
    const lastZone = new Date('2025-12-01T12:00:00Z');
    assert.equal(expiredAt(new Date(lastZone.getTime() - 1)), false, 'in one zone it is still November');
    assert.equal(expiredAt(lastZone), true);
    assert.equal(
      view(agreed({ card: { ...card, expMonth: 12, expYear: 2025 } })).card?.expiresBeforeDue,
      false,
    );
    assert.equal(view(agreed(), OVER).card, undefined);
    assert.equal(
      view(agreed({ balances: [balance({ status: 'paid', paidAt: AFTER })] }), AFTER).card,
      undefined,
    );
  });

  test('the permanent address of the terms that she agreed to', () => {
    assert.equal(view().termsPath, `/terms/${facts.id}-${terms.version}`);
    assert.equal(view(recordWith()).termsPath, undefined);
    assert.equal(view(agreed({ agreement: { ...agreement, version: 'unknown' } })).termsPath, undefined);
  });

  describe('the way into the room', () => {
    const url = 'https://video.example/room';
    const settled = agreed({ balances: [balance({ status: 'paid', paidAt: DUE })] });
    const roomAt = (now: Date, record = settled) =>
      view(record, now, { announced: { room: { ...act, url } } }).room;
    const { letters, testSession } = timetable;
    const [first] = letters.wayIn;

    test('to the retreat, if nothing is left to pay: from its first letter until the retreat is over', () => {
      const opens = new Date(first?.at ?? '');
      assert.equal(roomAt(before(opens)), undefined);
      assert.deepEqual(roomAt(opens), { openFor: 'retreat', url });
      assert.deepEqual(roomAt(before(OVER)), { openFor: 'retreat', url });
      assert.equal(roomAt(OVER), undefined);
      assert.equal(roomAt(opens, agreed()), undefined);
      assert.deepEqual(view(settled, opens).room, { openFor: 'retreat' }, 'its address is not known');
    });

    test('to the test session, for everybody with a place: from its letter until the session has ended', () => {
      const [opens, ends] = [new Date(letters.testSession), new Date(testSession.endsAt)];
      const cancel = { at: DUE, by: 'Anna', writtenAt: DUE };
      for (const record of [settled, agreed(), agreed({ disputed: true })]) {
        assert.equal(roomAt(before(opens), record), undefined);
        assert.deepEqual(roomAt(opens, record), { openFor: 'test-session', url });
        assert.deepEqual(roomAt(before(ends), record), { openFor: 'test-session', url });
        assert.equal(roomAt(ends, record), undefined);
      }
      assert.equal(roomAt(opens, agreed({ decisions: { cancel } })), undefined);
    });
  });
});

test('a masked number shows no digit of its last seven, nor of its extension', () => {
  assert.equal(maskPhone('+1 (555) 555-0142'), '+1 (555) •••-••••');
  assert.equal(maskPhone('+971 4 555 0142 ext. 77'), '+971 4 ••• •••• ext. ••');
  assert.equal(maskPhone('555 0142 x1234'), '••• •••• x••••');
});
