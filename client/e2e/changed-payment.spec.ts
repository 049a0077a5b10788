import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { messages, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { type Site, test } from './run/test.ts';
import * as steps from './steps/registration.ts';

const INTENTS = '**/v1/payment_intents/*';

test.describe('a payment that changes at Stripe while the visitor is on the page', () => {
  test.use({ visitor: PHONE });

  /** Cancels her payment, as the office does in Stripe's dashboard. */
  const cancel = async (email: string, site: Site) =>
    site.stripe.paymentIntents.cancel(await site.intentIdOf(email));

  async function expectAmount(page: Page, amount: string): Promise<void> {
    await page.locator('.amount-due').getByText(amount, { exact: true }).waitFor();
    await page.locator('.confirm-details > p').getByText(`: ${amount}`).waitFor();
  }

  /** Makes Stripe's answer date the cancellation a week before registration closes. */
  const dateCancellation = (page: Page) =>
    page.route(INTENTS, async (route) => {
      const answer = await route.fetch();
      const canceledAtMs = Date.parse(facts.registration.closes) - 7 * 24 * 60 * 60 * 1000;
      const json = { ...(await answer.json()), canceled_at: canceledAtMs / 1000 };
      await route.fulfill({ response: answer, json });
    });

  test('R4.1 the page shows the sum at Stripe; if that has changed since, it is not charged: she reads so, and the next press pays it', async ({
    site,
  }) => {
    const email = 'dearer@example.org';
    const page = await steps.openPayment(site, email);
    await expectAmount(page, '$721');
    await site.chargeInstead(email, 73_000);
    await page.reload();
    await steps.expectPaymentStep(page);
    await expectAmount(page, '$730');
    await steps.fillPayment(page, steps.testCards.succeeds);
    await site.chargeInstead(email, 75_050);
    await steps.finish(page);
    await steps.expectFormError(page, messages.amountChanged);
    await expectAmount(page, '$750.50');
    assert.deepEqual(await site.countPayments(email), UNPAID);

    await steps.finish(page);
    await page.locator('.completion').getByText('$750.50 in US dollars').waitFor();
    assert.deepEqual(await site.countPayments(email), ONCE);
  });

  /** The next press leads back to the contact step, and from there to the payment step, with another payment. */
  async function startAgain(page: Page, email: string): Promise<void> {
    await steps.finish(page);
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), email);
    await page.getByRole('button', { name: 'Next' }).click();
    await steps.expectPaymentStep(page);
  }

  for (const [what, close, message] of [
    [
      'a cancelled payment',
      async (page: Page, email: string, site: Site) => {
        await cancel(email, site);
        await dateCancellation(page);
        return INTENTS;
      },
      messages.paymentCanceled,
    ],
    [
      'a registration that the server does not know',
      async (page: Page) => {
        const consents = `**${RECORD_CONSENT_PATH}`;
        const unknown = { paymentIntentClientSecret: 'pi_none_secret_none' };
        await page.route(consents, (route) =>
          route.continue({ postData: { ...route.request().postDataJSON(), ...unknown } }),
        );
        expectNoise(page, /409/);
        return consents;
      },
      messages.registrationUnknown,
    ],
  ] as const)
    test(`${what}: she reads so, and the next press starts again with what she typed`, async ({ site }) => {
      const page = await site.open();
      const email = `${what.replaceAll(' ', '-')}@example.org`;
      await steps.walkToPayment(page, email);
      await steps.fillPayment(page, steps.testCards.succeeds);
      const route = await close(page, email, site);
      await steps.finish(page);
      await steps.expectFormError(page, message);
      await page.unroute(route);

      await startAgain(page, email);
      assert.equal(await page.getByRole('alert').filter({ hasText: message }).count(), 0);
      assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');
      await steps.typeCard(page, steps.testCards.succeeds);
      await page.getByRole('checkbox').check();
      await steps.finish(page);
      await page.locator('.completion').waitFor();
      assert.deepEqual(await site.countPayments(email), { customers: 2, intents: 2, paid: 1, declined: 0 });
    });

  test('a payment cancelled before the step is shown: one press starts again, with the payment form still empty', async ({
    site,
  }) => {
    const page = await site.open();
    const email = 'cancelled-before@example.org';
    await steps.walkToPayment(page, email);
    await cancel(email, site);
    await dateCancellation(page);
    await page.reload();
    await steps.expectFormError(page, messages.paymentCanceled);
    await page.unroute(INTENTS);
    await startAgain(page, email);
    await page.getByLabel('Credit or debit card number').waitFor();
    await steps.pay(page);
  });
});
