import assert from 'node:assert/strict';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { DESKTOP, openPage } from './run/browser.ts';
import { test } from './run/test.ts';
import { lookOnAllScreens } from './steps/office.ts';

const { calendar } = edition.facts;
const url = 'https://videos.example.org/the-doorway-retreat/recordings-of-all-sessions-january-2026';

test.describe('the office’s letters to everyone', () => {
  const { revision } = calendar;
  test.beforeAll(() => {
    calendar.revision = revision + 1;
  });
  test.afterAll(() => {
    calendar.revision = revision;
  });

  test('R5.1 announces schedule and recordings, each after a preview', async ({ browser, scope }) => {
    const { startOffice } = await import('#server/testing/test-office-pages.ts');
    const office = await startOffice(scope);
    const record = await office.find(await office.register());
    await office.readModel.rebuild(await office.readModel.takeTurn(), [record]);
    const { page, assertQuiet, close } = await openPage(browser, DESKTOP);
    scope.after(close);
    await page.goto(`${await office.serve()}/office/letters`);
    await lookOnAllScreens(page, 'before anything is announced');
    assert.equal(await page.getByRole('link', { name: 'Letters', exact: true }).count(), 1);

    await page.getByRole('link', { name: 'See the letter and announce it' }).press('Enter');
    await page.getByRole('heading', { name: /^The schedule of .* has changed$/ }).waitFor();
    await page.getByText('One person gets a letter').waitFor();
    await lookOnAllScreens(page, 'the letter of the schedule');
    await page.getByRole('button', { name: 'Announce it to everyone' }).press('Enter');
    await page.getByRole('heading', { name: 'Done: Announce the new schedule' }).waitFor();
    await lookOnAllScreens(page, 'the schedule is announced');

    await page.getByRole('link', { name: 'Say where they are' }).click();
    await page.getByLabel('Address of the recordings').fill('https://');
    await page.keyboard.press('Enter');
    await page.getByLabel('Address of the recordings').fill(url);
    await lookOnAllScreens(page, 'the address is asked');
    await page.getByRole('button', { name: 'Show what will happen' }).click();
    await page.getByRole('heading', { name: /^The recordings of .* are ready$/ }).waitFor();
    await lookOnAllScreens(page, 'the letter of the recordings');
    await page.getByRole('button', { name: 'Announce it to everyone' }).click();
    await page.getByRole('link', { name: url }).waitFor();
    await lookOnAllScreens(page, 'the recordings are announced');
    const { scheduleTold, recordings } = await office.payments.readAnnouncements(edition);
    assert.deepEqual([scheduleTold?.by, recordings?.url], ['Anna', url]);
    assertQuiet();
  });
});
