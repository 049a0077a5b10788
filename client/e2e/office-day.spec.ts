import assert from 'node:assert/strict';
import { expect, type Page } from '@playwright/test';
import * as v from 'valibot';
import type { OfficePerson, OpenOffice } from '#server/testing/office-world/office-world.ts';
import { expectNoise, openPage, PHONE } from './run/browser.ts';
import { test as base } from './run/test.ts';
import { assertAccessible } from './steps/looks.ts';
import { signIn } from './steps/office.ts';

/** An act of the office, in the words of the pages, and to whose registration it is done. */
interface Task {
  life: OfficePerson['life'];
  /** Its heading, which is also the text of the link to it. */
  act: string;
  /** What is typed or chosen, by label. */
  given: Readonly<Record<string, string>>;
  /** What the preview says. */
  shows: RegExp;
  /** The button that does it. */
  confirm: string;
  /** The subject of the letter that she gets. */
  letter?: RegExp;
}

const TASKS: readonly Task[] = [
  {
    life: 'noticed',
    act: 'Give a scholarship, or another price',
    given: { 'How much is not asked of her': '200', 'What it is': 'A scholarship' },
    // 700.00 less 200.00 is 500.00, and 3.75% of that is 18.75.
    shows: /Balance, to be paid by card[^$]*\$726\.25\$518\.75/,
    confirm: 'Take $200 off her tuition',
    letter: /scholarship/i,
  },
  {
    life: 'pays-early',
    act: 'Cancel her registration',
    given: { 'When she wrote': '2025-12-20' },
    // The balance paid was 72,625 cents; its card fee of 2,625 is not refunded, nor is the deposit.
    shows: /In all\$700/,
    confirm: 'Cancel her registration',
    letter: /cancel/i,
  },
];

const auditSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ audit: v.string(), user: v.string(), outcome: v.string(), registration: v.string() }),
);

const test = base.extend<object, { office: OpenOffice }>({
  office: [
    async ({ workerScope }, use) => {
      // Imported here, because it brings most of the server, which nothing needs that only lists tests.
      const { openOffice } = await import('#server/testing/office-world/office-world.ts');
      const office = await openOffice(workerScope);
      workerScope.after(async () => {
        await office.close();
        assert.deepEqual(office.crashes, []);
      });
      await use(office);
    },
    { scope: 'worker' },
  ],
});

/** The filters of the list with the sums at its foot, counted and summed by hand from the lives of all registrations. */
const FILTERS = [
  ['All', '$234,466.50 $7,221 went back'],
  // 120 deposits of 721.00, 111 balances of 726.25 (one in three parts), two of 518.75 and checks of 3,500.00.
  ['Paid in full 120', '$171,671.25'],
  // 26 balances.
  ['Due later 26', '$18,882.50'],
  // 18 balances, two of which a bank took back, and two checks that were promised.
  ['Late 20', '$14,472.50'],
  ['Registered 166', '$33,355'],
] as const;
const NEEDING = 29;

async function seeList(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  for (const [filter, sums] of FILTERS) {
    await page.getByRole('link', { name: filter }).click();
    await page.locator('[aria-current=true]', { hasText: filter }).waitFor();
    const foot = (await page.locator('tfoot').textContent()) ?? '';
    assert.ok(foot.includes(sums), `${filter}: ${sums}, not ${foot}`);
  }
  const search = async (words: string) => {
    await page.getByLabel('Find somebody').fill(words);
    await page.getByLabel('Find somebody').press('Enter');
  };
  await search('astrom nunez');
  await page.getByRole('heading', { name: 'Zoë Åström-Nuñez', level: 1 }).waitFor();
  await search('visitors.example nobody');
  await page.getByText('Nobody matches “visitors.example nobody”').waitFor();
  await page.getByRole('link', { name: 'Show everybody' }).click();
  await page.getByRole('link', { name: `Needs you ${NEEDING}`, exact: true }).click();
  await page.locator('[aria-current=true]', { hasText: 'Needs you' }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), NEEDING);
}

test('a day at the office: it signs in, sees who is registered and who has paid, and does its work, on a phone', async ({
  browser,
  office,
  scope,
}) => {
  const page = await openPage(browser, scope, PHONE);
  expectNoise(page, /status of 401/);
  await page.goto(office.opsUrl);
  await assertAccessible(page, 'the sign-in page');
  const icon = await page.locator('link[rel=icon]').getAttribute('href');
  assert.equal((await page.request.get(`${office.opsUrl}${icon}`)).status(), 200);
  await signIn(page, 'office', 'a wrong password');
  await page.getByRole('alert').waitFor();
  await assertAccessible(page, 'a wrong password');
  await signIn(page, 'office');
  await seeList(page);
  for (const task of TASKS) await doTask(page, office, task);
  await page.getByRole('link', { name: 'People', exact: true }).click();
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const leaks = office.lines.filter((line) => /astrom|visitors\.example|O’Hara/i.test(line));
  assert.deepEqual(leaks, [], 'the log contains personal data or search terms');
});

/** Does an act by keyboard: asks for it, sees what will happen, confirms it, and reads what was done. */
async function doTask(page: Page, office: OpenOffice, task: Task): Promise<void> {
  const { life, act, given, shows, confirm, letter } = task;
  const person = office.people.find((one) => one.life === life);
  assert.ok(person, `nobody has the life ${life}`);
  const audited = () =>
    office.lines
      .map((line) => v.safeParse(auditSchema, line))
      .flatMap(({ success, output }) => (success && output.registration === person.id ? output : []))
      .map(({ user, outcome }) => [user, outcome]);
  await page.goto(`${office.opsUrl}/office/registrations/${person.id}`);
  await page.getByRole('heading', { name: person.name, level: 1 }).waitFor();
  await page.getByRole('link', { name: act, exact: true }).press('Enter');
  await page.getByRole('heading', { name: act, level: 1 }).waitFor();
  for (const [label, value] of Object.entries(given)) {
    const field = page.getByLabel(label, { exact: true });
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    await (isChoice ? field.selectOption({ label: value }) : field.fill(value));
  }
  await page.getByRole('button', { name: 'Show what will happen' }).press('Enter');
  await page.getByRole('heading', { name: 'What will happen' }).waitFor();
  assert.match((await page.locator('main').textContent()) ?? '', shows, act);
  assert.deepEqual(audited(), []);
  await page.getByRole('button', { name: confirm, exact: true }).press('Enter');
  await page.getByRole('heading', { name: `Done: ${act}` }).waitFor();
  await page.getByText('By office.', { exact: true }).waitFor();
  assert.deepEqual(audited(), [['office', 'done']]);
  if (letter)
    await expect.poll(() => subjectsTo(office, person.email)).toContainEqual(expect.stringMatching(letter));
}

const subjectsTo = ({ mailServer }: OpenOffice, email: string) =>
  mailServer.parsed
    .filter(({ to }) => to?.some(({ address }) => address === email))
    .map(({ subject }) => subject);
