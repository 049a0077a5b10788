import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { CREATE_PAYMENT_PATH, messages, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessible } from './steps/looks.ts';
import * as steps from './steps/registration.ts';

/** How long the server asks the page to wait; the tests let this time pass by the page's clock. */
const WAIT_S = 600;

/** Makes the server answer this many times that it has no room. */
async function refuse(page: Page, path: string, times: number): Promise<void> {
  const error = { code: 'payment_provider_busy', message: messages.noRoom };
  const headers = { 'Retry-After': String(WAIT_S) };
  expectNoise(page, /status of 503/);
  await page.clock.install();
  await page.route(`**${path}`, (route) => route.fulfill({ status: 503, headers, json: { error } }), {
    times,
  });
}

test.describe('if the site has no room, the page presses once more by itself when it was told to', () => {
  test.use({ visitor: PHONE });

  test('R4.2 R4.5 contact step: refused again, she reads why and presses herself, with one payment', async ({
    site,
  }) => {
    const email = 'busy@example.org';
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await refuse(page, CREATE_PAYMENT_PATH, 2);
    const refused = page.waitForResponse(`**${CREATE_PAYMENT_PATH}`);
    await steps.submitContact(page, email);
    await refused;
    const refusedAgain = page.waitForResponse(`**${CREATE_PAYMENT_PATH}`);
    await page.clock.fastForward(WAIT_S * 1000);
    await refusedAgain;
    await steps.expectFormError(page, messages.noRoom);
    await assertAccessible(page, 'contact step refused', '#register-stepper');
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await steps.expectPaymentStep(page);
    assert.equal(submits.length, 3);
    assert.equal(new Set(submits.map((submit) => JSON.stringify(submit))).size, 1);
    const { customers, intents } = await site.countPayments(email);
    assert.deepEqual([customers, intents], [1, 1]);
  });

  test('R4.2 contact step: what she edits while the page waits is not sent as it was', async ({ site }) => {
    const email = 'edited-while-busy@example.org';
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await refuse(page, CREATE_PAYMENT_PATH, 1);
    const refused = page.waitForResponse(`**${CREATE_PAYMENT_PATH}`);
    await steps.submitContact(page, 'typed-while-busy@example.org');
    await refused;
    await page.getByLabel('Email').fill(email);
    await steps.expectFormError(page, messages.noRoom);
    await page.clock.fastForward(WAIT_S * 1000);
    assert.equal(submits.length, 1);
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await steps.expectPaymentStep(page);
    assert.equal(submits.at(-1)?.email, email);
    const { customers, intents } = await site.countPayments(email);
    assert.deepEqual([customers, intents], [1, 1]);
  });

  test('R4.3 payment step: the card is charged only after the consent is recorded, and once', async ({
    site,
  }) => {
    const email = 'busy-consent@example.org';
    const page = await site.open();
    await refuse(page, RECORD_CONSENT_PATH, 1);
    await steps.walkToPayment(page, email);
    const refused = page.waitForResponse(`**${RECORD_CONSENT_PATH}`);
    await steps.payWith(page, steps.testCards.succeeds);
    await refused;
    assert.equal((await site.countPayments(email)).paid, 0);
    await page.clock.fastForward(WAIT_S * 1000);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });
});
