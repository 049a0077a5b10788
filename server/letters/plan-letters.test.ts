import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter } from '#scripts/world/letters.ts';
import {
  addressDigest,
  type KeptMailKind,
  type MailOf,
  mailJobId,
  type RegistrationMail,
} from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import type { Decision } from '#server/registration/decisions.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { assertNotSaid, assertSaid } from '#server/testing/test-letters.ts';
import {
  BEGUN,
  balance,
  type Changes,
  card,
  checkOf,
  recordWith,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { isBalanceAhead } from './balance-letters.ts';
import { lettersDue, lettersNow } from './table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const days = (date: Date, count: number) => new Date(date.getTime() + count * DAY_MS);
const CHARGE = new Date(edition.facts.balance.chargeAt);
/** The dates of its three parts. */
const DATES = [CHARGE, days(CHARGE, 10), days(CHARGE, 20)] as const;
const MADE = days(BEGUN, 2);
const AGREED = days(BEGUN, 3);

const agreement = { version: edition.terms.version, digest: edition.terms.digest, agreedAt: BEGUN };
const to = addressDigest('wilma@example.org');
const parts = DATES.map((dueAt, index) => ({
  number: index + 1,
  cents: [25_000, 25_000, 20_000][index] ?? 0,
  dueAt,
}));
const plan: Decision<'plan'> = { at: MADE, by: 'Anna', parts };
const planAgreed: Decision<'planAgreed'> = { at: AGREED, by: HERSELF };
/** Who had the place before. */
const BEFORE = { firstName: 'Jane', lastName: '', email: 'jane@example.org', phoneNumber: '', linksEpoch: 0 };
const cancel = { at: AGREED, by: HERSELF, writtenAt: AGREED };

/** The payment of a part. */
const paid = (part: number, at: Date) =>
  balance({
    id: `pi_part_${part}`,
    number: part,
    status: 'paid',
    tries: 1,
    paidAt: at,
    paidWith: card,
    ...(part < 3 ? { cents: 25_938, beforeFeeCents: 25_000 } : { cents: 20_750, beforeFeeCents: 20_000 }),
  });
const noticed = (part: number, at: Date) => ({
  at,
  number: part,
  to,
  dueAt: DATES[part - 1] ?? CHARGE,
  cents: 25_938,
});

/** Somebody with a plan, as her registration is read. */
function planned(changes: Changes = {}): RegistrationRecord {
  const { decisions, ...others } = changes;
  return recordWith({ agreement, card, ...others, decisions: { plan, ...decisions } });
}
const agreed = (changes: Changes = {}) =>
  planned({ ...changes, decisions: { planAgreed, ...changes.decisions } });

const kindsDue = (record: RegistrationRecord, now: Date) => lettersDue(record, now).map(({ kind }) => kind);

function sent(record: RegistrationRecord, letters: readonly RegistrationMail[], at: Date) {
  const ended = letters.map((one) => endedLetter(one, 'sent', at));
  return { ...record, endedLetters: [...record.endedLetters, ...ended] };
}

function only<Kind extends KeptMailKind>(kind: Kind, record: RegistrationRecord, now: Date): MailOf<Kind> {
  const [first, ...others] = lettersDue(record, now).filter((one) => one.kind === kind);
  assert.ok(
    first && others.length === 0,
    `${kind} is due ${others.length + Number(first !== undefined)} times`,
  );
  const [found] = lettersNow(kind, record, now).filter((one) => mailJobId(one) === mailJobId(first));
  assert.ok(found);
  return found;
}

describe('the letter about a payment plan', () => {
  const toldOf = (record: RegistrationRecord, now: Date) =>
    lettersNow('payment-plan', record, now).map(({ standing, next }) => [standing, next.way])[0];

  test('is owed for two weeks, as the plan stands', () => {
    const now = days(AGREED, 1);
    const ended = { withdrawn: [{ kind: 'plan' as const, at: AGREED, by: 'Anna' }] };
    const since = { ...plan, at: days(AGREED, 0.5) };
    const moved = (count: number) => ({
      decisions: {
        plan: { ...since, parts: parts.map((one) => ({ ...one, dueAt: days(one.dueAt, count) })) },
      },
    });
    assert.deepEqual(toldOf(planned(), now), ['to-agree', 'charged']);
    assert.deepEqual(toldOf(agreed(), now), ['agreed', 'charged']);
    assert.deepEqual(toldOf(agreed(moved(3)), now), ['agreed', 'charged']);
    assert.deepEqual(toldOf(agreed(moved(-3)), now), ['to-agree', 'charged']);
    const paused = { plan: { ...since, paused: true as const } };
    assert.deepEqual(toldOf(agreed({ decisions: paused }), now), ['paused', 'paused']);
    const { plan: _, ...without } = agreed().decisions;
    const after = { ...agreed(), decisions: { ...without, ...ended } };
    assert.deepEqual(toldOf(after, now), ['ended', 'charged']);
    assert.equal(toldOf(planned(), days(MADE, 14)), undefined);
    assert.equal(toldOf(after, days(AGREED, 14)), undefined);
  });

  test('says who is asked to pay although she agrees', () => {
    const { card: _, ...withoutCard } = planned();
    assert.deepEqual(toldOf(withoutCard, MADE), ['to-agree', 'asked']);
    const late = days(CHARGE, -2);
    const recent = { plan: { ...plan, at: late }, planAgreed: { ...planAgreed, at: late } };
    assert.deepEqual(toldOf(planned({ decisions: recent }), late), ['agreed', 'announced-too-late']);
  });

  test('is not owed without a place, once she has cancelled, when all is paid, or while she pays by check', () => {
    const now = days(AGREED, 1);
    for (const changes of [
      { decisions: { cancel } },
      { deposit: 'unpaid' as const },
      { disputed: true },
      { decisions: { check: { at: AGREED, by: 'Anna' } } },
      { balances: [1, 2, 3].map((part) => paid(part, AGREED)) },
      withCheck(70_000, BEGUN),
    ])
      assert.equal(toldOf(planned(changes), now), undefined, JSON.stringify(changes));
  });

  test('is another letter once it has changed, and the earlier one is then not true any more', () => {
    const first = only('payment-plan', planned(), MADE);
    const second = only('payment-plan', sent(agreed(), [first], MADE), AGREED);
    const changed = { ...plan, at: days(AGREED, 1) };
    const third = only(
      'payment-plan',
      sent(agreed({ decisions: { plan: changed } }), [first, second], AGREED),
      changed.at,
    );
    assert.equal(new Set([first, second, third].map(mailJobId)).size, 3);
    assert.deepEqual([second.isChanged, third.isChanged], [undefined, true]);
    const all = sent(agreed({ decisions: { plan: changed } }), [first, second, third], changed.at);
    assert.deepEqual(kindsDue(all, days(changed.at, 1)), []);
  });

  test('asks who has the place now, whatever was agreed before', () => {
    const at = days(AGREED, 1);
    const handedOver = { handedOver: { at, of: at, ...BEFORE } };
    const asked = only('payment-plan', agreed(handedOver), days(at, 1));
    assert.deepEqual(
      [asked.standing, asked.at, asked.herAgreement],
      ['to-agree', at.toISOString(), undefined],
    );
  });

  test('lists each part with its date and both sums, and what is paid', () => {
    const job = only('payment-plan', planned({ balances: [paid(1, AGREED)] }), AGREED);
    assertSaid(job, [
      '$259.38, paid on December 4, 2025',
      'December 31, 2025: $259.37 by card, or $250 by check',
      'January 10, 2026: $207.50 by card, or $200 by check',
      '$466.87 by card, the 3.75% fee included, or $450 by check',
      'Nothing is charged to your card',
      'We will e-mail you to ask for part 2 of 3 of your payment plan',
    ]);
  });

  test('confirms how she agreed, and what comes next', () => {
    assertSaid(letter('payment-plan', 'agreed'), [
      'You agreed to this on your own page on Friday, December 5, 2025',
      'Part 1 of 3 of your payment plan, $259.38, is charged to your card on December 21, 2025.',
    ]);
    assertSaid(letter('payment-plan', 'agreed-on-the-phone'), [
      'you agreed to this on the phone on December 5, 2025',
    ]);
    assertNotSaid(letter('payment-plan', 'agreed'), /on the phone on|Please agree/);
    assertSaid(letter('payment-plan', 'agreed-too-late-for-a-notice'), [
      'please pay it on your own page by December 21',
    ]);
  });

  test('while it is paused, names no date and announces no charge', () => {
    const job = letter('payment-plan', 'paused');
    assertSaid(job, ['is paused', 'The office will write to you before anything is charged again']);
    assertNotSaid(job, /January|is charged to your card/);
  });

  test('once it has ended, says what is due and when', () => {
    assertSaid(letter('payment-plan', 'ended'), [
      '$700 less $250 that has come',
      '$466.87 by card, the 3.75% fee included, or $450 by check',
      'January 4, 2026',
    ]);
  });
});

describe('the receipt of a part', () => {
  const now = days(CHARGE, 11);

  test('is owed for each part that is paid, also where a later one was known first', () => {
    const second = agreed({ balances: [paid(2, DATES[1])] });
    const known = only('part-paid', second, now);
    assert.deepEqual(known.payment.part, { number: 2, position: 2, count: 3 });
    const both = agreed({ balances: [paid(1, DATES[0]), paid(2, DATES[1])] });
    const first = only('part-paid', sent(both, [known], now), now);
    assert.equal(first.payment.reference, 'pi_part_1');
    assert.ok(!kindsDue(sent(both, [known, first], now), now).includes('part-paid'));
    assert.equal(lettersDue(both, now).filter(({ kind }) => kind === 'part-paid').length, 2);
  });

  test('is the one of everything once nothing is left, which names each part', () => {
    const all = agreed({ balances: [1, 2, 3].map((part) => paid(part, DATES[part - 1] ?? CHARGE)) });
    assert.deepEqual(kindsDue(all, days(CHARGE, 21)), ['balance-paid']);
    const job = only('balance-paid', all, days(CHARGE, 21));
    assertSaid(job, [
      'Your payment plan is complete',
      'The balance, part 1 of 3',
      'The balance, part 3 of 3',
      '$207.50',
    ]);
    // What is left came by check.
    const byCheck = agreed({ balances: [paid(1, CHARGE)], ...withCheck(45_000, now) });
    assert.deepEqual(kindsDue(byCheck, now), ['balance-paid']);
    assertSaid(only('balance-paid', byCheck, now), ['The balance, part 1 of 3', 'Paid by check']);
  });

  test('is not owed to somebody who has cancelled, nor to who got the place since', () => {
    const balances = [paid(1, CHARGE)];
    assert.ok(!kindsDue(agreed({ balances, decisions: { cancel } }), now).includes('part-paid'));
    const at = days(CHARGE, 1);
    const handedOver = { handedOver: { at, of: at, ...BEFORE } };
    assert.ok(!kindsDue(agreed({ balances, ...handedOver }), now).includes('part-paid'));
  });

  test('tells the sum, the card, which part it is, and what is next', () => {
    const job = only('part-paid', agreed({ balances: [paid(1, CHARGE)] }), days(CHARGE, 1));
    assertSaid(job, [
      'Part 1 of 3 of your payment plan for The Doorway Retreat has arrived',
      '$250',
      '$9.38',
      '$259.38 (US dollars)',
      'Visa ending in 4242',
      'December 21, 2025',
      'pi_part_1',
      '$466.87 by card, the 3.75% fee included, or $450 by check',
      'Part 2 of 3 of your payment plan, $259.37, is charged to your card on December 31, 2025',
    ]);
    const unagreed = only('part-paid', planned({ balances: [paid(1, CHARGE)] }), days(CHARGE, 1));
    assertSaid(unagreed, [
      'is not charged automatically: please pay it on your own page by December 31, 2025',
    ]);
  });
});

describe('the letters about the balance, for a part of it', () => {
  const noticeOf = (changes: Changes, now: Date) =>
    lettersDue(agreed(changes), now).flatMap((one) =>
      one.kind === 'payment-plan' ? [] : [`${one.kind} ${'part' in one ? one.part?.position : ''}`],
    );

  test('are owed for each part, at its own date', () => {
    const told = { notices: [noticed(1, days(CHARGE, -20))] };
    assert.deepEqual(noticeOf(told, days(CHARGE, -5)), []);
    assert.deepEqual(noticeOf(told, days(CHARGE, -1)), ['balance-notice 2', 'balance-reminder 1']);
  });

  test('she who has not agreed is asked for a part once the one before is paid, by check as by card', () => {
    const asked = (changes: Changes) =>
      lettersDue(planned(changes), days(CHARGE, -1)).flatMap((one) =>
        one.kind === 'please-pay' ? [one.part?.position] : [],
      );
    assert.deepEqual(asked({}), [1]);
    assert.deepEqual(asked(withCheck(25_000, days(CHARGE, -5))), [2]);
  });

  test('a notice goes out although the whole balance was once postponed', () => {
    const postponed = { at: BEGUN, by: 'Anna', until: days(CHARGE, 5) };
    assert.deepEqual(noticeOf({ decisions: { postponed } }, days(CHARGE, -10)), ['balance-notice 1']);
  });

  test('a part that failed is told, and the others are not touched', () => {
    const final = {
      try: 1,
      at: CHARGE,
      code: 'insufficient_funds',
      card: 'pm_1',
      step: 1,
      final: true as const,
    };
    const { final: _, ...decline } = { ...final, next: days(CHARGE, 1) };
    const { paidAt: __, ...open } = paid(1, CHARGE);
    const failed = { ...open, status: 'open' as const, tries: 1, decline };
    const notices = [1, 2, 3].map((part) => noticed(part, days(CHARGE, -20)));
    assert.deepEqual(noticeOf({ balances: [failed], notices }, CHARGE), ['balance-failed 1']);
    // A card that is refused for good is not tried with the next part.
    const refused = agreed({ balances: [{ ...failed, decline: final }], notices });
    const [first, second, ...none] = lettersNow('balance-failed', refused, DATES[1]);
    assert.deepEqual([first?.part?.position, first?.isUntried], [1, undefined]);
    assert.deepEqual([second?.part?.position, second?.isUntried, none], [2, true, []]);
  });

  test('who has not agreed is asked to agree or to pay, and once more to pay when it is too late to charge her', () => {
    const asked = only('please-pay', planned(), days(CHARGE, -10));
    assert.deepEqual([asked.isToAgree, asked.part?.position], [true, 1]);
    const late = { ...planAgreed, at: days(CHARGE, -1) };
    const again = only(
      'please-pay',
      sent(agreed({ decisions: { planAgreed: late } }), [asked], days(CHARGE, -10)),
      CHARGE,
    );
    assert.equal(again.isToAgree, undefined);
    assert.notEqual(mailJobId(asked), mailJobId(again));
  });

  test('who has not agreed is asked for one part after the other, a day after the letter about the plan at the earliest', () => {
    const at = days(CHARGE, -5);
    const made = planned({ decisions: { plan: { ...plan, at } } });
    const asked = (now: Date) => lettersNow('please-pay', made, now).map(({ part }) => part?.position);
    assert.deepEqual(asked(days(CHARGE, -4.5)), []);
    assert.deepEqual(asked(days(CHARGE, -4)), [1]);
    assert.deepEqual(asked(days(CHARGE, -0.5)), [1]);
    assert.deepEqual(asked(CHARGE), [1, 2]);
  });

  for (const [kind, says] of [
    [
      'balance-notice',
      ['Part 2 of 3 of your payment plan is charged on December 21', 'This is about part 2 of 3'],
    ],
    ['balance-reminder', ['we charge part 2 of 3 of your payment plan']],
    ['card-expires', ['Your card expires before part 2 of 3 of your payment plan is charged']],
    ['please-pay', ['Please pay part 2 of 3 of your payment plan', '$250, no card fee']],
    [
      'balance-failed',
      ['Part 2 of 3 of your payment plan could not be charged', 'The other parts keep their dates.'],
    ],
  ] as const)
    test(`name it in place of the balance: ${kind}`, () => {
      const job = letter(kind, 'of-a-part');
      assertSaid(job, [...says, '$259.37']);
      assertNotSaid(job, /your balance|The balance is|we offer payment plans|for a payment plan/);
    });

  test('ask for an agreement or the part, and tell what cancelling brings back', () => {
    assertSaid(letter('please-pay', 'of-a-plan-to-agree-to'), [
      'Please agree to your payment plan, or pay part 2 of 3',
      'You have not agreed to it yet, so nothing is charged to your card.',
      'What is paid of the balance comes back, without its card fee, if you cancel by the end of December 21',
    ]);
    assertSaid({ ...letter('balance-notice', 'of-a-part'), isRefundable: false }, [
      'no further part is charged. For the parts that are paid, there are no refunds',
    ]);
  });

  test('a part with which a refused card was not tried says so', () => {
    const job = letter('balance-failed', 'of-a-part-after-another-one');
    assertSaid(job, [
      'was permanently declined before, so we have not tried it again.',
      '$259.37 is still due',
    ]);
    assertNotSaid(job, /We tried/);
  });

  test('a check says what is left of the next part, and when that is due', () => {
    const record = agreed({ received: { counting: [checkOf(30_000, MADE)], takenBack: [] } });
    const job = only('payment-received', record, days(MADE, 1));
    assertSaid(job, [
      '$700 less $300 that has come',
      'Part 2 of 3 of your plan',
      '$200',
      'December 31, 2025',
    ]);
  });

  test('the welcome says nothing of a charge of the whole balance', () => {
    assert.equal(isBalanceAhead(agreed(), days(MADE, 3)), false);
  });
});
