import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HERSELF, linkDigest, refundAt } from '#server/registration/registration.ts';
import { actName } from '#server/testing/recorded-registrations.ts';
import { letter, letterContext } from '#server/testing/sample-letters.ts';
import { assertNotSaid, assertSaid } from '#server/testing/test-letters.ts';
import {
  balance,
  type Changes,
  endedLetter,
  recordWith,
  refund,
  withCheck,
} from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { composeMessage } from './compose-message.ts';
import { type LetterName, lettersDue, lettersNow } from './table.ts';

const HOUR_MS = 60 * 60 * 1000;
const hours = (date: Date, count: number) => new Date(date.getTime() + count * HOUR_MS);
const before = (date: Date) => new Date(date.getTime() - 1);
const { facts } = edition;
const [CHARGE, ENDS] = [new Date(facts.balance.chargeAt), new Date(facts.endsAt)];
const LAST = before(new Date(facts.balance.refundsEndAt));
const [LATER, MONTH] = [hours(LAST, 1), hours(LAST, 24 * 30)];
const DONE = hours(LAST, 25.2);

const visa = { brand: 'visa', last4: '4242' };
const paid = balance({ status: 'paid', tries: 1, paidAt: CHARGE, paidWith: visa });
const cancel = { at: LAST, by: HERSELF, writtenAt: LAST, onPage: true } as const;
const { onPage: _, ...byPost } = { ...cancel, by: 'Anna' };
const [onPage, recorded] = [{ decisions: { cancel } }, { decisions: { cancel: byPost } }];
const given = { at: DONE, cents: 70_000, checkCents: 0 };
const ownRefund = refund({ at: DONE, orderedBy: actName('cancel', cancel) });
const refused = <One extends object>(one: One) => ({ ...one, status: 'failed' as const });
const pending = { ...onPage, cancelled: { ...given, refund: 'pending' as const }, refunds: [ownRefund] };
const rejected = { cancelled: { ...given, refund: 'failed' as const }, refunds: [refused(ownRefund)] };
const checkSent = { at: hours(DONE, 9), by: 'Anna', cents: 70_000, sentAt: hours(DONE, 8) };
const byCheck = { ...rejected, decisions: { cancel: byPost, checkSent } };
const undone = (by: string): Changes => ({ decisions: { withdrawn: [{ kind: 'cancel', at: LAST, by }] } });
const exception = { at: DONE, by: 'Anna', cents: 80_000, reason: 'illness' };
const ordered = { at: hours(DONE, 1), orderedBy: actName('refund', exception) };
const half = refund({ id: 're_2', cents: 72_625, ...ordered });
const rest = refund({ id: 're_3', of: 'deposit', cents: 7_375, ...ordered });
const excepted = (...refunds: ReturnType<typeof refund>[]) => ({ decisions: { refund: exception }, refunds });
const asked = { to: 'new@example.org', at: LAST };
const former = { was: 'old@example.org', at: LAST, by: HERSELF };
const moved = { corrections: { email: former } };

/** Which letters are due, besides the receipt, for a registration whose balance is paid by card, at a moment. */
const cases: [why: string, changes: Changes, now: Date, ...due: LetterName[]][] = [
  ['she cancelled on her page', onPage, LAST, 'cancel-received', 'office-cancel'],
  ['the office recorded what she wrote', recorded, LAST, 'cancel-received'],
  ['there is a dispute', { ...onPage, disputed: true }, hours(LAST, 99), 'cancel-received', 'office-cancel'],
  ['it is carried out, and the mail server was away before', pending, DONE, 'office-cancel', 'cancelled'],
  ['nothing is refunded', { ...recorded, cancelled: { ...given, cents: 0 } }, DONE, 'cancelled'],
  ['the refund is not known at Stripe yet', { ...recorded, cancelled: given }, DONE],
  ['her bank rejected the refund', { ...recorded, ...rejected }, DONE, 'refund-failed'],
  ['the office sent a check instead', byCheck, checkSent.at, 'refund-made'],
  ['she undid it', undone(HERSELF), LATER, 'office-cancel', 'cancel-undone'],
  ['the office undid it', undone('Anna'), LATER, 'cancel-undone'],
  ['she undid it weeks ago', undone(HERSELF), hours(LAST, 14 * 24 + 1)],
  ['she undid it, and the retreat is over', undone(HERSELF), ENDS],
  ['an exceptional refund is decided, and not carried out', excepted(), DONE],
  ['one half of the exceptional refund is carried out', excepted(rest), DONE],
  ['all of the exceptional refund is carried out', excepted(half, rest), DONE, 'refund-made'],
  ['her bank rejected a half of it', excepted(half, refused(rest)), DONE, 'refund-failed'],
  ['she asked for an address', { addressAsked: asked }, hours(LAST, 71), 'confirm-address'],
  ['she asked for an address three days ago', { addressAsked: asked }, hours(LAST, 72)],
  ['she asked for the address that she has', { addressAsked: { ...asked, to: 'Wilma@example.org' } }, LATER],
  ['her address was changed', moved, before(MONTH), 'address-changed'],
  ['her address was changed a month ago', moved, MONTH],
  ['she was forgotten', { ...onPage, forgottenAt: LAST }, LAST],
];

const recordOf = (changes: Changes) => recordWith({ balances: [paid], customerId: 'cus_1', ...changes });
const all = (kind: LetterName, changes: Changes, now: Date) => lettersNow(kind, recordOf(changes), now);
const textsOf = (kind: LetterName, changes: Changes, now: Date) =>
  all(kind, changes, now).map((mail) => composeMessage(mail, letterContext).text);
/** The value in the first row with this label. */
const valueIn = (kind: LetterName, changes: Changes, now: Date, label: string) =>
  new RegExp(`^${label}: (.*)$`, 'm').exec(textsOf(kind, changes, now)[0] ?? '')?.[1];
const sumsOf = (kind: LetterName, changes: Changes, now: Date) =>
  textsOf(kind, changes, now).map((text) => /\$[\d,.]*\d/.exec(text)?.[0]);

describe('the letters about cancelling, refunds and addresses', () => {
  for (const [why, changes, now, ...due] of cases)
    test(`${due.join(', ') || 'none'}: ${why}`, () => {
      const record = recordOf(changes);
      const letters = lettersDue(record, now);
      const kinds = letters.map(({ kind }) => kind).filter((kind) => kind !== 'balance-paid');
      assert.deepEqual(kinds, due);
      const endedLetters = [...record.endedLetters, ...letters.map((one) => endedLetter(one, now))];
      assert.deepEqual(lettersDue({ ...record, endedLetters }, now), []);
    });

  test('are sent once more after another decision', () => {
    const again = hours(LAST, 3);
    const ids = [cancel, { ...cancel, at: again }].flatMap((one) =>
      lettersDue(recordOf({ decisions: { cancel: one } }), again).map(({ id }) => id),
    );
    assert.equal(new Set(ids).size, 4);
  });

  test('never offer to undo a cancellation that can no longer be undone', () => {
    const told = (now: Date, changes: Changes = onPage) => {
      const [text = ''] = textsOf('cancel-received', changes, now);
      return [/until (\w+day), /, /from December (\d+), 2025/].map((one) => one.exec(text)?.[1]);
    };
    assert.deepEqual(told(before(hours(LAST, 24))), ['Monday', '23']);
    assert.deepEqual(told(hours(LAST, 24)), [undefined, '23']);
    assert.deepEqual(told(hours(LAST, 25)), [undefined, undefined]);
    const late = { decisions: { cancel: { ...cancel, at: hours(ENDS, -2) } } };
    assert.deepEqual([told(hours(ENDS, -1), late)[0], told(ENDS, late)[0]], ['Monday', undefined]);
    assert.equal(valueIn('office-cancel', { ...onPage, cancelled: given }, LATER, 'Undo until'), undefined);
    const [disputed = ''] = textsOf('cancel-received', { ...onPage, disputed: true }, LAST);
    assert.match(disputed, /nothing is refunded automatically/);
  });

  test('name the refund by the policy, to the cent, until the last millisecond of the last day', () => {
    const back = (changes: Changes, writtenAt = LAST) => {
      const cancelled = { ...changes, decisions: { cancel: { ...cancel, writtenAt } } };
      const back = valueIn('cancel-received', cancelled, LAST, 'Comes back') ?? '';
      return [back.split(' ')[0], /check|4242/.exec(back)?.[0]];
    };
    const unpaid = { balances: [balance({})] };
    assert.deepEqual(back({}), ['$700', '4242']);
    assert.deepEqual(back({}, LATER), ['Nothing', undefined]);
    assert.deepEqual(back(unpaid), ['Nothing', undefined]);
    assert.deepEqual(back({ ...unpaid, ...withCheck(70_000, CHARGE) }), ['$700', 'check']);
    assert.deepEqual(back({ balances: [{ ...paid, paidAt: LATER }] }), ['$726.25', '4242']);
  });

  test('report each refund that was made or refused, and what comes back of a second payment', () => {
    assert.deepEqual(sumsOf('refund-made', byCheck, checkSent.at), ['$700']);
    assert.deepEqual(sumsOf('refund-made', excepted(half, rest), DONE), ['$800']);
    // The deposit and the balance were not paid with the same card.
    assert.equal(valueIn('refund-made', excepted(half, rest), DONE, 'How'), 'To the cards that paid');
    assert.deepEqual(sumsOf('refund-failed', excepted(refused(half), refused(rest)), DONE), ['$800']);
    const second = { ...paid, id: 'pi_3', paidAt: hours(CHARGE, 1) };
    const back = refund({ payment: 'pi_3', cents: 72_625, orderedBy: 'ch_pi_3', at: hours(CHARGE, 2) });
    const twice = { balances: [paid, second], refunds: [back] };
    assert.deepEqual(sumsOf('refund-made', twice, hours(CHARGE, 2)), ['$726.25']);
  });

  test('R8 tell what cancelling means in agreement with the refunds', () => {
    assert.equal(refundAt(recordOf({}), LAST).byCardCents, 70_000);
    assert.equal(refundAt(recordOf({}), hours(LAST, 1)).byCardCents, 0);
    for (const kind of ['balance-notice', 'balance-reminder'] as const)
      assertSaid(letter(kind), ['$700 back', '$26.25 is not refunded', 'After that there are no refunds']);
  });

  test('go to the former address, without the new one', () => {
    const [text = ''] = textsOf('address-changed', moved, LATER);
    assert.equal(all('address-changed', moved, LATER)[0]?.address, former.was);
    assert.doesNotMatch(text, /example\.org|\/place\//);
  });

  test('name nobody to a requested address, and confirm only the one that was asked for then', () => {
    const [mail] = all('confirm-address', { addressAsked: asked }, LATER);
    assert.ok(mail);
    assert.deepEqual(composeMessage(mail, letterContext).to, { name: '', address: asked.to });
    assertNotSaid(mail, /Wilma|wilma@|you reserved a place/);
    const [, token = ''] = /\/place\/(\S+)/.exec(composeMessage(mail, letterContext).text) ?? [];
    const read = letterContext.links.read(token, LATER, 'confirm');
    assert.deepEqual([read?.subject, read?.digest], ['reg_1', linkDigest(asked.to, asked.at)]);
    assert.equal(letterContext.links.read(token, hours(LAST, 72), 'confirm'), undefined);
  });
});
