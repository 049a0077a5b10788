import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { registrationCopy } from '#shared/content/registration.ts';
import { CREATE_PAYMENT_PATH, messages, PROVIDER_BUSY, RECORD_CONSENT_PATH } from '#shared/registration.ts';
import { PHONE } from './run/browser.ts';
import { ONCE } from './run/payments.ts';
import { runProduct } from './run/run-product.ts';
import { assertAccessible } from './steps/axe.ts';
import {
  expectCompletion,
  expectPaymentStep,
  fillPayment,
  finish,
  submitContact,
  testCards,
  walkToPayment,
  watchSubmits,
} from './steps/registration.ts';

const { inTurn, reassurance } = registrationCopy;
const error = { code: PROVIDER_BUSY, message: messages.providerBusy };
const QUIET = { except: /status of 503/ };

/** Makes the server answer this many times that Stripe is busy. */
async function throttle(page: Page, path: string, retryAfterS: number, times: number): Promise<void> {
  const headers = { 'Retry-After': String(retryAfterS) };
  await page.route(`**${path}`, (route) => route.fulfill({ status: 503, headers, json: { error } }), {
    times,
  });
}

function noticeOn(page: Page) {
  return page.getByRole('status').filter({ hasText: inTurn.why });
}

describe('if Stripe throttles, the visitor reads why she waits, and the page retries automatically', () => {
  const run = runProduct({ visitor: PHONE });
  const { openSite, countPayments } = run;

  test('R4.2 R4.5 contact step: the page says so, counts down, and continues without a press, with one payment', async (t) => {
    const email = 'in-turn@example.org';
    const { page, assertQuiet } = await openSite(t);
    const submits = watchSubmits(page);
    await throttle(page, CREATE_PAYMENT_PATH, 2, 2);
    await submitContact(page, email);
    await noticeOn(page).waitFor();
    const words = (await noticeOn(page).textContent()) ?? '';
    assert.ok(words.includes(reassurance.nothingCharged) && words.includes(inTurn.stay), words);
    await page
      .getByRole('timer')
      .filter({ hasText: inTurn.next(1) })
      .waitFor();
    await assertAccessible(page, 'contact step in line', '#register-stepper');
    await expectPaymentStep(page);
    assert.equal(submits.length, 3);
    assert.equal(new Set(submits.map((submit) => JSON.stringify(submit))).size, 1);
    assert.equal(await noticeOn(page).count(), 0);
    const { customers, intents } = await countPayments(email);
    assert.deepEqual([customers, intents], [1, 1]);
    assertQuiet(QUIET);
  });

  test('she can retry at once, also with the keyboard', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await throttle(page, CREATE_PAYMENT_PATH, 600, 1);
    await submitContact(page, 'in-turn-now@example.org');
    await page
      .getByRole('timer')
      .filter({ hasText: /Next try in (600|599) seconds/ })
      .waitFor();
    await page.getByRole('button', { name: inTurn.now }).press('Enter');
    await expectPaymentStep(page);
    assertQuiet(QUIET);
  });

  test('R4.3 payment step: the card is charged only after the consent is recorded, and once', async (t) => {
    const email = 'in-turn-consent@example.org';
    const { page, assertQuiet } = await openSite(t);
    await throttle(page, RECORD_CONSENT_PATH, 3, 1);
    await walkToPayment(page, email);
    await fillPayment(page, testCards.succeeds);
    await finish(page);
    await noticeOn(page).waitFor();
    assert.equal((await countPayments(email)).paid, 0);
    await expectCompletion(page);
    assert.deepEqual(await countPayments(email), ONCE);
    assertQuiet(QUIET);
  });
});
