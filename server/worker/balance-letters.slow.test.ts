import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { lettersDue } from '#server/letters/table.ts';
import {
  findRegistration,
  nextInstallment,
  recordBounce,
  refundAt,
} from '#server/registration/registration.ts';
import { correctDetails } from '#server/stripe/her-details.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { needsOf } from './office-needs.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);
const REMINDER = new Date(edition.facts.balance.reminderAt);
const BUSY = { responseCode: 451, message: 'Mailbox busy' };

/** A registrant who got her welcome, and functions that change what she owes and whether her address works. */
async function startWelcomed(t: TestContext) {
  const letters = await startMailing(t);
  const id = await letters.register();
  await letters.work();
  assert.deepEqual(await letters.sendAll(), ['office-paid', 'welcome']);
  const { payments, find, now } = letters;
  return {
    ...letters,
    id,
    async bounce() {
      const { email: address } = (await find(id)).registrant;
      const event = { address, at: now() };
      assert.deepEqual((await recordBounce(payments, event, now())).marked, [id]);
    },
    needs: async () => needsOf(await find(id), now()).map(({ need }) => need),
  };
}

describe('the letters about a balance, sent', () => {
  test('never late: if the mail server was away over the due day, she is asked to pay', async (t) => {
    const { at, mailServer, charged, id } = await startWelcomed(t);
    mailServer.refuse(BUSY);
    for (const moment of [NOTICE, REMINDER, DUE]) assert.deepEqual(await at(moment), []);
    mailServer.refuse(undefined);
    assert.deepEqual(await at(daysAfter(DUE, 1)), ['office-digest', 'please-pay']);
    const [welcome, ...since] = mailServer.parsed.filter(({ subject }) => !subject?.startsWith('Paid: '));
    assert.match(welcome?.subject ?? '', /^Welcome/);
    for (const { text } of since) assert.doesNotMatch(text ?? '', /is charged to|We charge it|at 5:00/);
    assert.deepEqual(await charged(id), []);
  });
});

describe('after a letter has bounced', () => {
  test('a corrected address gets what she missed, and she is charged after that notice', async (t) => {
    const { at, bounce, payments, id, now, charged, mailServer, needs } = await startWelcomed(t);
    await bounce();
    assert.deepEqual(await at(NOTICE), ['office-digest']);
    await payments.ask(correctDetails, { id }, { email: 'wilma@correct.example' }, 'Anna', now());
    const record = (await findRegistration(payments, id)) ?? assert.fail();
    for (const mail of lettersDue(record, now())) assert.notEqual(mail.address, 'wilma@example.org');
    assert.deepEqual(await needs(), []);
    // The former address is not notified: letters to it bounce.
    const again = await at(new Date(NOTICE.getTime() + 60_000));
    assert.deepEqual(again, ['balance-notice', 'welcome']);
    for (const { to, subject } of mailServer.parsed.slice(-3))
      if (!subject?.includes('office')) assert.notEqual(to?.[0]?.address, 'wilma@example.org');
    await at(REMINDER);
    await at(DUE);
    assert.deepEqual(await charged(id), [72_625]);
  });
});

const NEW_DUE = daysAfter(DUE, -7);
const NEW_BALANCE = {
  prices: { balanceBeforeFeeCents: 80_000, cardFeePerMille: 37.5 },
  balance: {
    chargeAt: NEW_DUE.toISOString(),
    refundsEndAt: daysAfter(NEW_DUE, 0.3).toISOString(),
    lateDays: 7,
    feeRefundable: false,
  },
};

/** Raises the price of the edition on sale and moves its due day a week ahead, as a release with new terms does. */
function changeEdition(t: TestScope): void {
  const { facts, agreed, terms } = edition;
  const current = agreed.find(({ version }) => version === terms.version) ?? assert.fail();
  const before = structuredClone({ prices: facts.prices, balance: facts.balance, day: facts.balanceDueDate });
  const { digest } = terms;
  terms.digest = digest.replace(/./, digest.startsWith('0') ? '1' : '0');
  const added = { ...current, ...structuredClone(NEW_BALANCE), digest: terms.digest };
  Object.assign(facts.prices, NEW_BALANCE.prices, { balanceCents: 83_000 });
  Object.assign(facts.balance, NEW_BALANCE.balance, {
    noticeAt: daysAfter(NEW_DUE, -11).toISOString(),
    reminderAt: daysAfter(NEW_DUE, -3).toISOString(),
  });
  facts.balanceDueDate = '2025-12-14';
  edition.agreed = [...agreed, added];
  t.after(() => {
    Object.assign(facts.prices, before.prices);
    Object.assign(facts.balance, before.balance);
    facts.balanceDueDate = before.day;
    edition.agreed = agreed;
    terms.digest = digest;
  });
}

describe('R8 the balance that was agreed', () => {
  test('holds for her sums, dates, letters and refund when price and due day change; the new ones for who agrees from then on', async (t) => {
    const letters = await startMailing(t);
    const { at, register, find, charged, now, mailServer } = letters;
    const early = await register({ email: 'early@example.org' });
    changeEdition(t);
    const late = await register({ email: 'late@example.org' });
    await at(now());
    const textTo = (address: string, subject: RegExp) => {
      const mails = mailServer.parsed.filter(({ to }) => to?.[0]?.address === address);
      const mail = mails.find((one) => subject.test(one.subject ?? ''));
      return String(mail?.text ?? assert.fail(`${address} has no ${subject}`)).replaceAll('\u00a0', ' ');
    };
    assert.match(textTo('early@example.org', /^Welcome/), /\$726\.25.*December 21, 2025/s);
    assert.doesNotMatch(textTo('early@example.org', /^Welcome/), /\$830|December 14/);
    assert.match(textTo('late@example.org', /^Welcome/), /\$830.*December 14, 2025/s);

    await at(daysAfter(NEW_DUE, -11));
    await at(NEW_DUE);
    assert.deepEqual([await charged(early), await charged(late)], [[], [83_000]]);
    await at(daysAfter(DUE, -5));
    assert.match(textTo('early@example.org', /^Your balance/), /\$726\.25.*December 21/s);
    await at(DUE);
    assert.deepEqual(await charged(early), [72_625]);

    const [paid, other] = [await find(early), await find(late)];
    assert.deepEqual([nextInstallment(paid).dueAt, nextInstallment(other).dueAt], [DUE, NEW_DUE]);
    const backOn = (moment: Date) => [paid, other].map((record) => refundAt(record, moment).byCardCents);
    assert.deepEqual(backOn(daysAfter(DUE, 0.2)), [70_000, 0]);
  });
});
