import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { LetterName } from '#server/letters/table.ts';
import { openBalance } from '#server/stripe/balance.ts';
import { daysAfter, startCharges } from '#server/testing/test-charges.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);

/**
 * Two people who got all letters that were due: no webhook tells of what `anna` pays from now on, and Stripe lists no events
 * while it is away.
 */
async function startTwo(t: TestContext, { isDepositPaid }: { isDepositPaid: boolean }) {
  const stripe = { isAway: false, lists: 0 };
  const charges = await startCharges(t, {
    intercept: ({ path }) => {
      if (path !== '/v1/events') return undefined;
      stripe.lists += 1;
      return stripe.isAway ? { kind: 'rate-limit' } : undefined;
    },
  });
  const mailing = await mailingFor(t, charges);
  const beginOne = async (name: string) => {
    const email = `${name}@example.org`;
    return isDepositPaid ? charges.register({ email, consents: false }) : (await charges.begin({ email })).id;
  };
  const [anna, olga] = [await beginOne('anna'), await beginOne('olga')];
  await mailing.work();
  await mailing.sendAll();
  const { letterLog, outbox, mailServer } = mailing;
  return {
    ...mailing,
    ...charges,
    anna,
    olga,
    stripeIs: stripe,
    /** Anna pays her deposit, or her balance. */
    async pay() {
      const balance = async () =>
        (await charges.payments.ask(openBalance, await charges.find(anna), charges.now())).id;
      const id = await (isDepositPaid ? balance() : charges.depositOf(anna));
      await charges.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    },
    /** Whether the mail worker sends a letter to each, which is on record for her who has not paid. */
    async found(kind: LetterName) {
      const isDue = async (id: string) => {
        const letter = (await letterLog.about(id)).find((one) => one.kind === kind);
        assert.ok(letter || id === anna, kind);
        return letter !== undefined && typeof (await outbox.findDue(letter.id)) === 'object';
      };
      return [await isDue(anna), await isDue(olga)];
    },
    /** Who got mails of a subject. */
    addressees: (subject: RegExp) =>
      mailServer.parsed.filter((mail) => subject.test(mail.subject ?? '')).map(({ to }) => to?.[0]?.address),
  };
}

const cases = [
  ['please-pay', true, NOTICE, /Please pay/],
  ['unfinished', false, undefined, /still like to come/],
] as const;

describe('promise 2: a letter that asks for money, while no webhook comes', () => {
  for (const [kind, isDepositPaid, moment, subject] of cases) {
    test(`${kind} goes to who has not paid, at its moment, and never to who paid just before`, async (t) => {
      const { work, sendAll, moveTo, now, pay, addressees, stripeIs } = await startTwo(t, { isDepositPaid });
      moveTo(new Date((moment ?? daysAfter(now(), 1)).getTime() - 60_000));
      await pay();
      moveTo(new Date(now().getTime() + 2 * 60_000));
      stripeIs.lists = 0;
      await work({ catchesUp: false });
      await sendAll();
      assert.deepEqual(addressees(subject), ['olga@example.org']);
      assert.equal(stripeIs.lists, 1);
    });

    test(`${kind} waits while Stripe is away, and then goes to who has not paid`, async (t) => {
      const { work, sendAll, moveTo, now, pay, addressees, stripeIs, found } = await startTwo(t, {
        isDepositPaid,
      });
      moveTo(new Date((moment ?? daysAfter(now(), 1)).getTime() - 60_000));
      await work();
      await pay();
      stripeIs.isAway = true;
      moveTo(new Date(now().getTime() + 60_000));
      await assert.rejects(work());
      assert.deepEqual(await found(kind), [false, false]);
      moveTo(new Date(now().getTime() + 5 * 60 * 60_000));
      await assert.rejects(work({ catchesUp: false }));
      assert.deepEqual(await found(kind), [false, false]);
      stripeIs.isAway = false;
      await work({ catchesUp: false });
      assert.deepEqual(await found(kind), [false, true]);
      await sendAll();
      assert.deepEqual(addressees(subject), ['olga@example.org']);
    });
  }

  test('one that asks for nothing does not wait', async (t) => {
    const { work, sendAll, register, stripeIs, find } = await startTwo(t, { isDepositPaid: true });
    await find(await register({ email: 'ida@example.org' }));
    stripeIs.isAway = true;
    await assert.rejects(work());
    assert.deepEqual(await sendAll(), ['office-paid', 'welcome']);
  });
});
