import { DESKTOP, expectNoise, openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { letter } from '#scripts/world/letters.ts';
import { listen } from '#server/http/listen.ts';

test('R5.4 the board works under its policy', async ({ browser, scope }) => {
  const { startTestOffice } = await import('#server/testing/test-office.ts');
  const env = { OPS_USER: 'ops', OPS_PASSWORD: 'secret' };
  const { office: ops, mailQueue } = await startTestOffice(scope, { env });
  await mailQueue.add(letter('registration-received'));
  const listener = await listen(ops, { host: '127.0.0.1', port: 0 });
  scope.after(listener.close);
  const page = await openPage(browser, scope, DESKTOP);
  expectNoise(page, /fonts\.googleapis\.com/);
  await page.goto(`${listener.url}/queues/queue/mail`);
  await page.getByLabel('Name').fill('support');
  await page.getByLabel('Password').fill('support');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(letter('registration-received').paymentIntentId).first().waitFor();
});
