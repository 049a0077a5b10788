import assert from 'node:assert/strict';
import type { Page, Route } from '@playwright/test';
import { CREATE_PAYMENT_PATH } from '#shared/registration.ts';
import { expectNoise } from './run/browser.ts';
import { ONCE, UNPAID } from './run/outcome.ts';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

test.describe('R4.5 one registration has one customer, one payment and one charge', () => {
  const pressNext = (page: Page) => page.getByRole('button', { name: 'Next' }).click();

  /** Submits the contact step; the submit and its retries reach the server, but their answers are lost. */
  async function submitAndLoseAnswer(page: Page, email: string): Promise<void> {
    const lose = async (route: Route) => {
      await route.fetch();
      await route.abort();
    };
    await page.route(`**${CREATE_PAYMENT_PATH}`, lose, steps.UNANSWERED);
    await steps.submitContact(page, email);
    await steps.expectFormError(page, 'An unexpected error occurred');
    expectNoise(page, /network error/);
  }

  test('pressing twice pays once, and another person can register afterwards', { tag: '@journey' }, async ({
    site,
  }) => {
    const page = await site.open();
    await steps.choosePackage(page);
    await steps.fillContact(page, { ...steps.visitor, email: 'twice@example.org' });
    await page.getByRole('button', { name: 'Next' }).dblclick();
    await steps.expectPaymentStep(page);
    await steps.fillPayment(page, steps.testCards.succeeds);
    await page.getByRole('button', { name: 'Finish' }).dblclick();
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments('twice@example.org'), ONCE);

    await page.getByRole('button', { name: 'Register another person' }).click();
    await steps.choosePackage(page);
    assert.equal(await page.getByLabel('First name').inputValue(), '');
    await steps.giveContact(page, { ...steps.visitor, email: 'friend@example.org' });
    assert.deepEqual(await site.countPayments('friend@example.org'), UNPAID);
  });

  test('R2.1 back and edit: the details are kept, the receipt goes to the corrected address', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'mistyped@example.org');
    await page.getByRole('button', { name: 'Back' }).click();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.getByLabel('Last name').inputValue(), steps.visitor.lastName);
    await steps.giveContact(page, { ...steps.visitor, email: 'corrected@example.org' });
    await steps.pay(page);

    const intent = await site.stripe.paymentIntents.retrieve(await site.intentIdOf('corrected@example.org'));
    assert.equal(intent.receipt_email, 'corrected@example.org');
    assert.deepEqual(await site.countPayments('corrected@example.org'), ONCE);
  });

  test('after a lost answer, a reload, a refusal and an edit, the same payment is corrected', async ({
    site,
  }) => {
    const lost = 'lost-answer@example.org';
    const page = await site.open();
    await submitAndLoseAnswer(page, lost);
    await page.reload();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), lost);
    const message = 'Please try again in a minute';
    await steps.refuseOnce(page, 429, { code: 'too_many_registrations', message });
    await pressNext(page);
    await steps.expectFormError(page, message);
    await steps.giveContact(page, { ...steps.visitor, email: `edited-${lost}` });
    await steps.pay(page);
    assert.deepEqual(await site.countPayments(`edited-${lost}`), ONCE);
    assert.equal((await site.countPayments(lost)).customers, 0);
  });

  test('after a lost answer to the confirmation the payment is found, and not paid again', async ({
    site,
  }) => {
    const page = await steps.openPayment(site, 'paid-lost@example.org');
    await page.route('**/confirm', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await steps.pay(page);
    assert.deepEqual(await site.countPayments('paid-lost@example.org'), ONCE);
  });

  test('R4.4 R4.5 after a lost answer to the confirmation the page does not say that nothing was charged, nor after a retry, which first reads the payment’s state', async ({
    site,
  }) => {
    const email = 'unheard-of@example.org';
    const page = await steps.openPayment(site, email);
    await steps.fillPayment(page, steps.testCards.succeeds);
    await steps.loseConfirmation(page);
    await steps.finish(page);
    const connectionLost = `An unexpected error occurredThe connection was lost while you were paying.`;
    await steps.expectFormError(page, connectionLost);
    await steps.finish(page);
    await page.getByRole('status').filter({ hasText: 'One moment' }).waitFor({ state: 'hidden' });
    await steps.expectFormError(page, connectionLost);
    assert.equal(await page.getByText('Nothing was charged').count(), 0);
    await page.context().setOffline(false);
    let confirmations = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/confirm')) confirmations += 1;
    });
    await steps.finish(page);
    await steps.expectCompletion(page);
    assert.equal(confirmations, 0);
    assert.deepEqual(await site.countPayments(email), ONCE);
  });

  test('starting over after a lost answer to the confirmation shows that it was paid', async ({ site }) => {
    const page = await steps.openPayment(site, 'unclear@example.org');
    await steps.fillPayment(page, steps.testCards.succeeds);
    await steps.loseConfirmation(page);
    await steps.finish(page);
    await steps.expectFormError(page, 'The connection was lost while you were paying');
    await page.context().setOffline(false);
    await steps.startOver(page);
    await steps.expectCompletion(page);
    assert.deepEqual(await site.countPayments('unclear@example.org'), ONCE);
  });

  test('starting over before the bank has decided continues with the same payment', async ({ site }) => {
    const page = await steps.openPayment(site, 'undecided@example.org');
    await steps.payWith(page, steps.testCards.authenticates);
    await page.getByRole('button', { name: 'Complete authentication' }).waitFor();
    await page.reload();
    await steps.expectPaymentStep(page);
    await page.getByLabel('Credit or debit card number').waitFor();
    await steps.startOver(page);
    await steps.walkToPayment(page, 'decided@example.org');
    await steps.pay(page);
    assert.deepEqual(await site.countPayments('decided@example.org'), ONCE);
    assert.equal((await site.countPayments('undecided@example.org')).customers, 0);
  });

  test('paid in one tab, then edited for somebody else in the other: she reads so, and the next press makes a new registration', async ({
    site,
  }) => {
    const page = await site.open();
    const other = await site.openTab(page);
    for (const tab of [page, other]) {
      await tab.bringToFront();
      await steps.walkToPayment(tab, 'first@example.org');
    }
    await page.bringToFront();
    await steps.pay(page);
    await other.bringToFront();
    await other.getByRole('button', { name: 'Back' }).click();
    await steps.fillContact(other, { ...steps.visitor, email: 'second@example.org' });
    await pressNext(other);
    expectNoise(page, /status of 409/);
    await steps.expectFormError(other, 'This registration has been paid already');
    await pressNext(other);
    await steps.expectPaymentStep(other);
    await steps.pay(other);
    assert.deepEqual(await site.countPayments('first@example.org'), ONCE);
    assert.deepEqual(await site.countPayments('second@example.org'), ONCE);
  });

  test('two tabs with the same details, pressed at once: one payment, and once it is paid in one, the other shows it', async ({
    site,
  }) => {
    const page = await site.open();
    const other = await site.openTab(page);
    for (const tab of [page, other]) {
      await tab.bringToFront();
      await steps.choosePackage(tab);
      await steps.fillContact(tab, { ...steps.visitor, email: 'tabs@example.org' });
    }
    await Promise.all([pressNext(page), pressNext(other)]);
    await Promise.all([steps.expectPaymentStep(page), steps.expectPaymentStep(other)]);
    assert.deepEqual(await site.countPayments('tabs@example.org'), UNPAID);
    await steps.fillPayment(other, steps.testCards.succeeds);
    await page.bringToFront();
    await steps.pay(page);
    await other.bringToFront();
    await steps.finish(other);
    await steps.expectCompletion(other);
    const late = await site.openTab(page);
    await steps.choosePackage(late);
    await steps.giveContact(late, { ...steps.visitor, email: 'tabs@example.org' }, steps.expectCompletion);
    assert.deepEqual(await site.countPayments('tabs@example.org'), ONCE);
  });
});
