import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { registrationCopy } from '#shared/content/registration.ts';
import { CREATE_PAYMENT_PATH, messages, PROVIDER_BUSY, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { ONCE } from './run/outcome.ts';
import { test } from './run/test.ts';
import { assertAccessible } from './steps/looks.ts';
import * as steps from './steps/registration.ts';

const { inTurn, reassurance } = registrationCopy;
const error = { code: PROVIDER_BUSY, message: messages.providerBusy };

/** How long the server asks the page to wait; the tests let this time pass by the page's clock. */
const WAIT_S = 600;
const HALF_MS = (WAIT_S * 1000) / 2;
/** What is left then, less what has passed on a slow machine. */
const AT_FIRST = /(600|5\d\d|4\d\d)/;
const AT_HALF_TIME = /(300|2\d\d|1\d\d)/;

/** Makes the server answer this many times that Stripe is busy. */
async function throttle(page: Page, path: string, times: number): Promise<void> {
  const headers = { 'Retry-After': String(WAIT_S) };
  expectNoise(page, /status of 503/);
  await page.clock.install();
  await page.route(`**${path}`, (route) => route.fulfill({ status: 503, headers, json: { error } }), {
    times,
  });
}

function noticeOn(page: Page) {
  return page.getByRole('status').filter({ hasText: inTurn.why });
}

/** Waits until the page counts so many seconds, which may be fewer by those that have passed. */
async function expectCountdown(page: Page, seconds: RegExp): Promise<void> {
  const text = new RegExp(`Next try in ${seconds.source} seconds`);
  await page.getByRole('timer').filter({ hasText: text }).waitFor();
}

test.describe('if Stripe throttles, the visitor reads why she waits, and the page retries automatically', () => {
  test.use({ visitor: PHONE });

  test('R4.2 R4.5 contact step: the page says so, counts down, and continues without a press, or with one of the keyboard, with one payment', async ({
    site,
  }) => {
    const email = 'in-turn@example.org';
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await throttle(page, CREATE_PAYMENT_PATH, 3);
    await steps.submitContact(page, email);
    await noticeOn(page).waitFor();
    const words = (await noticeOn(page).textContent()) ?? '';
    assert.ok(words.includes(reassurance.nothingCharged) && words.includes(inTurn.stay), words);
    await expectCountdown(page, AT_FIRST);
    await assertAccessible(page, 'contact step in line', '#register-stepper');
    await page.clock.fastForward(HALF_MS);
    await expectCountdown(page, AT_HALF_TIME);
    await page.clock.fastForward(HALF_MS);
    await expectCountdown(page, AT_FIRST);
    await page.clock.fastForward(HALF_MS);
    await expectCountdown(page, AT_HALF_TIME);
    await page.getByRole('button', { name: inTurn.now }).press('Enter');
    await expectCountdown(page, AT_FIRST);
    await page.clock.fastForward(2 * HALF_MS);
    await steps.expectPaymentStep(page);
    assert.equal(submits.length, 4);
    assert.equal(new Set(submits.map((submit) => JSON.stringify(submit))).size, 1);
    assert.equal(await noticeOn(page).count(), 0);
    const { customers, intents } = await site.countPayments(email);
    assert.deepEqual([customers, intents], [1, 1]);
  });

  test('R4.3 payment step: the card is charged only after the consent is recorded, and once', async ({
    site,
  }) => {
    const email = 'in-turn-consent@example.org';
    const page = await site.open();
    await throttle(page, RECORD_CONSENT_PATH, 1);
    await steps.walkToPayment(page, email);
    await steps.payWith(page, steps.testCards.succeeds);
    await noticeOn(page).waitFor();
    assert.equal((await site.countPayments(email)).paid, 0);
    await page.clock.fastForward(2 * HALF_MS);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });
});
