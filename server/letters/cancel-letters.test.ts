import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type KeptMailKind, type MailOf, mailJobId } from '#server/mail/job.ts';
import { endedLetter } from '#server/mail/letter-log.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import type { Decisions } from '#server/registration/decisions.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import {
  BEGUN,
  balance,
  type Changes,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { letterNow, lettersDue } from './table.ts';

const HOUR_MS = 60 * 60 * 1000;
const hours = (date: Date, count: number) => new Date(date.getTime() + count * HOUR_MS);
const before = (date: Date) => new Date(date.getTime() - 1);
const CHARGE = new Date(edition.facts.balance.chargeAt);
const LAST = before(new Date(edition.facts.balance.refundsEndAt));
const ENDS = new Date(edition.facts.endsAt);

const card = { brand: 'visa', last4: '4242' };
const paid = balance({ status: 'paid', tries: 1, paidAt: CHARGE, paidWith: card });
const cancel = { at: LAST, by: HERSELF, writtenAt: LAST, onPage: true } as const;
const { onPage: _, ...byPost } = { ...cancel, by: 'Anna' };
const workedOff = hours(LAST, 25.2);
const ownRefund = refund({ at: workedOff, orderedBy: actName('cancel', cancel) });
const undone = (by: string): Partial<Decisions> => ({ withdrawn: [{ kind: 'cancel', at: LAST, by }] });
const exception = { at: workedOff, by: 'Anna', cents: 80_000, reason: 'illness' };
const orderedBy = actName('refund', exception);
const exceptionMade = [
  refund({ id: 're_2', cents: 72_625, at: hours(workedOff, 1), orderedBy }),
  refund({ id: 're_3', of: 'deposit', cents: 7_375, at: hours(workedOff, 1), orderedBy }),
];
const check = withCheck(70_000, CHARGE);
const checkSent = { at: hours(workedOff, 9), by: 'Anna', cents: 70_000, sentAt: hours(workedOff, 8) };
const given = { at: workedOff, cents: 70_000, checkCents: 0 };
const changed = { was: 'old@example.org', at: LAST, by: HERSELF };
const asked = { to: 'new@example.org', at: LAST };

const onPage = { decisions: { cancel } };
const recorded = { decisions: { cancel: byPost } };
const refundRejected = [{ ...ownRefund, status: 'failed' as const }];
const rejected = { cancelled: { ...given, refund: 'failed' as const }, refunds: refundRejected };
const excepted = { decisions: { refund: exception } };
const undoneByHer = { decisions: undone(HERSELF) };
const moved = { corrections: { email: changed } };
const seen = { officeLinks: [{ at: LAST, by: 'Anna' }] };
const HOUR_LATER = hours(LAST, 1);
const MONTH_LATER = hours(LAST, 24 * 30);

/** Which letters are due for a registration whose balance is paid by card, at a moment. */
const cases: [why: string, changes: Changes, now: Date, ...due: KeptMailKind[]][] = [
  ['she cancelled on her page', onPage, LAST, 'cancel-received', 'office-cancel'],
  ['the office recorded what she wrote', recorded, LAST, 'cancel-received'],
  [
    'it is not carried out, because of a dispute',
    { ...onPage, disputed: true },
    hours(LAST, 99),
    'cancel-received',
    'office-cancel',
  ],
  [
    'it is carried out, and the mail server was away before',
    { ...onPage, cancelled: { ...given, refund: 'pending' }, refunds: [ownRefund] },
    workedOff,
    'office-cancel',
    'cancelled',
  ],
  ['nothing is refunded', { ...recorded, cancelled: { ...given, cents: 0 } }, workedOff, 'cancelled'],
  ['the refund is not known at Stripe yet', { ...recorded, cancelled: given }, workedOff],
  ['her bank rejected the refund', { ...recorded, ...rejected }, workedOff, 'refund-failed'],
  [
    'the office sent a check instead',
    { ...rejected, decisions: { cancel: byPost, checkSent } },
    checkSent.at,
    'refund-made',
  ],
  ['she undid it', undoneByHer, HOUR_LATER, 'balance-paid', 'cancel-undone', 'office-cancel-undone'],
  ['the office undid it', { decisions: undone('Anna') }, HOUR_LATER, 'balance-paid', 'cancel-undone'],
  ['she undid it weeks ago', undoneByHer, hours(LAST, 14 * 24 + 1), 'balance-paid'],
  ['she undid it, and the retreat is over', undoneByHer, ENDS, 'balance-paid'],
  ['an exceptional refund is decided, and not carried out', excepted, workedOff, 'balance-paid'],
  [
    'one half of the exceptional refund is carried out',
    { ...excepted, refunds: exceptionMade.slice(1) },
    workedOff,
    'balance-paid',
  ],
  [
    'all of the exceptional refund is carried out',
    { ...excepted, refunds: exceptionMade },
    workedOff,
    'balance-paid',
    'refund-made',
  ],
  [
    'her bank rejected one half of the exceptional refund',
    {
      ...excepted,
      refunds: exceptionMade.map((one, index) => ({ ...one, status: index ? 'failed' : 'succeeded' })),
    },
    workedOff,
    'balance-paid',
    'refund-failed',
  ],
  ['she asked for an address', { addressAsked: asked }, hours(LAST, 71), 'balance-paid', 'confirm-address'],
  ['she asked for an address three days ago', { addressAsked: asked }, hours(LAST, 72), 'balance-paid'],
  [
    'she asked for the address that she has',
    { addressAsked: { ...asked, to: 'Wilma@example.org' } },
    HOUR_LATER,
    'balance-paid',
  ],
  ['her address was changed', moved, before(MONTH_LATER), 'balance-paid', 'address-changed'],
  ['her address was changed a month ago', moved, MONTH_LATER, 'balance-paid'],
  ['the office took a link to her page', seen, before(MONTH_LATER), 'balance-paid', 'page-seen'],
  ['the office took a link to her page a month ago', seen, MONTH_LATER, 'balance-paid'],
  ['she was forgotten', { ...onPage, forgottenAt: LAST }, LAST],
];

const recordOf = (changes: Changes): RegistrationRecord =>
  recordWith({ balances: [paid], customerId: 'cus_1', ...changes });

function only<Kind extends KeptMailKind>(kind: Kind, changes: Changes, now: Date): MailOf<Kind> {
  const due = lettersDue(recordOf(changes), now);
  const letter = due.find((one): one is MailOf<Kind> => one.kind === kind);
  assert.ok(letter, `${kind} is not due`);
  return letter;
}

describe('the letters about cancelling, refunds and addresses', () => {
  for (const [why, changes, now, ...due] of cases) {
    test(`${due.join(', ') || 'none'}: ${why}`, () => {
      const kinds = lettersDue(recordOf(changes), now).map(({ kind }) => kind);
      assert.deepEqual(kinds, due);
    });
  }

  test('are sent once, and once more after another decision', () => {
    for (const [, changes, now] of cases) {
      const record = recordOf(changes);
      const due = lettersDue(record, now);
      const endedLetters = [...record.endedLetters, ...due.map((one) => endedLetter(one, 'sent', now))];
      assert.deepEqual(lettersDue({ ...record, endedLetters }, now), []);
    }
    const again = { ...cancel, at: hours(LAST, 3) };
    const kinds = ['cancel-received', 'office-cancel'] as const;
    const ids = [cancel, again].flatMap((one) =>
      kinds.map((kind) => mailJobId(only(kind, { decisions: { cancel: one } }, hours(LAST, 3)))),
    );
    assert.equal(new Set(ids).size, 4);
  });

  test('never offer to undo a cancellation that can no longer be undone', () => {
    const told = (now: Date, changes: Changes = {}) => {
      const { undoUntil, workedOffFrom } = only(
        'cancel-received',
        { decisions: { cancel }, ...changes },
        now,
      );
      return { undoUntil, workedOffFrom };
    };
    const undoUntil = hours(LAST, 24);
    const from = hours(LAST, 25).toISOString();
    assert.deepEqual(told(before(undoUntil)), { undoUntil: undoUntil.toISOString(), workedOffFrom: from });
    assert.deepEqual(told(undoUntil), { undoUntil: undefined, workedOffFrom: from });
    assert.deepEqual(told(hours(LAST, 25)), { undoUntil: undefined, workedOffFrom: undefined });
    const late = { ...cancel, at: hours(ENDS, -2) };
    assert.equal(told(hours(ENDS, -1), { decisions: { cancel: late } }).undoUntil, ENDS.toISOString());
    assert.equal(told(ENDS, { decisions: { cancel: late } }).undoUntil, undefined);
    const office = { decisions: { cancel }, cancelled: given };
    assert.equal(only('office-cancel', office, hours(LAST, 1)).undoUntil, undefined);
  });

  test('name the refund by the policy, to the cent, until the last millisecond of the last day', () => {
    const back = (changes: Changes, writtenAt = LAST) => {
      const decisions = { ...changes.decisions, cancel: { ...cancel, writtenAt } };
      const letter = only('cancel-received', { ...changes, decisions }, LAST);
      const { cardCents, checkCents } = letter;
      return [cardCents, checkCents, letter.card?.last4];
    };
    assert.deepEqual(back({}), [70_000, 0, '4242']);
    assert.deepEqual(back({}, hours(LAST, 1)), [0, 0, undefined]);
    assert.deepEqual(back({ balances: [balance({})] }), [0, 0, undefined]);
    assert.deepEqual(back({ balances: [balance({})], ...check }), [0, 70_000, undefined]);
    assert.deepEqual(back({ balances: [{ ...paid, paidAt: hours(LAST, 1) }] }), [72_625, 0, '4242']);
  });

  test('list the refund in lines that add up to it, or in no lines', () => {
    const cancelled = { ...given, refund: 'succeeded' as const };
    const usual = { decisions: { cancel }, cancelled, refunds: [ownRefund] };
    const { lines, ...letter } = only('cancelled', usual, workedOff);
    assert.deepEqual(
      lines.map(({ cents }) => cents),
      [0, 70_000, 0],
    );
    assert.deepEqual([letter.cardCents, letter.card], [70_000, card]);
    const since = refund({ id: 're_2', cents: 2_625, at: hours(workedOff, 9) });
    assert.deepEqual(only('cancelled', { ...usual, refunds: [ownRefund, since] }, workedOff).lines, lines);
    const unlike = { ...usual, cancelled: { ...cancelled, cents: 60_000 } };
    assert.deepEqual(only('cancelled', unlike, workedOff).lines, []);
  });

  test('report the later one of an exceptional refund and a check', () => {
    const both = { decisions: { refund: exception, checkSent }, refunds: exceptionMade };
    const { by, cents, card: to } = only('refund-made', both, checkSent.at);
    assert.deepEqual([by, cents, to], ['check', 70_000, undefined]);
    // A check is recorded with its day, which begins before an exceptional refund of that day.
    const sameDay = exceptionMade.map((one) => ({ ...one, at: hours(checkSent.at, -0.5) }));
    assert.equal(only('refund-made', { ...both, refunds: sameDay }, checkSent.at).by, 'check');
    const late = exceptionMade.map((one) => ({ ...one, at: hours(checkSent.at, 1) }));
    const after = only('refund-made', { ...both, refunds: late }, hours(checkSent.at, 1));
    // The deposit and the balance were not paid with the same card.
    assert.deepEqual([after.by, after.cents, after.card], ['card', 80_000, undefined]);
  });

  test('report what a second payment of the balance brought, and goes back by itself', () => {
    const second = { ...paid, id: 'pi_3', paidAt: hours(CHARGE, 1) };
    const back = refund({ payment: 'pi_3', cents: 72_625, orderedBy: 'ch_pi_3', at: hours(CHARGE, 2) });
    const twice = recordWith({ balances: [paid, second], refunds: [back] });
    const letter = letterNow('refund-made', twice, hours(CHARGE, 2));
    assert.deepEqual([letter?.by, letter?.cents], ['card', 72_625]);
  });

  test('name all refunds that her bank rejected', () => {
    const refunds = exceptionMade.map((one) => ({ ...one, status: 'failed' as const }));
    const letter = only('refund-failed', { decisions: { refund: exception }, refunds }, workedOff);
    assert.deepEqual([letter.cents, letter.refund], [80_000, 're_2 re_3']);
  });

  test('state how the balance stands after she undid her cancellation', () => {
    const stands = (changes: Changes) => {
      const decisions = { ...changes.decisions, ...undone(HERSELF) };
      const letter = letterNow('cancel-undone', recordWith({ ...changes, decisions }), LAST);
      return letter?.kind === 'cancel-undone' ? [letter.standing, letter.cents] : undefined;
    };
    assert.deepEqual(stands({}), ['owed', 72_625]);
    assert.deepEqual(stands({ balances: [paid] }), ['paid', 0]);
    const promised = { at: BEGUN, by: 'Anna', cents: 70_000 };
    assert.deepEqual(stands({ decisions: { check: promised } }), ['by-check', 72_625]);
    assert.deepEqual(stands({ decisions: { waived: { ...promised, cents: 20_000 } } }), ['owed', 51_875]);
    assert.deepEqual(stands({ refunds: [refund({ of: 'deposit', cents: 72_100 })] }), undefined);
  });

  test('of the links that the office took on one day there is one letter, and another one of the next day’s', () => {
    const taken = (...hoursAfter: number[]) => {
      const officeLinks = hoursAfter.map((after) => ({ at: hours(BEGUN, after), by: 'Anna' }));
      return mailJobId(only('page-seen', { officeLinks }, hours(BEGUN, 24)));
    };
    assert.equal(taken(0), taken(0, 1, 13));
    assert.notEqual(taken(0), taken(0, 14));
  });

  test('go to the requested address, and to the former one', () => {
    const told = (at: Date, was: string) => {
      const changes = { addressAsked: { ...asked, at }, corrections: { email: { ...changed, was } } };
      const kinds = ['confirm-address', 'address-changed'] as const;
      return kinds.map((kind) => only(kind, changes, HOUR_LATER));
    };
    const both = told(LAST, 'old@example.org');
    assert.deepEqual(
      both.map(({ to }) => to),
      ['new@example.org', 'old@example.org'],
    );
    const others = told(HOUR_LATER, 'older@example.org');
    assert.equal(new Set([...both, ...others].map(mailJobId)).size, 4);
  });
});
