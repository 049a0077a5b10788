import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import {
  addressDigest,
  chargeObstacle,
  chargeStop,
  installmentsOf,
  isNoticed,
  lastTakenBack,
  nextInstallment,
  owedByCheck,
  owesNothing,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { withLedger } from '#server/testing/ledger-of-record.ts';
import { letterContext } from '#server/testing/sample-letters.ts';
import { samplePeople } from '#server/testing/sample-people.ts';
import { assertSaid } from '#server/testing/test-letters.ts';
import {
  anyMoment,
  anyRecord,
  BEGUN,
  balance,
  type Changes,
  card,
  endedLetter,
  recordWith,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { formatCents } from '#shared/money.ts';
import { allAnnounced } from './announcements.ts';
import { placeLinkLetter } from './holder-letters.ts';
import type { Mail } from './letter-kind.ts';
import { owedWords } from './money.ts';
import { type LetterName, lettersDue, lettersNow, REGISTRATION_LETTERS, traitOf } from './table.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const days = (date: Date, count: number) => new Date(date.getTime() + count * DAY_MS);
const before = (date: Date) => new Date(date.getTime() - 1);
const CHARGE = new Date(edition.facts.balance.chargeAt);
const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);
const ENDS = new Date(edition.facts.endsAt);
const NEXT_DAY = days(NOTICE, 1);
const DAY_AFTER = days(CHARGE, 1);
const AT_THE_END = days(ENDS, -2);
/** The last moment to notify her three days before the charge, five minutes for sending included. */
const inTime = new Date(days(CHARGE, -3).getTime() - 5 * 60 * 1000 - 1);

const agreement = { version: edition.terms.version, digest: edition.terms.digest, agreedAt: BEGUN };
/** It will have expired when she is charged. */
const expiring = { card: { ...card, expMonth: 11, expYear: 2025 } };
const given = { ...card, id: 'pm_2', since: days(NOTICE, -5) };
const cardSince = { card: { ...card, id: 'pm_2', since: days(CHARGE, 0.5) } };
const by = { at: BEGUN, by: 'Anna' };
const to = addressDigest('wilma@example.org');
const noticed = { at: NOTICE, dueAt: CHARGE, cents: 72_625, to };
const told = (changes: object = {}) => ({ notices: [{ ...noticed, ...changes }] });
const waived = (cents: number, at = BEGUN) => ({ decisions: { waived: { at, by: 'Anna', cents } } });
const postponed = { ...by, until: days(CHARGE, 15) };
const moved = { decisions: { postponed } };
const movedTold = { ...moved, ...told({ at: NEXT_DAY, dueAt: postponed.until }) };
const undone = { decisions: { withdrawn: [{ kind: 'cancel' as const, at: NEXT_DAY, by: 'Anna' }] } };
const paying = { atStripe: { id: 'pi_1', until: new Date(CHARGE.getTime() + 30 * 60 * 1000) } };
const late = { begunAt: days(CHARGE, -2), paidAt: days(CHARGE, -2) };
const lateDue = days(late.paidAt, 7);
const lateTold = told({ at: days(lateDue, -3.9), dueAt: lateDue });
/** The balance after a try of her card. */
const declined = (number = 1, changes: object = {}) => {
  const decline = { at: CHARGE, code: 'insufficient_funds', card: 'pm_1', step: number, ...changes };
  return balance({ tries: number, decline: { try: number, ...decline } });
};
const retried = { balances: [declined(1, { next: DAY_AFTER })] };
const refused = { balances: [declined()] };
const paid = balance({ status: 'paid', tries: 1, paidAt: CHARGE });

/** How she differs from the usual one, who agreed to the terms and paid with a card that stays valid. */
type Otherwise = Changes & { without?: 'agreement' | 'card' };

/** Which letters are due for a registration at a moment. */
const cases: [why: string, changes: Otherwise, now: Date, ...due: LetterName[]][] = [
  ['the notice is ahead', {}, before(NOTICE)],
  ['its moment has come', {}, NOTICE, 'balance-notice'],
  ['she can still be notified in time', {}, inTime, 'balance-notice'],
  ['a mail server might take it too late', {}, new Date(inTime.getTime() + 1)],
  ['a notice would come too late, and the balance is not due yet', {}, before(CHARGE)],
  ['no notice went out in time', {}, CHARGE, 'please-pay'],
  ['she was notified', told(), NEXT_DAY],
  ['she was notified of a smaller sum', told({ cents: 72_624 }), NEXT_DAY, 'balance-notice'],
  ['she was notified of a larger sum', { ...told(), ...waived(100, days(NOTICE, -20)) }, NEXT_DAY],
  ['she was notified at another address', told({ to: addressDigest('x@y.z') }), NEXT_DAY, 'balance-notice'],
  ['she paid late: the notice is due at once', late, late.paidAt, 'balance-notice'],
  ['no reminder follows within a day', { ...late, ...lateTold }, days(lateDue, -2)],
  ['the reminder’s moment has come', told(), REMINDER, 'balance-reminder'],
  ['until she is charged', told(), before(CHARGE), 'balance-reminder'],
  ['she is charged', told(), CHARGE],
  ['there was no notice, so there is no reminder', {}, REMINDER],
  ['a check has come', withCheck(30_000, BEGUN), BEGUN, 'payment-received'],
  [
    'a check has come, and she had the receipt of everything before another one bounced',
    {
      ...withCheck(30_000, BEGUN),
      endedLetters: [{ kind: 'balance-paid', version: '', state: 'sent', at: BEGUN }],
    },
    BEGUN,
  ],
  ['it was postponed', moved, BEGUN, 'balance-notice'],
  ['the new date is as near as the usual notice', moved, days(postponed.until, -8), 'balance-notice'],
  ['it was postponed after she was notified', { ...told(), ...moved }, REMINDER, 'balance-notice'],
  ['she was notified of the new date', movedTold, REMINDER],
  ['the new date is near', movedTold, days(postponed.until, -3), 'balance-reminder'],
  ['she was not notified of the new date', moved, postponed.until, 'please-pay'],
  ['her card is valid on the due day', { card: { ...card, expMonth: 12, expYear: 2025 } }, BEGUN],
  ['the due day has passed', { ...told(), ...expiring }, CHARGE],
  ['she gave another card', { givenCard: given, card: given }, given.since, 'card-on-file'],
  ['the card that she gave was detached', { givenCard: given, without: 'card' }, given.since],
  ['she gave it three days ago', { givenCard: given }, days(given.since, 3)],
  ['she gave it and paid in full', { givenCard: given, balances: [paid] }, given.since, 'balance-paid'],
  ['she did not consent, and it is early', { without: 'agreement' }, before(NOTICE)],
  ['she did not consent', { without: 'agreement' }, NOTICE, 'please-pay'],
  ['Stripe has no card of hers', { without: 'card' }, NOTICE, 'please-pay'],
  ['it would be due after the retreat', { paidAt: AT_THE_END }, AT_THE_END, 'please-pay'],
  ['she is paying', paying, CHARGE],
  ['she was paying half an hour ago', paying, DAY_AFTER, 'please-pay'],
  ['she pays by check', { decisions: { check: by } }, CHARGE],
  ['her card was refused', { ...told(), ...retried }, CHARGE, 'balance-failed'],
  ['it was detached since', { ...told(), ...retried, without: 'card' }, CHARGE, 'please-pay'],
  ['it is about to be retried', { ...told(), ...retried }, DAY_AFTER],
  ['her card is not retried', { ...told(), ...refused }, DAY_AFTER, 'balance-failed'],
  ['she gave another card since', { ...told(), ...refused, ...cardSince }, DAY_AFTER],
  ['a try is in progress', { ...told(), balances: [{ ...declined(), tries: 2 }] }, CHARGE],
  ['she is paying the balance that failed', { ...told(), ...refused, ...paying }, CHARGE],
  ['her address was corrected after it', { ...told({ to: 'another' }), ...retried }, CHARGE, 'please-pay'],
  ['it is paid', { ...told(), balances: [paid] }, CHARGE, 'balance-paid'],
  ['and she disputes the charge', { ...told(), balances: [paid], disputed: true }, CHARGE, 'balance-paid'],
  ['the check has come', withCheck(70_000, BEGUN), days(BEGUN, 1), 'balance-paid'],
  ['all of it is waived', waived(70_000), NOTICE, 'tuition-reduced'],
  ['she cancelled', { decisions: { cancel: { ...by, writtenAt: BEGUN } } }, NOTICE, 'cancel-received'],
  ['she undid it', { ...told(), ...undone }, days(NOTICE, 2), 'balance-notice', 'cancel-undone'],
  ['she disputes a charge', { disputed: true }, NOTICE],
  ['the deposit is not paid', { deposit: 'unpaid', depositCents: 0 }, NOTICE],
  ['the retreat is over', {}, ENDS],
];

function recordOf({ without, ...changes }: Otherwise = {}): RegistrationRecord {
  const record = recordWith({ agreement, card, customerId: 'cus_1', ...changes });
  if (!without) return record;
  delete record[without];
  return withLedger(record);
}

const kindsDue = (record: RegistrationRecord, now: Date) => lettersDue(record, now).map(({ kind }) => kind);

/** A registration once letters were sent, as the mail worker records it. */
function sent(record: RegistrationRecord, letters: readonly Mail[], at: Date): RegistrationRecord {
  const ended = letters.map((letter) => endedLetter(letter, at));
  const since = ended.flatMap(({ notice }) => (notice ? [{ at, ...notice }] : []));
  const others = record.notices.filter((one) => !since.some(({ number }) => number === one.number));
  return { ...record, endedLetters: [...record.endedLetters, ...ended], notices: [...others, ...since] };
}

function only(kind: LetterName, changes: Otherwise, now: Date): Mail {
  return lettersNow(kind, recordOf(changes), now)[0] ?? assert.fail(`${kind} is not true`);
}

describe('the letters about the balance', () => {
  for (const [why, changes, now, ...due] of cases) {
    test(`${due.join(', ') || 'none'}: ${why}`, () => {
      const record = recordOf(changes);
      const letters = lettersDue(record, now);
      assert.deepEqual(kindsDue(record, now), due);
      assert.deepEqual(kindsDue(sent(record, letters, now), now), [], 'sent');
      const dismissed = letters.map((letter) => endedLetter(letter, now, 'dismissed'));
      const endedLetters = [...record.endedLetters, ...dismissed];
      assert.deepEqual(kindsDue({ ...record, endedLetters }, now), [], 'dismissed');
    });
  }

  test('a corrected address gets them all again', () => {
    for (const [why, changes, now, ...due] of cases.filter(([, , , kind]) => kind)) {
      const registrant = { ...recordOf().registrant, email: 'right@example.org' };
      const corrected = sent(recordOf({ ...changes, registrant }), lettersDue(recordOf(changes), now), now);
      // Nothing is charged without a notice to the right address.
      const isOfCharge = due.some((kind) => kind === 'balance-reminder' || kind === 'balance-failed');
      const isAsked = isOfCharge && chargeStop(corrected, now) === 'no-notice';
      assert.deepEqual(kindsDue(corrected, now), isOfCharge ? (isAsked ? ['please-pay'] : []) : due, why);
    }
  });

  const final = { at: days(CHARGE, 4), code: 'expired_card' };
  const next = { at: DAY_AFTER, next: days(CHARGE, 4) };
  const other = { step: 1, at: days(CHARGE, 6.1), card: 'pm_2' };
  for (const [kind, what, ...states] of [
    [
      'balance-notice',
      'of a date that is valid again after another one',
      [0, {}, NOTICE],
      [1, told({ at: NEXT_DAY, dueAt: postponed.until }), NEXT_DAY],
    ],
    ['please-pay', 'at a date of which she was not notified', [0, {}, CHARGE], [1, moved, postponed.until]],
    [
      'balance-paid',
      'for a second check',
      [0, withCheck(70_000, BEGUN), NOTICE],
      [1, withCheck(70_000, days(BEGUN, 9)), NOTICE],
    ],
    [
      'balance-failed',
      'after the first and the last decline of a card, and for her next card',
      [0, { ...told(), ...retried }, days(CHARGE, 0.1)],
      [0, { ...told(), balances: [declined(2, next)] }, days(CHARGE, 2)],
      [2, { ...told(), balances: [declined(3, final)] }, days(CHARGE, 5)],
      [3, { ...told(), balances: [declined(4, other)], ...cardSince }, days(CHARGE, 7)],
    ],
  ] satisfies [LetterName, string, ...[sameAs: number, Otherwise, Date][]][])
    test(`${kind} is another letter ${what}`, () => {
      const ids = states.map(([, changes, now]) => only(kind, changes, now).id);
      assert.deepEqual(
        ids.map((id) => ids.indexOf(id)),
        states.map(([sameAs]) => sameAs),
      );
    });

  test('a notice for which the card will have expired says so', () => {
    assertSaid(only('balance-notice', expiring, NOTICE), ['Your card will no longer be valid by then']);
  });

  test('the receipt lists both payments and what was waived', () => {
    const visa = { brand: 'visa', last4: '4242' };
    const rest = { ...paid, cents: 51_875, beforeFeeCents: 50_000, paidWith: visa };
    const depositCard = { brand: 'amex', last4: '0005' };
    const receipt = only('balance-paid', { depositCard, ...waived(20_000), balances: [rest] }, CHARGE);
    assertSaid(receipt, ['$721', 'ending in 0005', '$518.75', 'ending in 4242', '$200', '$1,239.75']);
  });

  test('the letter with the link to her page exists once the deposit is paid, anew for each request', () => {
    const [one, other] = ['2025-12-10-1', '2025-12-10-2'].map((on) => placeLinkLetter(recordOf(), on));
    assert.ok(one && other && one.id !== other.id);
    assert.equal(placeLinkLetter(recordOf({ deposit: 'unpaid' }), '2025-12-10-1'), undefined);
  });
});

const { 'is charged soon': soon, ...others } = samplePeople();
const usual = soon?.record ?? assert.fail();
const people = Object.values(others);

/** What has happened to one registration, and to another. */
function mixed(one: RegistrationRecord, other: RegistrationRecord): RegistrationRecord {
  const own = Object.entries(other).filter(
    ([name, value]) => !isDeepStrictEqual(value, Reflect.get(usual, name)),
  );
  const withdrawn = [...one.decisions.withdrawn, ...other.decisions.withdrawn];
  const decisions = { ...one.decisions, ...other.decisions, withdrawn };
  return withLedger({ ...one, ...Object.fromEntries(own), decisions });
}

/** Marks at any moments, or what has happened to up to three sample people. */
const anyone = fc.oneof(
  fc.tuple(
    anyRecord.map((record) => withLedger({ ...record, agreement, card })),
    anyMoment,
  ),
  fc
    .tuple(fc.array(fc.constantFrom(...people), { minLength: 1, maxLength: 3 }), fc.option(anyMoment))
    .map(([some, at]) => {
      const record = some.map((one) => one.record).reduce(mixed, usual);
      return [record, at ?? some.at(-1)?.now ?? BEGUN] as const;
    }),
);

/** The letters that announce a charge, or ask for something because of the balance. */
const ASKING = 'balance-notice balance-reminder balance-postponed please-pay balance-failed'.split(' ');
const isAsking = (kind: string) => ASKING.includes(kind);
const standings: readonly string[] = ['cancel-received', 'cancel-undone', 'cancelled'];
const noneOfCancelled: readonly string[] = [
  'balance-paid',
  ...REGISTRATION_LETTERS.filter((name) => traitOf(name, 'toAll') && name !== 'questions'),
];

/** The part of her plan that a letter names; else what she has to pay next. */
function namedIn(letter: Mail, record: RegistrationRecord) {
  const subject = letter.write(letterContext).subject.toLowerCase();
  const named = installmentsOf(record).find((one) => subject.includes(owedWords(one)));
  return named ?? nextInstallment(record);
}

describe('in whatever state a registration is', () => {
  const examples = people.map(({ record, now }): [[RegistrationRecord, Date]] => [[record, now]]);
  const property = (check: (record: RegistrationRecord, now: Date) => void) =>
    fc.assert(
      fc.property(anyone, ([record, now]) => check(record, now)),
      { numRuns: 700, examples },
    );

  test('who paid, cancelled or disputes a charge is not asked to pay; one letter says how she cancels', () => {
    const seen = new Set<string>();
    property((record, now) => {
      const kinds = lettersDue(record, now, allAnnounced(record.edition, now)).map(({ kind }) => kind);
      const some = (are: (kind: string) => boolean) => kinds.some(are);
      for (const kind of kinds) seen.add(kind);
      if (owesNothing(record) || record.disputed) assert.ok(!some(isAsking), kinds.join());
      if (kinds.includes('balance-paid')) assert.ok(owesNothing(record));
      if (record.decisions.cancel || record.cancelled)
        assert.ok(!some((kind) => noneOfCancelled.includes(kind) || kind.endsWith('undone')), kinds.join());
      assert.ok(kinds.filter((kind) => standings.includes(kind)).length <= 1, kinds.join());
      if (kinds.includes('refund-failed')) assert.ok(owedByCheck(record) > 0);
      if (kinds.includes('cancelled')) assert.notEqual(record.cancelled?.refund, 'failed');
      if (record.forgottenAt) assert.deepEqual(kinds, []);
    });
    for (const kind of REGISTRATION_LETTERS) assert.ok(seen.has(kind), kind);
  });

  test('what is asked for is left to pay, and charged after a notice only', () => {
    property((record, now) => {
      const takenBackAt = lastTakenBack(record);
      const isAhead = [takenBackAt, record.corrections.email?.at].some((at) => at && at >= now);
      for (const letter of lettersDue(record, now)) {
        if (!isAsking(letter.kind)) continue;
        const one = namedIn(letter, record);
        const { left, dueAt, number } = one;
        const words = JSON.stringify(letter.write(letterContext));
        assert.ok(words.includes(formatCents(left.byCardCents)), letter.kind);
        assert.ok(now < ENDS, letter.kind);
        const { notice } = letter;
        if (notice) {
          assert.deepEqual({ number, dueAt, cents: left.byCardCents, to: notice.to }, notice);
          assert.ok(dueAt > now);
        }
        if (isAhead) continue;
        const after = sent(record, [letter], now);
        const then = installmentsOf(after).find((part) => part.number === number);
        if (notice) assert.ok(then && isNoticed(after, then), letter.kind);
        if (notice) assert.equal(chargeObstacle(after, dueAt, then), undefined);
        if (letter.kind === 'please-pay') assert.notEqual(chargeStop(after, now, then), undefined);
      }
    });
  });
});
