import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refundAt } from '#server/record/cancel-plan.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import { chargeMomentOf } from '#server/record/registration-state.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { DUE, daysAfter } from '#server/testing/test-charges.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';

const NEW_DUE = daysAfter(DUE, -7);
const NEW_BALANCE = {
  prices: { balanceBeforeFeeCents: 80_000, cardFeePerMille: 37.5, checkDiscountPerMille: 20 },
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
  const { prices, balance } = structuredClone(current);
  Object.assign(facts.prices, NEW_BALANCE.prices, { balanceCents: 83_000 });
  Object.assign(facts.balance, NEW_BALANCE.balance, {
    noticeAt: daysAfter(NEW_DUE, -11).toISOString(),
    reminderAt: daysAfter(NEW_DUE, -3).toISOString(),
  });
  facts.balanceDueDate = '2025-12-14';
  Object.assign(current, structuredClone(NEW_BALANCE));
  t.after(() => {
    Object.assign(facts.prices, before.prices);
    Object.assign(facts.balance, before.balance);
    facts.balanceDueDate = before.day;
    Object.assign(current, { prices, balance });
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
    assert.match(textTo('early@example.org', /^Welcome/), /December 21, 2025: \$700 .*, \$726\.25 in all/);
    assert.doesNotMatch(textTo('early@example.org', /^Welcome/), /\$830|December 14/);
    assert.match(textTo('late@example.org', /^Welcome/), /December 14, 2025: \$800 .*, \$830 in all/);

    await at(daysAfter(NEW_DUE, -11));
    await at(NEW_DUE);
    assert.deepEqual([await charged(early), await charged(late)], [[], [83_000]]);
    await at(daysAfter(DUE, -5));
    assert.match(textTo('early@example.org', /^Your balance/), /\$726\.25.*December 21/s);
    await at(DUE);
    assert.deepEqual(await charged(early), [72_625]);

    const [paid, other] = [await find(early), await find(late)];
    assert.deepEqual([chargeMomentOf(paid), chargeMomentOf(other)], [DUE, NEW_DUE]);
    assert.deepEqual(
      [paid, other].map(balanceOfRecord).map((sums) => [sums.byCardCents, sums.byCheckCents]),
      [
        [72_625, 70_000],
        [83_000, 78_400],
      ],
    );
    const backOn = (moment: Date) => [paid, other].map((record) => refundAt(record, moment).byCardCents);
    assert.deepEqual(backOn(daysAfter(DUE, 0.2)), [70_000, 0]);
  });

  test('of which a part is waived is announced again, also when the waiver is withdrawn', async (t) => {
    const { at, register, payments, find, now, mailServer } = await startMailing(t);
    const id = await register({ consents: false });
    await at(daysAfter(DUE, -10));
    const asked = () =>
      mailServer.parsed
        .flatMap(({ text, subject = '' }) => (/pay/i.test(subject) ? [String(text)] : []))
        .map((text) => /\$\d{3}\.\d\d/.exec(text)?.[0]);
    assert.deepEqual(asked(), ['$726.25']);
    await payments.decide(await find(id), 'waived', { at: now(), by: 'Anna', cents: 20_000 });
    await at(daysAfter(DUE, -9));
    assert.deepEqual(asked(), ['$726.25', '$518.75']);
    await payments.decide(await find(id), 'waived', { at: now(), by: 'Anna', withdrawn: true });
    await at(daysAfter(DUE, -8));
    assert.deepEqual(asked(), ['$726.25', '$518.75', '$726.25']);
    await at(daysAfter(DUE, -7));
    assert.equal(asked().length, 3);
  });
});
