import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { OfficePerson } from '#server/testing/office-world.ts';
import { DESKTOP, PHONE } from './run/browser.ts';
import { runOffice } from './run/run-office.ts';
import { confirm, look, type OfficeAct, preview, signIn } from './steps/office.ts';

/** What is done in a day, to whom, and what can be seen of it afterwards. */
interface Deed extends OfficeAct {
  life: OfficePerson['life'];
  /** What is told of it among all that happened. */
  happened?: RegExp;
  /** The letter that it brings her. */
  letter?: RegExp;
}

const deeds: readonly Deed[] = [
  {
    life: 'charged',
    ...{ act: 'Send a letter again', given: { Letter: 'Receipt for the balance' } },
    shows: /Receipt for the balance/,
    confirm: 'Send “Receipt for the balance” again',
    letter: /receipt|paid/i,
  },
  {
    life: 'check-late',
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
    life: 'noticed-later',
    ...{ act: 'Postpone the balance', given: { 'The day on which it is due instead': '2026-01-25' } },
    shows: /The balance of \$726\.25 is due Jan 25, 2026, 5:00 PM PST\./,
    confirm: 'Postpone her balance to January 25, 2026',
    happened: /Office: /,
    letter: /./,
  },
  {
    life: 'paid-herself',
    ...{ act: 'Cancel her registration', given: { 'When she wrote': '2025-12-20' } },
    // 72,625 cents came in for the balance; its card fee of 2,625 stays, and so does the deposit.
    shows: /In all \$700 \$700 goes back to her card by itself/,
    confirm: 'Cancel her registration and give back $700',
    happened: /Office: /,
    letter: /cancel/i,
  },
  {
    life: 'charged',
    ...{
      act: 'Give something back as an exception',
      given: { 'How much': '123.45', Why: 'She was ill on Friday' },
    },
    shows: /\$123\.45 goes back to her card/,
    confirm: 'Give $123.45 back to her card',
    happened: /Office: /,
    letter: /./,
  },
  {
    life: 'cancelling',
    act: 'Take her cancelling back',
    shows: /her place is hers again/,
    confirm: 'Take her cancelling back: her place is hers again',
    happened: /Office: /,
    letter: /./,
  },
  {
    life: 'retrying',
    act: 'Charge her card now',
    shows: /\$726\.25/,
    confirm: 'Charge $726.25 to her card now',
    happened: /Office: /,
    letter: /paid/i,
  },
];

/** What the list tells at a glance: counted and summed by hand from who lives which life. */
type Glance = readonly (readonly [name: string, count: string, sum: string])[];

const MORNING: Glance = [
  ['Registered', '167', ''],
  // 126 deposits of 721.00, 120 balances of 726.25, two of 518.75 and three checks of 700.00.
  ['Paid in full', '126', '$181,133.50'],
  // 26 balances.
  ['Due later', '26', '$18,882.50'],
  // 13 balances, and two checks that were promised.
  ['Late', '15', '$10,841.25'],
  ['Came in', '190', '$238,871.25'],
  ['Refunded', '11', '$6,652.25'],
];

/** After all deeds were done once. */
const NOON: Glance = [
  ['Registered', '167', ''],
  // Another check came, a card was charged, one cancelled and one does not after all.
  ['Paid in full', '128', '$184,001.75'],
  // 207.50 were waived.
  ['Due later', '26', '$18,675'],
  ['Late', '13', '$9,415'],
  ['Came in', '190', '$240,297.50'],
  // 123.45 more.
  ['Refunded', '12', '$6,775.70'],
];

async function seeList(page: Page, glance: Glance, needing: number): Promise<void> {
  await page.getByRole('heading', { name: 'Registrations', level: 1 }).waitFor();
  await look(page, 'all registrations');
  for (const [name, count, sum] of glance) {
    const tile = page.locator('.office-glance > div', { has: page.getByText(name, { exact: true }) });
    const words = await tile.innerText();
    assert.ok(words.includes(count) && words.includes(sum), `${name}: ${count}, ${sum}, not ${words}`);
  }
  await page.getByLabel('Name, e-mail, phone or payment').fill('astrom nunez');
  await page.getByLabel('Name, e-mail, phone or payment').press('Enter');
  await page.getByRole('link', { name: 'Zoë Åström-Nuñez' }).waitFor();
  await look(page, 'what was searched for');
  await page.getByRole('link', { name: /^Needs you/ }).click();
  await page.getByText('Nobody is found.').waitFor();
  await look(page, 'nobody found');
  await page.getByRole('link', { name: 'show all registrations' }).click();
  await page.getByRole('link', { name: `Needs you ${needing}`, exact: true }).click();
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  assert.equal(await page.locator('tbody tr').count(), needing);
  await look(page, 'who needs the office');
}

describe('a day at the office', () => {
  const run = runOffice();
  const days = [
    { device: 'on a phone', size: PHONE, glance: MORNING, needing: 22 },
    { device: 'at a desk', size: DESKTOP, glance: NOON, needing: 21 },
  ];
  for (const [at, { device, size, glance, needing }] of days.entries()) {
    test(`she signs in, sees who comes and who paid, and does her work, ${device}`, async (t) => {
      const { page, assertQuiet } = await run.openDoor(t, size);
      await look(page, 'the way in');
      await signIn(page, 'office', 'a wrong password');
      await page.getByRole('alert').waitFor();
      await look(page, 'a wrong password');
      await signIn(page, 'office');
      await seeList(page, glance, needing);
      for (const deed of deeds) await doDeed(page, deed, at);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      await page.goBack();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      assertQuiet({ except: /status of 401/ });
    });
  }

  async function doDeed(page: Page, deed: Deed, at: number): Promise<void> {
    const { office, audited, untilLetter } = run;
    const person = office.people.filter(({ life }) => life === deed.life)[at];
    assert.ok(person, `${deed.life} is lived twice`);
    await page.goto(`${office.opsUrl}/office/registrations/${person.id}`);
    await page.getByRole('heading', { name: person.name, level: 1 }).waitFor();
    await look(page, deed.life);
    await preview(page, deed);
    assert.deepEqual(audited(person.id), []);
    await confirm(page, deed, 'office');
    if (deed.letter) await untilLetter(person.email, deed.letter);
    if (deed.happened) assert.match(await page.getByRole('list').last().innerText(), deed.happened);
    assert.deepEqual(
      audited(person.id).map(({ user, outcome }) => [user, outcome]),
      [['office', 'done']],
    );
  }
});
