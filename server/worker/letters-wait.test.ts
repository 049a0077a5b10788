import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { openBalance } from '#server/stripe/balance.ts';
import { startCharges } from '#server/testing/test-charges.ts';
import { mailingFor } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';

const NOTICE = new Date(edition.facts.balance.noticeAt);

/**
 * Two people who got all letters that were due: no webhook tells of what `anna` pays from now on, and Stripe lists no events
 * while it is away.
 */
async function startTwo(t: TestContext) {
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
    return charges.register({ email, consents: false });
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
    /** Anna pays her balance. */
    async pay() {
      const { id } = await charges.payments.ask(openBalance, await charges.find(anna), charges.now());
      await charges.stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
    },
    /** Whether the mail worker sends a letter to each, which is on record for her who has not paid. */
    async found() {
      const isDue = async (id: string) => {
        const letter = (await letterLog.about(id)).find((one) => one.kind === 'please-pay');
        assert.ok(letter || id === anna);
        return letter !== undefined && typeof (await outbox.findDue(letter.id)) === 'object';
      };
      return [await isDue(anna), await isDue(olga)];
    },
    /** Who was asked to pay. */
    addressees: () =>
      mailServer.parsed
        .filter((mail) => /Please pay/.test(mail.subject ?? ''))
        .map(({ to }) => to?.[0]?.address),
  };
}

describe('promise 2: a letter that asks for money, while no webhook comes', () => {
  test('it goes to who has not paid, at its moment, and never to who paid just before', async (t) => {
    const { work, sendAll, moveTo, now, pay, addressees, stripeIs } = await startTwo(t);
    moveTo(new Date(NOTICE.getTime() - 60_000));
    await pay();
    moveTo(new Date(now().getTime() + 2 * 60_000));
    stripeIs.lists = 0;
    await work({ catchesUp: false });
    await sendAll();
    assert.deepEqual(addressees(), ['olga@example.org']);
    assert.equal(stripeIs.lists, 1);
  });

  test('it waits while Stripe is away, and then goes to who has not paid', async (t) => {
    const { work, sendAll, moveTo, now, pay, addressees, stripeIs, found } = await startTwo(t);
    moveTo(new Date(NOTICE.getTime() - 60_000));
    await work();
    await pay();
    stripeIs.isAway = true;
    moveTo(new Date(now().getTime() + 60_000));
    await assert.rejects(work());
    assert.deepEqual(await found(), [false, false]);
    moveTo(new Date(now().getTime() + 5 * 60 * 60_000));
    await assert.rejects(work({ catchesUp: false }));
    assert.deepEqual(await found(), [false, false]);
    stripeIs.isAway = false;
    await work({ catchesUp: false });
    assert.deepEqual(await found(), [false, true]);
    await sendAll();
    assert.deepEqual(addressees(), ['olga@example.org']);
  });

  test('one that asks for nothing does not wait', async (t) => {
    const { work, sendAll, register, stripeIs, find } = await startTwo(t);
    await find(await register({ email: 'ida@example.org' }));
    stripeIs.isAway = true;
    await assert.rejects(work());
    assert.deepEqual(await sendAll(), ['office-paid', 'welcome']);
  });
});
