import { DESKTOP, openPage } from '#client/e2e/run/browser.ts';
import { test } from '#client/e2e/run/test.ts';
import { lookOnAllScreens } from '#client/e2e/steps/office.ts';
import { noteDueWork } from '#server/register/due-work.ts';
import type { TestScope } from '#server/testing/clean-up.ts';

/** A site with everything wrong that can be at once, and with numbers for the day. */
async function startTroubled(scope: TestScope) {
  const { startListener } = await import('#server/testing/network.ts');
  const { insertFound } = await import('#server/testing/test-database.ts');
  const { startTestStatus } = await import('#server/testing/test-office.ts');
  const { submitContact } = await import('#server/testing/test-site.ts');
  const status = await startTestStatus(scope);
  const { url } = await startListener(scope, {}, status.office);
  await submitContact(status.app).expect(200);
  await status.mailQueue.bullQueue.add('old', null, { timestamp: Date.now() - 1_000_000 });
  await status.mailQueue.bullQueue.pause();
  await noteDueWork(status.connection, new Date());
  await insertFound(
    status.database,
    { attention: 'unreadable' },
    { attention: 'unreadable' },
    { state: 'refund-failed' },
    ...['declined', 'declined', 'declined', 'no-consent', 'no-notice'].map((overdue) => ({ overdue })),
  );
  await status.read();
  status.pass(1);
  return { ...status, url: `${url}/office/status` };
}

test.describe('the status page in a browser, without script', () => {
  test('axe finds nothing and nothing overflows', async ({ browser, scope }) => {
    const status = await startTroubled(scope);
    const page = await openPage(browser, scope, DESKTOP);
    const assertLooks = async (state: string): Promise<void> => {
      await page.goto(status.url);
      for (const summary of await page.locator('summary').all()) await summary.click();
      await lookOnAllScreens(page, state);
    };
    await assertLooks('in trouble');
    await status.redis.stop();
    await assertLooks('Redis away');
    await status.bringRedisBack();
    await page.getByRole('link', { name: 'Look again' }).click();
    await page.locator('.lede').filter({ hasText: 'The worker' }).waitFor();
  });
});
