import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import type { OfficePerson } from '#server/testing/office-world/office-world.ts';
import { DESKTOP, PHONE } from './run/browser.ts';
import { type Office, test } from './run/office.ts';
import { confirm, look, type OfficeAct, preview, signIn } from './steps/office.ts';

/** An act of the office, to whose registration it is done, and what can be seen of it afterwards. */
interface Task extends OfficeAct {
  life: OfficePerson['life'];
  /** Its entry in the list "What happened". */
  happened?: RegExp;
  /** The subject of the letter that she gets. */
  letter?: RegExp;
}

const TASKS: readonly Task[] = [
  {
    life: 'charged',
    ...{ act: 'Send a letter again', given: { Letter: 'Receipt for the balance' } },
    shows: /Receipt for the balance/,
    confirm: 'Send “Receipt for the balance” again',
    letter: /receipt|paid/i,
  },
  {
    life: 'check-promised',
    ...{ act: 'Her check has come', given: { 'When it came': '2026-01-19' } },
    shows: /Her check of \$700 has come\. Nothing is left to pay\./,
    confirm: 'Record that her check of $700 has come',
    happened: /Office: a check of \$700 came/,
    letter: /paid/i,
  },
  {
    life: 'noticed',
    ...{ act: 'Waive a part of the tuition', given: { 'How much is not asked of her': '200' } },
    // 700.00 less 200.00 is 500.00, and 3.75% of that is 18.75.
    shows: /The balance is \$518\.75 by card\./,
    confirm: 'Waive $200 of her tuition',
    happened: /Office: /,
  },
  {
    life: 'pays-early',
    ...{ act: 'Cancel her registration', given: { 'When she wrote': '2025-12-20' } },
    // The balance paid was 72,625 cents; its card fee of 2,625 is not refunded, nor is the deposit.
    shows: /In all\$700\$700 goes back to her card automatically/,
    confirm: 'Cancel her registration and give back $700',
    happened: /Office: /,
    letter: /cancel/i,
  },
  {
    life: 'registers-late',
    ...{ act: 'Correct her details', given: { 'E-mail': 'corrected@people.example' } },
    shows: /corrected@people\.example/,
    confirm: 'Correct her details',
    happened: /Office: /,
    letter: /address/i,
  },
  {
    life: 'letter-refused',
    ...{ act: 'Dismiss a letter', given: { Letter: 'Welcome (failed)' } },
    shows: /it will not be sent/,
    confirm: 'Dismiss “Welcome”: it is not sent',
  },
];

/** The figures above the list: counted and summed by hand from the lives of all registrations. */
const GLANCE = [
  ['Registered', '167', ''],
  // 124 deposits of 721.00, 118 balances of 726.25, two of 518.75 and three checks of 700.00.
  ['Paid in full', '124', '$178,239'],
  // 26 balances.
  ['Due later', '26', '$18,882.50'],
  // 15 balances, and two checks that were promised.
  ['Late', '17', '$12,293.75'],
  ['Came in', '190', '$237,418.75'],
  ['Refunded', '11', '$6,526'],
] as const;
const NEEDING = 25;

async function seeList(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Registrations', level: 1 }).waitFor();
  await look(page, 'all registrations');
  for (const [name, count, sum] of GLANCE) {
    const tile = page.locator('.office-glance > div', { has: page.getByText(name, { exact: true }) });
    const words = (await tile.textContent()) ?? '';
    assert.ok(words.includes(count) && words.includes(sum), `${name}: ${count}, ${sum}, not ${words}`);
  }
  await page.getByLabel('Name, e-mail, phone or payment').fill('astrom nunez');
  await page.getByLabel('Name, e-mail, phone or payment').press('Enter');
  await page.getByRole('link', { name: 'Zoë Åström-Nuñez' }).waitFor();
  await look(page, 'what was searched for');
  await page.getByRole('link', { name: /^Needs you/ }).click();
  await page.getByText('Nobody was found.').waitFor();
  await look(page, 'nobody found');
  await page.getByRole('link', { name: 'show all registrations' }).click();
  await page.getByRole('link', { name: `Needs you ${NEEDING}`, exact: true }).click();
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), NEEDING);
  await look(page, 'who needs the office');
}

test.describe('a day at the office', () => {
  test.describe.configure({ mode: 'serial' });
  test('the office signs in, sees who is registered and who has paid, and does its work, on a phone', {
    tag: '@journey',
  }, async ({ office }) => {
    const { page, assertQuiet } = await office.openDoor(PHONE);
    await look(page, 'the sign-in page');
    const icon = await page.locator('link[rel=icon]').getAttribute('href');
    assert.equal((await page.request.get(`${office.opsUrl}${icon}`)).status(), 200);
    await signIn(page, 'office', 'a wrong password');
    await page.getByRole('alert').waitFor();
    await look(page, 'a wrong password');
    await signIn(page, 'office');
    await seeList(page);
    for (const task of TASKS) await doTask(page, office, task);
    await page.getByRole('link', { name: 'Registrations' }).click();
    await page.getByRole('heading', { name: 'At a glance' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    assertQuiet({ except: /status of 401/ });
  });

  test('an act can be done with the keyboard alone', async ({ office }) => {
    const { page, assertQuiet } = await office.openDoor(DESKTOP);
    for (const name of ['Name', 'Password']) {
      await tabTo(page, name);
      await page.keyboard.type('office');
    }
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Registrations', level: 1 }).waitFor();
    await tabTo(page, 'Name, e-mail, phone or payment');
    const { name } = personOf(office, 'postponed-long');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /searched for/ }).waitFor();
    for (const press of [name, 'Waive a part of the tuition']) {
      await tabTo(page, press);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: press, level: 1 }).waitFor();
    }
    await tabTo(page, 'How much is not asked of her');
    await page.keyboard.type('50');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What will happen' }).waitFor();
    await tabTo(page, 'Waive $50 of her tuition');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Done: Waive a part of the tuition' }).waitFor();
    assertQuiet();
  });

  test('the log contains no personal data and no search terms', ({ office }) => {
    const leaks = office.lines.filter((line) => /astrom|@people\.example|O’Hara/i.test(line));
    assert.deepEqual(leaks, []);
  });
});

function personOf(office: Office, life: OfficePerson['life']): OfficePerson {
  const person = office.people.find((one) => one.life === life);
  assert.ok(person, `nobody has the life ${life}`);
  return person;
}

async function openRegistration(
  page: Page,
  office: Office,
  life: OfficePerson['life'],
): Promise<OfficePerson> {
  const person = personOf(office, life);
  await page.goto(`${office.opsUrl}/office/registrations/${person.id}`);
  await page.getByRole('heading', { name: person.name, level: 1 }).waitFor();
  await look(page, life);
  return person;
}

async function doTask(page: Page, office: Office, task: Task): Promise<void> {
  const person = await openRegistration(page, office, task.life);
  await preview(page, task);
  assert.deepEqual(office.audited(person.id), []);
  await confirm(page, task, 'office');
  if (task.letter) await office.untilLetter(person.email, task.letter);
  if (task.happened) {
    const happened = page.getByRole('region', { name: 'What happened' });
    assert.match((await happened.textContent()) ?? '', task.happened);
  }
  assert.deepEqual(
    office.audited(person.id).map(({ user, outcome }) => [user, outcome]),
    [['office', 'done']],
  );
}

/** Presses Tab until something of this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const { activeElement } = document;
      const label = activeElement instanceof HTMLInputElement ? activeElement.labels?.[0] : activeElement;
      return label?.textContent?.trim();
    });
    if (focused === name) return;
  }
  assert.fail(`Tab does not reach ${name}`);
}

const MAX_TABS = 100;
