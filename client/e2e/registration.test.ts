import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPage } from './browser.ts';
import { readMailsTo } from './mailbox.ts';
import { countPaymentsOf } from './payments.ts';
import {
  choosePackage,
  expectCompletion,
  expectPaymentStep,
  fillContact,
  finish,
  giveBillingDetails,
  giveContact,
  testCards,
  typeCard,
  visitor,
} from './registration.ts';
import { runProduct } from './run-product.ts';

const DESKTOP = { width: 1280, height: 900 };

const MAIL_SENT = 'Mail sent';

/** Browsers log an answer of 402, Stripe's for a declined card, by themselves. */
const DECLINE = { except: /status of 402/ };

describe('the registration stepper', () => {
  const run = runProduct();

  async function openSite(t: TestContext) {
    const watched = await openPage(run.browser, DESKTOP);
    t.after(watched.close);
    await watched.page.goto(run.product.siteUrl);
    return watched;
  }

  async function walkToPayment(page: Page, email: string) {
    await choosePackage(page);
    await giveContact(page, { ...visitor, email });
  }

  test('R2.3 R2.4 the first step: Back is disabled, the package shows its prices', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    const stepper = page.locator('#register-stepper');
    assert.ok(await stepper.getByRole('button', { name: 'Back' }).isDisabled());
    const card = (await stepper.locator('.package-card').textContent()) ?? '';
    for (const words of ['Register Now – SAVE $100', '$1,495', '$1,395', 'EARLY BIRD RATE', '$721**']) {
      assert.ok(card.includes(words), `the card does not say ${words}`);
    }
    assert.equal((await stepper.locator('.package-card').boundingBox())?.width, 386);
    assertQuiet();
  });

  test('R2.8 R3.1 R3.5 contact: errors once touched, a press after leaving a wrong field counts, focus on the first', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await choosePackage(page);
    const errors = page.locator('.field__error:not(:empty)');
    assert.equal(await errors.count(), 0);
    await page.getByLabel('First name').fill('Wilma');
    await page.getByLabel('Email').fill('wilma@');
    await page.getByRole('button', { name: 'Next' }).click();
    assert.deepEqual(await errors.allTextContents(), [
      'Last name is required',
      'A valid email is required',
      'Phone is required',
    ]);
    assert.equal(await focusedId(page), 'register-lastName');
    assertQuiet();
  });

  test('R2.8 R3.2 R3.3 payment: errors after a submit only, focus on the card number', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await walkToPayment(page, 'errors@example.org');
    await page.getByLabel('Credit or debit card number').waitFor();
    await finish(page);
    assert.deepEqual(await page.locator('.field__error:not(:empty)').allTextContents(), [
      'Card number is required',
      'Card expiry is required',
      'Card CVC is required',
      'Street is required',
      'City is required',
      'State or province is required',
      'Card postal code is required',
      'Card country is required',
      'Please read the terms first',
    ]);
    await page.keyboard.type('4242');
    assert.equal(await page.getByLabel('Credit or debit card number').inputValue(), '4242');
    assertQuiet();
  });

  test('R4.4 a declined card: the provider’s words, the form stays filled, another card works', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await walkToPayment(page, 'declined@example.org');
    await typeCard(page, testCards.declined);
    await giveBillingDetails(page);
    await finish(page);
    await page.getByRole('alert').filter({ hasText: 'Your card was declined.' }).waitFor();
    assert.equal(await page.getByLabel('City').inputValue(), 'Santa Cruz');

    await typeCard(page, testCards.succeeds);
    await finish(page);
    await expectCompletion(page);
    assertQuiet(DECLINE);
  });

  test('R4.3 3-D Secure: a failed challenge says so, a completed one pays', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await walkToPayment(page, 'challenge@example.org');
    await typeCard(page, testCards.authenticates);
    await giveBillingDetails(page);
    await finish(page);
    await page.getByRole('button', { name: 'Fail authentication' }).click();
    await page.getByRole('alert').filter({ hasText: 'We are unable to authenticate' }).waitFor();

    await finish(page);
    await page.getByRole('button', { name: 'Complete authentication' }).click();
    await expectCompletion(page);
    assertQuiet(DECLINE);
  });

  test('R2.1 R4.5 back and edit: the details are kept, the receipt goes to the corrected address', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    const sentBefore = run.product.output().split(MAIL_SENT).length - 1;
    await walkToPayment(page, 'mistyped@example.org');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.getByLabel('Last name').inputValue(), visitor.lastName);
    await giveContact(page, { ...visitor, email: 'corrected@example.org' });
    await typeCard(page, testCards.succeeds);
    await giveBillingDetails(page);
    await finish(page);
    await expectCompletion(page);

    await run.product.untilPrinted(MAIL_SENT, sentBefore + 3);
    const mails = await readMailsTo('corrected@example.org', run.product.mailboxUrl);
    assert.deepEqual(mails.map(({ subject }) => subject.split(' ')[0]).sort(), ['We', 'Welcome']);
    assert.deepEqual(await countPaymentsOf('corrected@example.org', run.product.sandboxUrl), {
      customers: 1,
      intents: 1,
    });
    assertQuiet();
  });

  test('R4.3 an answer that was lost: what was paid is found, and never paid again', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await walkToPayment(page, 'lost@example.org');
    await page.route('**/confirm', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await typeCard(page, testCards.succeeds);
    await giveBillingDetails(page);
    await finish(page);
    await expectCompletion(page);
    assert.deepEqual(await countPaymentsOf('lost@example.org', run.product.sandboxUrl), {
      customers: 1,
      intents: 1,
    });
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('R4.5 pressing twice pays once, and another person can register afterwards', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await choosePackage(page);
    await fillContact(page, { ...visitor, email: 'twice@example.org' });
    await page.getByRole('button', { name: 'Next' }).dblclick();
    await expectPaymentStep(page);
    await typeCard(page, testCards.succeeds);
    await giveBillingDetails(page);
    await page.getByRole('button', { name: 'Finish' }).dblclick();
    await expectCompletion(page);
    assert.deepEqual(await countPaymentsOf('twice@example.org', run.product.sandboxUrl), {
      customers: 1,
      intents: 1,
    });

    await page.getByRole('button', { name: 'Register another person' }).click();
    await choosePackage(page);
    assert.equal(await page.getByLabel('First name').inputValue(), '');
    await giveContact(page, { ...visitor, email: 'friend@example.org' });
    assert.deepEqual(await countPaymentsOf('friend@example.org', run.product.sandboxUrl), {
      customers: 1,
      intents: 1,
    });
    assertQuiet();
  });

  test('R2.6 R2.7 the payment step shows the details once more, the selection and the policies', async (t) => {
    const { page } = await openSite(t);
    await walkToPayment(page, 'details@example.org');
    const details = (await page.locator('.confirm-details').textContent()) ?? '';
    for (const words of ['Wilma', 'O’Hara', 'details@example.org', 'January 2026 Online Retreat Deposit']) {
      assert.ok(details.includes(words), `the details do not say ${words}`);
    }
    for (const heading of ['Registration Payment Policy', 'Cancellation Policy', 'Audio recording']) {
      await page.getByRole('heading', { name: heading }).waitFor();
    }
  });

  test('R4.4 Stripe.js blocked: the visitor is told that it is not ready', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await page.route('**/stripe.js', (route) => route.abort());
    await walkToPayment(page, 'blocked@example.org');
    await page.getByRole('alert').filter({ hasText: 'Stripe is not ready' }).waitFor();
    assertQuiet({ except: /ERR_FAILED/ });
  });

  test('R4.2 the endpoint failing: the visitor is told, and stays where she is', async (t) => {
    const { page, assertQuiet } = await openSite(t);
    await page.route('**/createRetreatCustomerPayment', (route) =>
      route.fulfill({ status: 502, body: '{}' }),
    );
    await choosePackage(page);
    await fillContact(page, visitor);
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('alert').filter({ hasText: 'An unexpected error occurred' }).waitFor();
    assert.equal(await page.getByLabel('First name').inputValue(), visitor.firstName);
    assertQuiet({ except: /status of 502|failed with status code 502/ });
  });
});

function focusedId(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.id);
}
