import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import { registrationCopy } from '#shared/content/registration.ts';
import { messages } from '#shared/registration.ts';
import { expectNoise, PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import * as steps from './steps/registration.ts';

test.describe('R4.5 somebody registers with a name and an address that have a paid place already', () => {
  test.use({ visitor: PHONE });

  const askOnce = (page: Page) =>
    steps.refuseOnce(page, 409, { code: 'registered_before', message: messages.registeredBefore });
  const pressNext = (page: Page) => page.getByRole('button', { name: 'Next' }).click();
  const answer = (page: Page) => page.getByRole('button', { name: registrationCopy.somebodyElse });
  const question = (page: Page) => page.getByRole('alert').filter({ hasText: messages.registeredBefore });

  async function expectQuestion(page: Page): Promise<void> {
    await steps.expectFormError(page, messages.registeredBefore);
    await answer(page).waitFor();
    const help = page.locator('.form-help');
    assert.equal(await help.getByRole('link', { name: '+1 (555) 555-0100' }).count(), 1);
  }

  async function expectNoQuestion(page: Page): Promise<void> {
    await question(page).waitFor({ state: 'detached' });
    await answer(page).waitFor({ state: 'detached' });
  }

  test('she is asked at every `Next` until she changes her name and her address; any other message replaces the question', async ({
    site,
  }) => {
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await askOnce(page);
    await steps.submitContact(page, 'before@example.org');
    await expectQuestion(page);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('#register-stepper').getByRole('button', { name: 'Reserve your spot now' }).click();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    await expectNoQuestion(page);
    assert.equal(await page.getByLabel('First name').inputValue(), steps.visitor.firstName);

    await askOnce(page);
    await pressNext(page);
    await expectQuestion(page);
    const message = 'Please try again in a minute';
    await steps.refuseOnce(page, 429, { code: 'too_many_registrations', message });
    await answer(page).click();
    await steps.expectFormError(page, message);
    await expectNoQuestion(page);

    for (const [label, other] of [
      ['First name', 'Betty'],
      ['Last name', 'Rubble'],
      ['Email', 'another@example.org'],
    ] as const) {
      await askOnce(page);
      await pressNext(page);
      await expectQuestion(page);
      await page.getByLabel(label).fill(other);
      await expectNoQuestion(page);
    }
    await pressNext(page);
    await steps.expectPaymentStep(page);
    assert.deepEqual(
      submits.map(({ somebodyElse }) => somebodyElse === true),
      [false, false, true, false, false, false, false],
    );
  });

  test('question and answer are in view; by keyboard the answer is the next stop, and says that it is for somebody else', async ({
    site,
  }) => {
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await askOnce(page);
    await steps.submitContact(page, 'keyboard-before@example.org');
    await expectQuestion(page);
    await expect(question(page)).toBeFocused();
    for (const part of [question(page), answer(page)]) await expect(part).toBeInViewport({ ratio: 1 });
    await page.keyboard.press('Tab');
    await expect(answer(page)).toBeFocused();
    await page.keyboard.press('Enter');
    await steps.expectPaymentStep(page);
    assert.deepEqual(
      submits.map(({ somebodyElse }) => somebodyElse === true),
      [false, true],
    );
  });

  test('if the response to her answer is lost, the answer is sent again unchanged, before other details', async ({
    site,
  }) => {
    const page = await site.open();
    const submits = steps.watchSubmits(page);
    await askOnce(page);
    await steps.submitContact(page, 'lost-answer@example.org');
    await expectQuestion(page);
    expectNoise(page, /network error/);
    await page.route('**/createRetreatCustomerPayment', (route) => route.abort(), steps.UNANSWERED);
    await answer(page).click();
    await steps.expectFormError(page, messages.unexpected);
    await page.getByLabel('First name').fill('Betty');
    await pressNext(page);
    await steps.expectPaymentStep(page);
    assert.deepEqual(
      submits.map(({ firstName, somebodyElse }) => [firstName, somebodyElse === true]),
      [
        ['Wilma', false],
        ...Array.from({ length: steps.UNANSWERED.times }, () => ['Wilma', true]),
        ['Wilma', true],
        ['Betty', false],
      ],
    );
  });
});
