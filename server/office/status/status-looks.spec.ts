import { DESKTOP, openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { lookOnAllScreens } from '#client/e2e/steps/office.ts';

test('the status page: axe finds nothing and nothing overflows, in trouble, and while Redis is away', async ({
  browser,
  scope,
}) => {
  const { startListener } = await import('#server/testing/network.ts');
  const { insertFound } = await import('#server/testing/test-database.ts');
  const { startTestStatus } = await import('#server/testing/test-office.ts');
  const status = await startTestStatus(scope);
  const { url } = await startListener(scope, {}, status.status);
  await status.mailQueue.bullQueue.add('old', null, { timestamp: Date.now() - 1_000_000 });
  await insertFound(
    status.database,
    { attention: 'unreadable' },
    { overdue: 'declined', dueAt: new Date('2025-12-01T08:00:00.000Z') },
  );
  await status.setRegister({ copiedAt: null });
  const page = await openPage(browser, scope, DESKTOP);
  await page.goto(`${url}/office/status`);
  await page.getByRole('heading', { name: 'Messages wait' }).waitFor();
  await lookOnAllScreens(page, 'in trouble');
  await status.redis.stop();
  await page.getByRole('link', { name: 'Look again' }).click();
  await page.getByRole('heading', { name: 'Redis does not answer' }).waitFor();
  await lookOnAllScreens(page, 'Redis away');
});
