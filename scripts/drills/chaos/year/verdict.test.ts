import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Account, Story } from './account.ts';
import { onSale } from './editions.ts';
import { judgeMoney, type MoneyCount, noMoney } from './judge-money.ts';
import type { DatedMail } from './ledger.ts';
import { LIVES } from './lives.ts';
import { personOf } from './people.ts';
import { untruthOf } from './untruth.ts';

const { moments } = onSale;
const DAY_MS = 24 * 60 * 60 * 1000;
const NEVER = Number.POSITIVE_INFINITY;
const CUSTOMER = 'cus_1';
const DEPOSIT = { id: 'ch_1', status: 'succeeded', amount: 72_100, customer: CUSTOMER } as const;
const BALANCE = { id: 'ch_2', status: 'succeeded', amount: 72_625, customer: CUSTOMER } as const;
const person = personOf(1, 'charged', LIVES.charged, moments.opens);

const mail = (kind: string, at: number, text: string): DatedMail => ({
  messageId: `<${kind}-pi_1-0a1b2c3d@retreat.example>`,
  recipients: [person.email],
  subject: onSale.title,
  text,
  atMs: at,
  cut: false,
  at,
  underWaySince: at,
});
const NOTICE = mail('balance-notice', moments.notice, 'December 21, 2025: $726.25');

/** Somebody who was told, and charged on the due day; with what else is said of her. */
const storyWith = (changes: Partial<Story> = {}): Story => ({
  person,
  depositId: 'pi_1',
  paidAt: moments.opens,
  deposit: { metadata: { terms: '2' }, customer: CUSTOMER },
  paid: [{ cents: 72_625, at: moments.charge + 1_000, withoutHer: true }],
  refusedAt: [],
  charges: [DEPOSIT, BALANCE],
  tries: 1,
  cancelledAt: NEVER,
  checkAt: NEVER,
  checkCameAt: NEVER,
  waivedAt: NEVER,
  waivingAt: NEVER,
  postponed: undefined,
  disputedAt: NEVER,
  newCardAt: NEVER,
  mails: [NOTICE],
  ...changes,
});

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
  test('told, agreed, charged once on the due day: all is well', () => {
    assert.deepEqual(verdictOn({}), { ...noMoney(), charged: 1 });
  });

  const [paid] = storyWith().paid;
  assert.ok(paid);
  const faults: [string, Partial<Story>, keyof MoneyCount][] = [
    ['two charges for the balance', { paid: [paid, paid] }, 'doubleCharges'],
    ['a charge that no payment tells', { charges: [DEPOSIT, BALANCE, BALANCE] }, 'doubleCharges'],
    ['a cent too much', { charges: [DEPOSIT, { ...BALANCE, amount: 72_626 }] }, 'wrongCents'],
    ['no consent on record', { deposit: { metadata: {}, customer: CUSTOMER } }, 'withoutConsent'],
    ['no letter', { mails: [] }, 'withoutNotice'],
    [
      'a letter two days before',
      { mails: [{ ...NOTICE, at: moments.charge - 2 * DAY_MS }] },
      'withoutNotice',
    ],
    [
      'a letter to another address',
      { mails: [{ ...NOTICE, recipients: ['other@example.org'] }] },
      'withoutNotice',
    ],
    [
      'a letter that told another day',
      { mails: [{ ...NOTICE, text: 'December 20, 2025' }] },
      'withoutNotice',
    ],
    ['she had cancelled', { cancelledAt: moments.charge - DAY_MS }, 'afterCancelling'],
  ];
  for (const [what, changes, counted] of faults) {
    test(`${what} is found`, () => {
      const count = verdictOn(changes);
      assert.equal(count[counted], 1);
      assert.notDeepEqual(count.problems, []);
    });
  }

  test('so are a charge too early, one that is missing, one of nobody, and a refund', () => {
    const early = { ...paid, at: moments.charge - DAY_MS };
    assert.match(verdictOn({ paid: [early] }).problems.join(), /charged too early/);
    assert.match(verdictOn({ paid: [], charges: [DEPOSIT] }).problems.join(), /has not paid/);
    const strange = { ...BALANCE, customer: 'cus_2' };
    assert.match(verdictOn({}, { charges: [DEPOSIT, BALANCE, strange] }).problems.join(), /charge of nobody/);
    assert.match(verdictOn({}, { refunds: [{ id: 're_1' }] }).problems.join(), /gave something back/);
  });
});

describe('the verdict on the letters of a year', () => {
  const before = moments.reminder + 1_000;
  const after = moments.charge + DAY_MS;
  const reminder = (at: number, text = NOTICE.text) => mail('balance-reminder', at, text);
  const check = (letter: DatedMail, kind: string, changes: Partial<Story> = {}) =>
    untruthOf(kind, letter, storyWith(changes));

  test('what holds is true', () => {
    assert.equal(check(NOTICE, 'balance-notice'), undefined);
    assert.equal(check(reminder(before), 'balance-reminder'), undefined);
    assert.equal(check(mail('balance-paid', after, '$721 $726.25'), 'balance-paid'), undefined);
  });

  test('what is past, of another sum or day, or of who has decided otherwise, is not', () => {
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
    assert.equal(check(reminder(before), 'balance-reminder', { cancelledAt: before - 1 }), 'she cancelled');
    assert.equal(check(reminder(before), 'balance-reminder', { checkAt: before - 1 }), 'she pays by check');
    assert.equal(check(reminder(before), 'balance-notice'), 'it comes too late for the charge');
    assert.equal(check(mail('balance-paid', before, '$721 $726.25'), 'balance-paid'), 'it is not paid');
    assert.equal(check(mail('balance-failed', after, '$726.25'), 'balance-failed'), 'no card was refused');
    assert.equal(check(mail('please-pay', before, ''), 'please-pay'), 'she is charged all the same');
  });
});
