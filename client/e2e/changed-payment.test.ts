import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { CREATE_PAYMENT_PATH, messages } from '#shared/registration.ts';
import { openPage } from './browser.ts';
import { chargeInstead, countPaymentsOf, ONCE, UNPAID } from './payments.ts';
import {
  expectFormError,
  expectPaymentStep,
  fillPayment,
  finish,
  testCards,
  walkToPayment,
} from './registration.ts';
import { runProduct } from './run-product.ts';

const PHONE = { width: 390, height: 844 };
const INTENTS = '**/v1/payment_intents/*';

describe('a payment that changes at Stripe while the visitor is at it', () => {
  const run = runProduct();

  async function openSite(t: TestContext) {
    const watched = await openPage(run.browser, PHONE);
    t.after(watched.close);
    await watched.page.goto(run.product.siteUrl);
    return watched;
  }

  const count = (email: string) => countPaymentsOf(email, run.product.sandboxUrl);

  async function expectAmount(page: Page, amount: string): Promise<void> {
    await page.locator('.amount-due strong').getByText(amount, { exact: true }).waitFor();
    await page.locator('.confirm-details > p').getByText(`: ${amount}`).waitFor();
  }

  test('R4.1 another amount than the page shows is not charged: she is told, and the next press pays it', async (t) => {
    const { page } = await openSite(t);
    const email = 'dearer@example.org';
    await walkToPayment(page, email);
    await fillPayment(page, testCards.succeeds);
    await expectAmount(page, '$721');
    await chargeInstead(email, 75_050, run.product.sandboxUrl);
    await finish(page);
    await expectFormError(page, messages.amountChanged);
    await expectAmount(page, '$750.50');
    assert.deepEqual(await count(email), UNPAID);

    await finish(page);
    await page.locator('.completion').getByText('$750.50 in US dollars').waitFor();
    assert.deepEqual(await count(email), ONCE);
  });

  test('R4.1 the step shows the payment’s own amount, after a reload too', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    const email = 'reloaded-dearer@example.org';
    await walkToPayment(page, email);
    await chargeInstead(email, 75_050, run.product.sandboxUrl);
    await page.reload();
    await expectPaymentStep(page);
    await expectAmount(page, '$750.50');
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await page.locator('.completion').getByText('$750.50 in US dollars').waitFor();
    assert.deepEqual(await count(email), ONCE);
    assertQuiet();
  });

  test('R4.1 what the endpoint says of the amount is shown before Stripe is asked, and kept', async (t) => {
    const { page } = await openSite(t);
    await page.route(INTENTS, () => {});
    await page.route(`**${CREATE_PAYMENT_PATH}`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), amountCents: 75_050 } });
    });
    await walkToPayment(page, 'told@example.org');
    await expectAmount(page, '$750.50');
    await page.reload();
    await expectPaymentStep(page);
    await expectAmount(page, '$750.50');
  });
});
