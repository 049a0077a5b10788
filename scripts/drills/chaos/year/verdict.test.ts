import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sampleOffice } from '#scripts/product/environment.ts';
import type { Account, RefundFacts, Story } from './account.ts';
import { nextEdition, onSale } from './editions.ts';
import { judgeDigests } from './judge-digests.ts';
import { judgeMoney, type MoneyCount, noMoney } from './judge-money.ts';
import { judgePunctuality } from './judge-punctuality.ts';
import { judgeRefunds, noRefunds, type RefundCount } from './judge-refunds.ts';
import type { DatedMail } from './ledger.ts';
import { LIVES } from './lives.ts';
import { personOf } from './people.ts';
import type { YearCircumstances } from './repeats.ts';
import { BALANCE, CUSTOMER, DEPOSIT, mail, NOTICE, person, storyWith } from './test-story.ts';
import { untruthOf } from './untruth.ts';

const { moments } = onSale;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const cancelledAt = (at: number) => ({ at, writtenAt: at, balanceOpen: false });

function verdictOn(changes: Partial<Story>, account: Partial<Account> = {}): MoneyCount {
  const story = storyWith(changes);
  const count = noMoney();
  judgeMoney(
    [story],
    { customers: [{ id: CUSTOMER }], intents: [], charges: story.charges, refunds: [], ...account },
    count,
  );
  return count;
}

describe('the verdict on the money of a year', () => {
  test('notified, agreed, charged once on the due day: all is well', () => {
    assert.deepEqual(verdictOn({}), { ...noMoney(), charged: 1 });
  });

  const [paid] = storyWith().paid;
  assert.ok(paid);
  const faults: [string, Partial<Story>, keyof MoneyCount][] = [
    ['two charges for the balance', { paid: [paid, paid] }, 'doubleCharges'],
    ['a charge that belongs to no payment', { charges: [DEPOSIT, BALANCE, BALANCE] }, 'doubleCharges'],
    ['a cent too much', { charges: [DEPOSIT, { ...BALANCE, amount: 72_626 }] }, 'wrongCents'],
    ['no consent on record', { deposit: { metadata: {}, customer: CUSTOMER } }, 'withoutConsent'],
    ['a missing notice', { mails: [] }, 'withoutNotice'],
    [
      'a notice only two days before',
      { mails: [{ ...NOTICE, at: moments.charge - 2 * DAY_MS }] },
      'withoutNotice',
    ],
    [
      'a notice to another address',
      { mails: [{ ...NOTICE, recipients: ['other@example.org'] }] },
      'withoutNotice',
    ],
    ['a notice of another day', { mails: [{ ...NOTICE, text: 'December 20, 2025' }] }, 'withoutNotice'],
    ['a charge after she cancelled', { cancel: cancelledAt(moments.charge - DAY_MS) }, 'afterCancelling'],
  ];
  for (const [what, changes, counted] of faults) {
    test(`${what} is found`, () => {
      const count = verdictOn(changes);
      assert.equal(count[counted], 1);
      assert.notDeepEqual(count.problems, []);
    });
  }

  test('a charge that comes too early, is missing, or belongs to nobody is found', () => {
    const early = { ...paid, at: moments.charge - DAY_MS };
    assert.match(verdictOn({ paid: [early] }).problems.join(), /charged too early/);
    assert.match(verdictOn({ paid: [], charges: [DEPOSIT] }).problems.join(), /has not paid/);
    const strange = { ...BALANCE, customer: 'cus_2' };
    assert.match(verdictOn({}, { charges: [DEPOSIT, BALANCE, strange] }).problems.join(), /charge of nobody/);
  });
});

describe('the verdict on the refunds of a year', () => {
  const cancelAt = moments.charge + 3 * HOUR_MS;
  /** Late enough also for a registrant who cancels later that night. */
  const dueAt = cancelAt + 31 * HOUR_MS;
  const REFUND: RefundFacts = {
    ...{ id: 're_1', of: 'balance', cents: 70_000, at: dueAt, status: 'succeeded' },
    order: 'cancel 2025-12-22T04:00:00.000Z',
  };
  /** A registrant who was charged, cancelled in time and got her refund a day later. */
  const HELD: Partial<Story> = {
    person: personOf(1, 'charged-cancels', LIVES['charged-cancels'], moments.opens),
    cancel: cancelledAt(cancelAt),
    refunds: [REFUND],
    workedOff: { at: dueAt, cents: 70_000, checkCents: 0 },
  };
  const verdict = (changes: Partial<Story>): RefundCount => {
    const count = noRefunds();
    judgeRefunds([storyWith({ ...HELD, ...changes })], { refunds: [] }, count);
    return count;
  };

  test('one refund of the right sum a day after she cancelled: all is well', () => {
    assert.deepEqual(verdict({}), { ...noRefunds(), cancelled: 1, refunds: 1, cents: 70_000 });
  });

  const faults: [string, Partial<Story>, keyof RefundCount, RegExp][] = [
    ['no refund', { refunds: [] }, 'wrongCents', /got 0 cents back instead of 70000/],
    ['a cent too much', { refunds: [{ ...REFUND, cents: 70_001 }] }, 'wrongCents', /70001 cents back/],
    [
      'two refunds',
      { refunds: [REFUND, { ...REFUND, id: 're_2' }] },
      'doubled',
      /of the balance back 2 times/,
    ],
    [
      'a refund within the day',
      { refunds: [{ ...REFUND, at: cancelAt + 23 * HOUR_MS }] },
      'tooSoon',
      /before it was too late/,
    ],
    ['a refund during a dispute', { disputedAt: cancelAt + HOUR_MS }, 'unasked', /not to be moved/],
    [
      'a refund after she took the cancellation back',
      { cancel: { ...cancelledAt(cancelAt), undoneAt: cancelAt + HOUR_MS } },
      'unasked',
      /not to be moved/,
    ],
    [
      'another sum on record',
      { workedOff: { at: dueAt, cents: 69_999, checkCents: 0 } },
      'wrongCents',
      /69999 cents on record/,
    ],
    [
      'a check that nobody is to get',
      { workedOff: { at: dueAt, cents: 70_000, checkCents: 1 } },
      'wrongCents',
      /1 cents by check/,
    ],
  ];
  for (const [what, changes, counted, says] of faults) {
    test(`${what} is found`, () => {
      const count = verdict(changes);
      assert.ok(Number(count[counted]) > 0, count.problems.join('\n'));
      assert.match(count.problems.join(), says);
    });
  }

  test('a cancellation that is missing or not carried out, and a refund that belongs to nobody or to no act, are found', () => {
    assert.match(verdict({ cancel: undefined }).problems.join(), /has not cancelled/);
    assert.match(verdict({ workedOff: undefined }).problems.join(), /not worked off/);
    assert.match(verdict({ refunds: [{ ...REFUND, order: undefined }] }).problems.join(), /no act names/);
    const count = noRefunds();
    const strange = { amount: 1, created: 0, metadata: {}, payment_intent: 'pi_2', status: 'succeeded' };
    judgeRefunds([], { refunds: [{ ...strange, id: 're_3' }] }, count);
    assert.deepEqual(count.problems, ['re_3 is a refund of nobody']);
  });

  test('the right sum depends on the moment: all but the fee in time, nothing too late, all if she was charged afterwards', () => {
    const either = personOf(1, 'cancels-at-charge', LIVES['cancels-at-charge'], moments.opens);
    const backFor = (cancel: Story['cancel'], cents: number) =>
      verdict({
        ...{ person: either, cancel, refunds: cents > 0 ? [{ ...REFUND, cents }] : [] },
        workedOff: { at: dueAt, cents, checkCents: 0 },
      }).problems;
    assert.deepEqual(backFor(cancelledAt(moments.refundsEnd - 1), 70_000), []);
    assert.deepEqual(backFor(cancelledAt(moments.refundsEnd), 0), []);
    assert.deepEqual(backFor({ ...cancelledAt(cancelAt), balanceOpen: true }, 72_625), []);
    assert.notDeepEqual(backFor(cancelledAt(moments.refundsEnd), 70_000), []);
  });

  test('letters must agree with Stripe', () => {
    const check = (kind: string, at: number, text: string, changes: Partial<Story> = {}) =>
      untruthOf(kind, mail(kind, at, text), storyWith({ ...HELD, ...changes }));
    const told = 'Comes back to you: $700 in US dollars';
    assert.equal(check('cancel-received', cancelAt + 1, told), undefined);
    assert.equal(check('cancel-received', cancelAt - 1, told), 'she has not cancelled');
    assert.equal(check('cancel-received', dueAt + 1, told), 'it is worked off');
    assert.equal(
      check('cancel-received', cancelAt + 1, 'Comes back to you: $700.01'),
      'another sum comes back',
    );
    const copy = {
      ...mail('office-cancel', cancelAt + 1, 'Comes back: $700 to the card'),
      recipients: [sampleOffice.OFFICE_EMAIL],
    };
    assert.equal(untruthOf('office-cancel', copy, storyWith(HELD)), undefined);
    const answered = { ...copy, replyTo: sampleOffice.OFFICE_EMAIL };
    assert.equal(untruthOf('office-cancel', answered, storyWith(HELD)), 'its answer goes to somebody else');
    assert.equal(check('cancelled', dueAt + 1, told), undefined);
    assert.equal(check('cancelled', dueAt - 1, told), 'it is not worked off');
    assert.equal(
      check('cancelled', dueAt + 1, 'Comes back to you: Nothing'),
      'it tells 0 cents instead of 70000',
    );
    const undone = { cancel: { ...cancelledAt(cancelAt), undoneAt: cancelAt + HOUR_MS } };
    assert.equal(check('cancel-received', cancelAt + 2 * HOUR_MS, told, undone), 'she has taken it back');
    assert.equal(check('cancel-undone', cancelAt + 1, '', undone), 'it was not taken back');
    assert.equal(check('refund-failed', dueAt, '$700'), 'no refund failed');
    assert.equal(check('refund-made', dueAt, '$50', { givenBack: [10_000] }), 'another sum was given back');
  });
});

describe('the verdict on the letters of a year', () => {
  const before = moments.reminder + 1_000;
  const after = moments.charge + DAY_MS;
  const reminder = (at: number, text = NOTICE.text) => mail('balance-reminder', at, text);
  const check = (letter: DatedMail, kind: string, changes: Partial<Story> = {}) =>
    untruthOf(kind, letter, storyWith(changes));

  test('a letter that agrees with the facts is true', () => {
    assert.equal(check(NOTICE, 'balance-notice'), undefined);
    assert.equal(check(reminder(before), 'balance-reminder'), undefined);
    assert.equal(check(mail('balance-paid', after, '$721 $726.25'), 'balance-paid'), undefined);
  });

  test('a letter is untrue if it is out of date, names another sum or day, or ignores what she decided', () => {
    assert.equal(check(reminder(after), 'balance-reminder'), 'it is paid');
    assert.equal(check(reminder(after), 'balance-reminder', { paid: [] }), 'the day is past');
    assert.equal(
      check(reminder(before, 'December 21, 2025: $726.26'), 'balance-reminder'),
      'another sum is due',
    );
    assert.equal(
      check(reminder(before, 'December 22, 2025: $726.25'), 'balance-reminder'),
      'another day is due',
    );
    assert.equal(
      check(reminder(before), 'balance-reminder', { cancel: cancelledAt(before - 1) }),
      'she cancelled',
    );
    assert.equal(check(reminder(before), 'balance-reminder', { checkAt: before - 1 }), 'she pays by check');
    assert.equal(check(reminder(before), 'balance-notice'), 'it comes too late for the charge');
    assert.equal(check(mail('balance-paid', before, '$721 $726.25'), 'balance-paid'), 'it is not paid');
    assert.equal(check(mail('balance-failed', after, '$726.25'), 'balance-failed'), 'no card was refused');
    assert.equal(check(mail('please-pay', before, ''), 'please-pay'), 'she is charged all the same');
  });

  test('a letter is untrue if it comes too early, or is about another edition or a card that is valid', () => {
    const early = reminder(moments.reminder - 60_000);
    assert.equal(check(early, 'balance-reminder'), 'it comes before its time');
    const other = { ...reminder(before), subject: nextEdition.title };
    assert.equal(check(other, 'balance-reminder'), 'it is about another edition');
    const expires = mail('card-expires', before, NOTICE.text);
    assert.equal(check(expires, 'card-expires'), 'her card is valid');
    const short = { ...person, cardEnds: true };
    assert.equal(check(expires, 'card-expires', { person: short }), undefined);
    const changed = { person: short, newCardAt: before - 1 };
    assert.equal(check(expires, 'card-expires', changed), 'she gave another card');
  });
});

describe('the verdict on the moments of a year', () => {
  const told = { mails: [NOTICE, mail('balance-reminder', moments.reminder + 1_000, NOTICE.text)] };
  const verdict = (changes: Partial<Story>) => judgePunctuality([storyWith({ ...told, ...changes })]).join();

  test('notice, reminder and charge at their moments: all is well', () => {
    assert.equal(verdict({}), '');
  });

  test('a notice, reminder or charge that comes an hour early or late is found', () => {
    for (const wrongMs of [-HOUR_MS, HOUR_MS]) {
      assert.match(verdict({ mails: [{ ...NOTICE, at: NOTICE.at + wrongMs }] }), /the notice came at/);
      const late = mail('balance-reminder', moments.reminder + wrongMs, NOTICE.text);
      assert.match(verdict({ mails: [NOTICE, late] }), /the reminder came at/);
      assert.match(verdict({ refusedAt: [moments.charge + wrongMs] }), /the first charge came at/);
    }
  });
});

describe('the verdict on the digests of a year', () => {
  const FAULTLESS = { faults: [], lostLocks: new Set<string>(), unrecorded: new Set<string>() };
  const at = moments.charge + 1_000;
  const digest = (day: string, takenAt = at): DatedMail => ({
    ...mail('office-digest', takenAt, ''),
    messageId: `<office-digest-${onSale.id}-${day}@retreat.example>`,
  });
  const own = digest('2025-12-21');
  const verdict = (mails: readonly DatedMail[], steps = [at], circumstances: YearCircumstances = FAULTLESS) =>
    judgeDigests(mails, steps, circumstances, onSale);

  test('one digest on a day on which the clock stopped: all is well', () => {
    assert.deepEqual(verdict([own]), { digests: 1, problems: [] });
  });

  test('no digest is owed before eight o’clock, before the notice, or a month after the retreat', () => {
    const sevenOClock = moments.charge - 10 * HOUR_MS;
    const steps = [sevenOClock, moments.notice, moments.ends + 31 * DAY_MS];
    assert.deepEqual(verdict([], steps), { digests: 0, problems: [] });
  });

  test('a missing digest, one of another edition or day, and two on one day are found', () => {
    assert.match(verdict([]).problems.join(), /no digest on 2025-12-21/);
    const other = { ...own, messageId: `<office-digest-${nextEdition.id}-2025-12-21@retreat.example>` };
    assert.match(verdict([other]).problems.join(), /no digest on 2025-12-21/);
    assert.match(
      verdict([own, digest('2025-12-20')]).problems.join(),
      /digest of 2025-12-20 came 2025-12-21/,
    );
    assert.match(verdict([own, own]).problems.join(), /2 digests on 2025-12-21 without a cause/);
  });

  test('two digests on one day are fine where Redis forgot the first', () => {
    const faults = [
      { kind: 'redis-forgets', fromMs: own.atMs + 60_000, untilMs: own.atMs + 61_000 },
    ] as const;
    assert.deepEqual(verdict([own, own], [at], { ...FAULTLESS, faults }).problems, []);
  });
});
