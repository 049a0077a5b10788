import assert from 'node:assert/strict';
import type { Locator, Page, Route } from '@playwright/test';
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

  const error = { code: 'any', message: 'Words of the endpoint' };
  for (const [what, answer, { times } = { times: 1 }] of [
    ['a refusal', (route: Route) => route.fulfill({ status: 409, json: { error } })],
    ['a lost connection', (route: Route) => route.abort(), steps.UNANSWERED],
  ] as const) {
    test(`if the consent gets ${what}, she sees an unexpected error, nothing is charged, and she can press again`, async ({
      site,
    }) => {
      const email = `consent-${what.replaceAll(' ', '-')}@example.org`;
      const page = await site.open();
      const confirmations = watchConfirmations(page);
      await page.route(CONSENT, answer, { times });
      await steps.walkToPayment(page, email);
      await steps.payWith(page, steps.testCards.succeeds);
      await steps.expectFormError(page, 'An unexpected error occurredNothing was charged.');
      assert.deepEqual(confirmations, []);
      assert.deepEqual(await site.countPayments(email), UNPAID);
      await steps.finish(page);
      await steps.expectCompletion(page);
      await assertRecorded(email, site);
      assert.deepEqual(await site.countPayments(email), ONCE);
      expectNoise(page, /status of 409|could not be recorded/);
    });
  }

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

  test('the terms that she ticks are word for word the ones on their own page', async ({ site }) => {
    const page = await steps.openPayment(site, 'reads-terms@example.org');
    const policies = page.locator('.policies');
    const textsOf = async (sections: Locator) =>
      (await sections.locator('h2, h3, p').allTextContents()).map((text) =>
        text.replaceAll(/[\u2068\u2069\u200c]/g, '').replaceAll(/\s+/g, ' '),
      );
    const ticked = await textsOf(policies.locator('section'));
    const opened = page.context().waitForEvent('page');
    await policies.getByRole('link', { name: 'in a new tab' }).click();
    const own = await opened;
    assert.equal(own.url(), `${site.product.siteUrl}/${TERMS_PATH}`);
    assert.deepEqual(await textsOf(own.locator('section')), ticked);
    const { policies: all } = terms;
    assert.equal(ticked.length, all.length + all.flatMap(({ paragraphs }) => paragraphs).length);
  });

  test('without JavaScript the page links to the terms, and they can be printed', async ({ site }) => {
    const page = await site.open({ javaScriptEnabled: false });
    const link = page.locator('#register-stepper').getByRole('link', { name: 'in a new tab' });
    const opened = page.context().waitForEvent('page');
    await link.click();
    const own = await opened;
    assert.equal(own.url(), `${site.product.siteUrl}/${TERMS_PATH}`);
    await own.emulateMedia({ media: 'print' });
    const paragraphs = own.locator('section p');
    assert.equal(await paragraphs.count(), terms.policies.flatMap((policy) => policy.paragraphs).length);
    for (const paragraph of await paragraphs.all()) assert.ok(await paragraph.isVisible());
  });
});
