import { test } from './run/test.ts';
import { assertAccessibleInBoth } from './steps/axe.ts';
import * as steps from './steps/registration.ts';

const sizes = [
  { name: 'phone', width: 390, height: 844, tag: '@journey' },
  { name: 'desktop', width: 1280, height: 900, tag: [] },
];

/** The part of the page that a step changes. The rest is checked before the first step and in the last two states. */
const STEPPER = '#register-stepper';

test.describe('axe finds nothing, light or dark', () => {
  for (const { name, width, height, tag } of sizes) {
    test(`on the page with an open FAQ answer, ${name}`, { tag }, async ({ site }) => {
      const { page } = await site.open({ width, height });
      await page.locator('summary').first().click();
      await assertAccessibleInBoth(page, 'landing page');
    });

    test(`on each step of the registration, with its errors, ${name}`, { tag }, async ({ site }) => {
      const { page } = await site.open({ width, height });
      await steps.choosePackage(page);
      await assertAccessibleInBoth(page, 'contact step', STEPPER);
      await page.getByRole('button', { name: 'Next' }).click();
      await assertAccessibleInBoth(page, 'contact step with errors', STEPPER);
      await steps.giveContact(page, { ...steps.visitor, email: `axe-${width}@example.org` });
      await page.getByLabel('Credit or debit card number').waitFor();
      await assertAccessibleInBoth(page, 'payment step', STEPPER);
      await steps.finish(page);
      await assertAccessibleInBoth(page, 'payment step with errors');
      await steps.typeCard(page, steps.testCards.succeeds);
      await steps.giveBillingDetails(page);
      await steps.finish(page);
      await steps.expectCompletion(page);
      await assertAccessibleInBoth(page, 'completion');
    });
  }
});
