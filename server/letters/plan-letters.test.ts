import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  addressDigest,
  type Decision,
  HERSELF,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { letterContext } from '#server/testing/sample-letters.ts';
import { assertNotSaid, assertSaid } from '#server/testing/test-letters.ts';
import {
  BEGUN,
  balance,
  type Changes,
  card,
  endedLetter,
  recordWith,
  type Tried,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import type { Mail } from './letter-kind.ts';
import { type LetterName, lettersDue, lettersNow } from './table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const days = (date: Date, count: number) => new Date(date.getTime() + count * DAY_MS);
const CHARGE = new Date(edition.facts.balance.chargeAt);
/** The dates of its three parts. */
const DATES = [CHARGE, days(CHARGE, 10), days(CHARGE, 20)] as const;
const MADE = days(BEGUN, 2);
const AGREED = days(BEGUN, 3);

const agreement = { version: edition.terms.version, digest: edition.terms.digest, agreedAt: BEGUN };
const parts = DATES.map((dueAt, index) => ({ number: index + 1, cents: index < 2 ? 25_000 : 20_000, dueAt }));
const plan: Decision<'plan'> = { at: MADE, by: 'Anna', parts };
const planAgreed: Decision<'planAgreed'> = { at: AGREED, by: HERSELF };
const cancel = { at: AGREED, by: HERSELF, writtenAt: AGREED };
const jane = { firstName: 'Jane', lastName: '', email: 'jane@example.org', phoneNumber: '', linksEpoch: 0 };
/** Somebody else had the place until then. */
const handedOver = (at: Date): Changes => ({ handedOver: { ...jane, at, of: at } });

/** The payment of a part. */
const paid = (part: number, at: Date, changes: Partial<Tried> = {}) =>
  balance({
    id: `pi_part_${part}`,
    number: part,
    status: 'paid',
    tries: 1,
    paidAt: at,
    paidWith: card,
    ...(part < 3 ? { cents: 25_938, beforeFeeCents: 25_000 } : { cents: 20_750, beforeFeeCents: 20_000 }),
    ...changes,
  });
const allPaid = DATES.map((at, index) => paid(index + 1, at));
const notices = parts.map(({ number, dueAt }) => ({
  ...{ number, dueAt, at: days(CHARGE, -20), cents: 25_938 },
  to: addressDigest('wilma@example.org'),
}));
const noticed = { notices: notices.slice(0, 1) };

/** Somebody with a plan, as her registration is read. */
const planned = ({ decisions, ...others }: Changes = {}): RegistrationRecord =>
  recordWith({ agreement, card, ...others, decisions: { plan, ...decisions } });
const agreed = (changes: Changes = {}) =>
  planned({ ...changes, decisions: { planAgreed, ...changes.decisions } });

const due = (kind: LetterName, record: RegistrationRecord, now: Date) =>
  lettersDue(record, now).filter((letter) => letter.kind === kind);
const subjectOf = (letter: Mail) => letter.write(letterContext).subject;

function sent(record: RegistrationRecord, letters: readonly Mail[], at: Date): RegistrationRecord {
  const ended = letters.map((one) => endedLetter(one, at));
  return { ...record, endedLetters: [...record.endedLetters, ...ended] };
}

function only(kind: LetterName, record: RegistrationRecord, now: Date): Mail {
  const [first, ...others] = due(kind, record, now);
  assert.ok(first && others.length === 0, `${kind} is due ${others.length + (first ? 1 : 0)} times`);
  return first;
}

describe('the letter about a payment plan', () => {
  const now = days(AGREED, 1);
  const since = { ...plan, at: days(AGREED, 0.5) };
  const moved = (count: number) => ({
    plan: { ...since, parts: parts.map((one) => ({ ...one, dueAt: days(one.dueAt, count) })) },
  });
  const ended = recordWith({
    ...{ agreement, card },
    decisions: { withdrawn: [{ kind: 'plan', at: AGREED, by: 'Anna' }] },
  });

  for (const [why, record, at, standing] of [
    ['it was made', planned(), now, 'waits for you to agree'],
    ['she has agreed', agreed(), now, 'is agreed'],
    ['it asks for nothing sooner than she agreed to', agreed({ decisions: moved(3) }), now, 'has changed'],
    ['it asks for something sooner', agreed({ decisions: moved(-3) }), now, 'waits for you to agree'],
    ['somebody else had agreed to it', agreed(handedOver(since.at)), now, 'waits for you to agree'],
    ['it is paused', agreed({ decisions: { plan: { ...since, paused: true } } }), now, 'is paused'],
    ['it has ended', ended, now, 'has ended'],
    ['it was made two weeks ago', planned(), days(MADE, 14), undefined],
    ['it ended two weeks ago', ended, days(AGREED, 14), undefined],
    ['she has cancelled', planned({ decisions: { cancel } }), now, undefined],
    ['she has no place', planned({ deposit: 'unpaid' }), now, undefined],
    ['she disputes a charge', planned({ disputed: true }), now, undefined],
    ['she pays by check', planned({ decisions: { check: { at: AGREED, by: 'Anna' } } }), now, undefined],
    ['all parts are paid', planned({ balances: allPaid }), now, undefined],
    ['a check has paid it', planned(withCheck(70_000, BEGUN)), now, undefined],
  ] as const)
    test(`${standing ?? 'is not owed'}: ${why}`, () => {
      const [letter] = lettersNow('payment-plan', record, at);
      const { title } = edition.facts;
      assert.equal(letter && subjectOf(letter), standing && `Your payment plan ${standing}: ${title}`);
    });

  test('is another letter once it has changed, and the earlier one is then not true any more', () => {
    const first = only('payment-plan', planned(), MADE);
    const second = only('payment-plan', sent(agreed(), [first], MADE), AGREED);
    const changed = agreed({ decisions: { plan: since } });
    const third = only('payment-plan', sent(changed, [first, second], AGREED), since.at);
    assert.equal(new Set([first.id, second.id, third.id]).size, 3);
    assert.deepEqual(lettersDue(sent(changed, [first, second, third], since.at), now), []);
  });
});

describe('the receipt of a part', () => {
  const now = days(CHARGE, 11);

  test('is owed for each part that is paid, also where a later one was known first', () => {
    const known = only('payment-received', agreed({ balances: [paid(2, DATES[1])] }), now);
    assert.match(subjectOf(known), /Part 2 of 3/);
    const both = agreed({ balances: [paid(1, DATES[0]), paid(2, DATES[1])] });
    assert.equal(due('payment-received', both, now).length, 2);
    const first = only('payment-received', sent(both, [known], now), now);
    assert.match(subjectOf(first), /Part 1 of 3/);
    assert.deepEqual(due('payment-received', sent(both, [known, first], now), now), []);
  });

  test('is the one of everything once nothing is left, which names each part', () => {
    const receiptOf = (record: RegistrationRecord, at: Date) => {
      const [receipt, ...others] = lettersDue(record, at);
      assert.ok(receipt?.kind === 'balance-paid' && others.length === 0);
      return receipt;
    };
    const receipt = receiptOf(agreed({ balances: allPaid }), days(CHARGE, 21));
    assertSaid(receipt, ['Your payment plan is complete', 'Part 1 of 3', 'Part 3 of 3', '$207.50']);
    const restByCheck = agreed({ balances: [paid(1, CHARGE)], ...withCheck(45_000, now) });
    assertSaid(receiptOf(restByCheck, now), ['Part 1 of 3', 'by check']);
  });

  test('is not owed to somebody who has cancelled, nor to who got the place since', () => {
    const balances = [paid(1, CHARGE)];
    assert.deepEqual(due('payment-received', agreed({ balances, decisions: { cancel } }), now), []);
    assert.deepEqual(due('payment-received', agreed({ balances, ...handedOver(days(CHARGE, 1)) }), now), []);
  });
});

describe('the letters about the balance, for a part of it', () => {
  const decline = { try: 1, at: CHARGE, code: 'insufficient_funds', card: 'pm_1', step: 1 };
  const { paidAt: _, ...open } = paid(1, CHARGE, { status: 'open' });
  const failed = { balances: [{ ...open, decline: { ...decline, next: days(CHARGE, 1) } }] };
  const refused = { balances: [{ ...open, decline: { ...decline, final: true as const } }] };
  const postponed = { at: BEGUN, by: 'Anna', until: days(CHARGE, 5) };
  const checked = withCheck(25_000, days(CHARGE, -5));
  const made = planned({ decisions: { plan: { ...plan, at: days(CHARGE, -5) } } });

  for (const [why, record, after, ...letters] of [
    ['she was notified of the first', agreed(noticed), -5],
    ['the second is near', agreed(noticed), -1, 'balance-notice 2', 'balance-reminder 1'],
    ['all was once postponed', agreed({ decisions: { postponed } }), -10, 'balance-notice 1'],
    ['one failed, and the others are not touched', agreed({ ...failed, notices }), 0, 'balance-failed 1'],
    ['nothing is announced for a refused card', agreed({ ...refused, ...noticed }), 1, 'balance-failed 1'],
    ['a card is refused', agreed({ ...refused, notices }), 10, 'balance-failed 1', 'balance-failed 2'],
    ['she has not agreed', planned(), -1, 'please-pay 1'],
    ['a check has paid the first', planned(checked), -1, 'payment-received 2', 'please-pay 2'],
    ['the letter about the plan is not a day old', made, -4.5],
    ['it is a day old', made, -4, 'please-pay 1'],
    ['the first is not due yet', made, -0.5, 'please-pay 1'],
    ['the first is due', made, 0, 'please-pay 1', 'please-pay 2'],
  ] as const)
    test(`${letters.join(', ') || 'none'}: ${why}`, () => {
      const all = lettersDue(record, days(CHARGE, after)).filter(({ kind }) => kind !== 'payment-plan');
      const named = all.map((letter) => {
        const words = JSON.stringify(letter.write(letterContext));
        assert.doesNotMatch(words, /your balance|The balance is|we offer payment plans|for a payment plan/);
        return `${letter.kind} ${/part (\d) of 3/i.exec(words)?.[1]}`;
      });
      assert.deepEqual(named.sort(), [...letters].sort());
    });

  test('who has not agreed is asked to agree or pay, and again when it is too late to charge her', () => {
    const asked = only('please-pay', planned(), days(CHARGE, -10));
    assertSaid(asked, ['You have not agreed to your payment plan yet']);
    const late = agreed({ decisions: { planAgreed: { ...planAgreed, at: days(CHARGE, -1) } } });
    const again = only('please-pay', sent(late, [asked], days(CHARGE, -10)), CHARGE);
    assertNotSaid(again, /not agreed/);
  });

  test('a part with which a refused card was not tried says so', () => {
    const [first, second] = due('balance-failed', agreed({ ...refused, notices }), DATES[1]);
    assert.ok(first && second);
    assertNotSaid(first, /have not tried/);
    assertSaid(second, ['was permanently declined before, so we have not tried it again.']);
  });

  test('the paid parts do not come back once refunds have ended', () => {
    const later = only('balance-notice', agreed({ balances: [paid(1, CHARGE)] }), days(CHARGE, 2));
    assertSaid(later, ['no further part is charged. For the parts that are paid, there are no refunds']);
  });
});
