import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { registrationCopy } from '#shared/content/registration.ts';
import { messages } from '#shared/registration.ts';
import { PHONE } from './run/browser.ts';
import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
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

  test('she is asked at every `Next`; only the answer’s button says that it is for somebody else', async ({
    site,
  }) => {
    const { page, assertQuiet } = await site.open();
    const submits = steps.watchSubmits(page);
    await askOnce(page);
    await steps.submitContact(page, 'before@example.org');
    await expectQuestion(page);
    await askOnce(page);
    await pressNext(page);
    await expectQuestion(page);
    await answer(page).click();
    await steps.expectPaymentStep(page);
    assert.deepEqual(
      submits.map(({ somebodyElse }) => somebodyElse === true),
      [false, false, true],
    );
    assertQuiet({ except: /status of 409/ });
  });

  for (const [label, other] of [
    ['First name', 'Betty'],
    ['Last name', 'Rubble'],
    ['Email', 'another@example.org'],
  ] as const) {
    test(`the question goes away when she changes: ${label}`, async ({ site }) => {
      const { page } = await site.open();
      const submits = steps.watchSubmits(page);
      await askOnce(page);
      await steps.submitContact(page, 'changed-before@example.org');
      await expectQuestion(page);
      await page.getByLabel(label).fill(other);
      await expectNoQuestion(page);
      await pressNext(page);
      await steps.expectPaymentStep(page);
      assert.equal(submits.at(-1)?.somebodyElse === true, false);
    });
  }

  test('if her answer is refused for another reason, that message replaces the question', async ({
    site,
  }) => {
    const { page } = await site.open();
    await askOnce(page);
    await steps.submitContact(page, 'refused-answer@example.org');
    await expectQuestion(page);
    const message = 'Please try again in a minute';
    await steps.refuseOnce(page, 429, { code: 'too_many_registrations', message });
    await answer(page).click();
    await steps.expectFormError(page, message);
    await expectNoQuestion(page);
  });

  test('the question is gone when she comes back to the step', async ({ site }) => {
    const { page } = await site.open();
    await askOnce(page);
    await steps.submitContact(page, 'back-before@example.org');
    await expectQuestion(page);
    await page.getByRole('button', { name: 'Back' }).click();
    await page.locator('#register-stepper').getByRole('button', { name: visitorsChoice }).click();
    await page.getByRole('heading', { name: 'Get started now' }).waitFor();
    await expectNoQuestion(page);
    assert.equal(await page.getByLabel('First name').inputValue(), steps.visitor.firstName);
  });

  test('if the response to her answer is lost, the answer is sent again unchanged, before other details', async ({
    site,
  }) => {
    const { page } = await site.open();
    const submits = steps.watchSubmits(page);
    await askOnce(page);
    await steps.submitContact(page, 'lost-answer@example.org');
    await expectQuestion(page);
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

  test('by keyboard the answer is the next stop after the question, and both are in view', async ({
    site,
  }) => {
    const { page } = await site.open();
    await askOnce(page);
    await steps.submitContact(page, 'keyboard-before@example.org');
    await expectQuestion(page);
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'alert');
    for (const part of [question(page), answer(page)]) {
      const box = await part.boundingBox();
      assert.ok(box && box.y >= 0 && box.y + box.height <= 844, `it is at ${box?.y}`);
    }
    await page.keyboard.press('Tab');
    assert.equal(
      await page.evaluate(() => document.activeElement?.textContent),
      registrationCopy.somebodyElse,
    );
    await page.keyboard.press('Enter');
    await steps.expectPaymentStep(page);
  });

  test('axe finds nothing, and nothing scrolls sideways', async ({ site }) => {
    const { page } = await site.open({ width: 360 });
    await askOnce(page);
    await steps.submitContact(page, 'axe-before@example.org');
    await expectQuestion(page);
    await assertAccessibleInBoth(page, 'contact step with the question');
    for (const width of [360, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 844 });
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
    }
  });
});

const visitorsChoice = 'Reserve your spot now';
