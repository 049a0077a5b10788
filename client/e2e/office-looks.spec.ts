import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { officePaths } from '#server/office/paths.ts';
import { leftToPay } from '#server/registration/registration.ts';
import { recordReceived } from '#server/testing/test-charges.ts';
import { findMail } from '#server/testing/test-letters.ts';
import { DESKTOP, expectNoise, openPage } from './run/browser.ts';
import { test as base } from './run/test.ts';
import { lookOnAllScreens } from './steps/office.ts';

const NOW = new Date('2025-12-29T12:00:00-08:00');

interface TestFixtures {
  /** A page at a desk, for what the office sees. */
  page: Page;
  /** Opens the list with this many registrations, at least: those before them stay. */
  openList(count: number): Promise<void>;
}

interface OfficeFixtures {
  /** One office for all looks at its list; its registrations increase. */
  office: { url: string; register(count: number): Promise<void> };
}

const test = base.extend<TestFixtures, OfficeFixtures>({
  page: async ({ browser, scope }, use) => use(await openPage(browser, scope, DESKTOP)),
  office: [
    async ({ workerScope }, use) => {
      const { manyRegistrations } = await import('#server/testing/test-registrations.ts');
      const { startOffice } = await import('#server/testing/test-office.ts');
      const { putOnRecord } = await import('#server/testing/recorded-registrations.ts');
      const office = await startOffice(workerScope, { now: () => NOW });
      let there = 0;
      await use({
        url: `${await office.serve()}${officePaths.list}`,
        async register(count) {
          const more = manyRegistrations(count, NOW).slice(there);
          there += more.length;
          await putOnRecord(office.database, more);
        },
      });
    },
    { scope: 'worker' },
  ],
  openList: async ({ page, office }, use) =>
    use(async (count) => {
      await office.register(count);
      await page.goto(office.url);
    }),
});

test.describe('the looks of the office’s list', () => {
  test('axe finds nothing with no registration, one and many, and with a search', async ({
    page,
    openList,
  }) => {
    for (const count of [0, 1, 120]) {
      await openList(count);
      for (const details of await page.locator('summary').all()) await details.click();
      await lookOnAllScreens(page, `${count} registrations`);
    }
    await page.getByLabel('Find somebody').fill('ann');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('people match “ann”').waitFor();
    await lookOnAllScreens(page, 'a search');
  });

  test('axe finds nothing with the participants, and on paper there is their list alone, in black', async ({
    page,
    openList,
  }) => {
    await openList(120);
    await page.getByText('Hand on').click();
    await page.getByRole('link', { name: 'All participants, to print' }).click();
    await lookOnAllScreens(page, 'the participants');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    await page.setViewportSize({ width: 680, height: 900 });
    assert.match(
      (await page.locator('.sheet:visible').textContent()) ?? '',
      /^The Doorway Retreat.+ participants on .+2025$/,
    );
    assert.equal(await page.locator('.bar:visible, .on-screen:visible').count(), 0);
    assert.equal(await page.locator('a:visible, button:visible').count(), 0);
    const cell = page.locator('tbody td').first();
    const colours = await cell.evaluate((one) => [
      getComputedStyle(one).color,
      getComputedStyle(one).display,
    ]);
    assert.deepEqual(colours, ['rgb(0, 0, 0)', 'table-cell']);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 680, `it is ${width} pixels wide, and A4 and Letter have 680`);
  });
});

test('axe finds nothing on the page of a registration, on a form and on the pages after it', async ({
  page,
  scope,
}) => {
  const { startOffice } = await import('#server/testing/test-office.ts');
  const office = await startOffice(scope);
  office.signIn({ name: 'Sol', role: 'support' });
  const id = await office.register();
  const record = await office.find(id);
  const welcome = (await findMail(office.payments, id, 'welcome', office.now())) ?? assert.fail();
  await office.letterLog.owe([welcome], office.now());
  await office.mailQueue.add(welcome);
  const [at, cents] = [office.now(), leftToPay(record).beforeFeeCents];
  const check = { at, by: 'Sol', way: 'check', cents, on: at } as const;
  await office.payments.ask(recordReceived, record, check);
  const url = `${await office.serve()}/office/registrations/${id}`;
  const press = (name: string) => page.getByRole('button', { name }).click();
  // Only responses that report invalid input have an error status.
  expectNoise(page, /422/);
  await page.goto(url);
  await page.getByText('Not possible now').click();
  await lookOnAllScreens(page, 'her registration');
  await page.getByRole('link', { name: 'Give something back as an exception' }).click();
  await lookOnAllScreens(page, 'a form');
  await page.getByLabel('How much').fill('much');
  await page.getByLabel('Why').fill('illness');
  await press('Show what will happen');
  await page.getByText('Please give an amount').waitFor();
  await lookOnAllScreens(page, 'what is wrong');
  await page.getByLabel('How much').fill('50');
  await press('Show what will happen');
  await lookOnAllScreens(page, 'what will happen');
  await press('Give $50 back to her card');
  await page.getByRole('heading', { name: 'Done: Give something back as an exception' }).waitFor();
  await lookOnAllScreens(page, 'what was done');
  for (const form of ['cancel', 'undo']) {
    await page.goto(`${url}/${form}`);
    await lookOnAllScreens(page, form);
  }
});
