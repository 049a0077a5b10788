import { test } from './run/test.ts';
import { assertAccessible } from './steps/axe.ts';
import {
  choosePackage,
  expectCompletion,
  finish,
  giveBillingDetails,
  giveContact,
  testCards,
  typeCard,
  visitor,
} from './steps/registration.ts';

const sizes = [
  { name: 'phone', width: 390, height: 844 },
  { name: 'desktop', width: 1280, height: 900 },
] as const;

/** The part of the page that a step changes. The rest is checked before the first step and in the last two states. */
const STEPPER = '#register-stepper';

test.describe('axe finds nothing', () => {

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const { name, width, height } of sizes) {
      const open = async (t: TestContext) => {
        const { page } = await site.open({ width, height, colorScheme });
        return page;
      };

      test(`on the page with an open FAQ answer, ${colorScheme}, ${name}`, async ({ site }) => {
        const page = await open(t);
        await page.locator('summary').first().click();
        await assertAccessible(page, 'landing page');
      });

      test(`on each step of the registration, with its errors, ${colorScheme}, ${name}`, async ({ site }) => {
        const page = await open(t);
        await choosePackage(page);
        await assertAccessible(page, 'contact step', STEPPER);
        await page.getByRole('button', { name: 'Next' }).click();
        await assertAccessible(page, 'contact step with errors', STEPPER);
        await giveContact(page, { ...visitor, email: `${colorScheme}-${width}@example.org` });
        await page.getByLabel('Credit or debit card number').waitFor();
        await assertAccessible(page, 'payment step', STEPPER);
        await finish(page);
        await assertAccessible(page, 'payment step with errors');
        await typeCard(page, testCards.succeeds);
        await giveBillingDetails(page);
        await finish(page);
        await expectCompletion(page);
        await assertAccessible(page, 'completion');
      });
    }
  }
});
