import { DESKTOP, expectNoise } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { signIn } from '#client/e2e/steps/office.ts';
import * as steps from '#client/e2e/steps/registration.ts';

test('R5.4 the board of the built site shows its mails, under its policy', async ({ site }) => {
  const email = 'on-the-board@example.org';
  await steps.openPayment(site, email);
  await site.untilSent('registration-received', email);
  const page = await site.openEmpty(DESKTOP);
  expectNoise(page, /fonts\.googleapis\.com/);
  await page.goto(`${site.product.opsUrl}/queues/queue/mail`);
  await signIn(page, 'support');
  await page
    .getByText(await site.intentIdOf(email))
    .first()
    .waitFor();
});
