import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { facts, terms } from '#shared/content/compiled/on-sale.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { expectNoise } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { type Site, test } from './run/test.ts';
import * as steps from './steps/registration.ts';

const CONSENT = `**${RECORD_CONSENT_PATH}`;
const TERMS_PATH = termsPathOf(facts, terms).slice(1);

test.describe('the consent to the terms is recorded before the card is charged', () => {
  /** The welcome names the terms only if her consent to them is on record. */
  async function assertRecorded(email: string, site: Site): Promise<void> {
    await site.untilSent('welcome', email);
    const mails = await site.mailsTo(email);
    assert.ok(mails.some(({ text }) => text.includes(`/${TERMS_PATH}`)));
  }

  /** Collects the requests that charge the card, successful or not. */
  function watchConfirmations(page: Page): string[] {
    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/confirm')) sent.push(request.url());
    });
    return sent;
  }

  test('if the consent gets no answer, she sees an unexpected error, nothing is charged, and she can press again', async ({
    site,
  }) => {
    const email = 'consent-lost@example.org';
    const page = await site.open();
    const confirmations = watchConfirmations(page);
    await page.route(CONSENT, (route) => route.abort(), steps.UNANSWERED);
    await steps.walkToPayment(page, email);
    await steps.payWith(page, steps.testCards.succeeds);
    await steps.expectFormError(page, 'An unexpected error occurredNothing was charged.');
    assert.deepEqual(confirmations, []);
    assert.deepEqual(await site.countPayments(email), UNPAID);
    await steps.finish(page);
    await steps.expectCompletion(page);
    await assertRecorded(email, site);
    assert.deepEqual(await site.countPayments(email), ONCE);
    expectNoise(page, /could not be recorded/);
  });

  test('consent to a payment that succeeded meanwhile is refused: she sees the completion view and is not charged again', async ({
    site,
  }) => {
    const email = 'consent-after-paid@example.org';
    const page = await site.open();
    const confirmations = watchConfirmations(page);
    await page.route(CONSENT, async (route) => {
      const id = await site.intentIdOf(email);
      const { paymentIntents } = site.stripe;
      await paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
      await route.continue();
    });
    await steps.walkToPayment(page, email);
    await steps.pay(page);
    assert.deepEqual(confirmations, []);
    assert.deepEqual(await site.countPayments(email), ONCE);
    expectNoise(page, /status of 409/);
  });
});
