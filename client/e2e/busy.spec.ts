import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { CREATE_PAYMENT_PATH, messages, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
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
  await page.route(`**${path}`, (route) => route.fulfill({ status: 503, headers, json: { error } }), {
    times,
  });
}

test.describe('if the site has no room, the page presses once more by itself when it was told to', () => {
  test.use({ visitor: PHONE });

  test('R4.2 R4.3 R4.5 on both steps, with one payment; refused again, or once she has edited, she presses herself', async ({
    site,
  }) => {
    const email = 'busy@example.org';
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await page.clock.install();
    await refuse(page, CREATE_PAYMENT_PATH, 3);
    const answered = () => page.waitForResponse(`**${CREATE_PAYMENT_PATH}`);
    const refused = answered();
    await steps.submitContact(page, email);
    await refused;
    const refusedAgain = answered();
    await page.clock.fastForward(WAIT_S * 1000);
    await refusedAgain;
    await steps.expectFormError(page, messages.noRoom);
    await assertAccessible(page, 'contact step refused', '#register-stepper');
    const refusedOnceMore = answered();
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await refusedOnceMore;
    await page.getByLabel('Email').fill(`edited-${email}`);
    await steps.expectFormError(page, messages.noRoom);
    await page.clock.fastForward(WAIT_S * 1000);
    assert.deepEqual(
      submits.map((submit) => submit.email),
      [email, email, email],
    );
    await page.getByRole('button', { name: 'Next' }).press('Enter');
    await steps.expectPaymentStep(page);

    await refuse(page, RECORD_CONSENT_PATH, 1);
    const consent = page.waitForResponse(`**${RECORD_CONSENT_PATH}`);
    await steps.payWith(page, steps.testCards.succeeds);
    await consent;
    assert.deepEqual(await site.countPayments(`edited-${email}`), UNPAID);
    await page.clock.fastForward(WAIT_S * 1000);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(`edited-${email}`), ONCE);
  });
});
