import assert from 'node:assert/strict';
import type { Page } from '@playwright/test';
import { untilHydrated } from './loading.ts';

export const JUNE_DATES = 'June 18–22, 2031';

const SHOWN = [
  'Come and sit down to eat',
  JUNE_DATES,
  '$1,180',
  '$1,290',
  '$110',
  '$406',
  '$807.77',
  'May 9, 2031',
  'The house keeps the deposit. Until May 9, 2031 it returns the rest',
  'Odile Ferrant-Moss',
  'Keeper of the lighthouse',
  'All times are Lisbon Time (WEST).',
  'Guest, garden side',
  'Salt Review',
];
const PICTURES = [
  'A small harbor at evening, with boats at rest',
  'A loaf of bread on a board',
  'The host at her kitchen window, laughing',
  'A woman in a woollen cap',
  'A woman among beans',
  'Lighthouse Press',
  'Quay Bakery',
  'Two Oars',
];

/** Fails unless the page shows the June edition: texts, prices, days, questions and pictures. */
export async function assertJunePage(page: Page): Promise<void> {
  assert.equal(plain(await page.title()), `The Harbor Retreat, live online, ${JUNE_DATES}`);
  const texts = async (selector: string) => (await page.locator(selector).allTextContents()).map(plain);
  const [all = ''] = await texts('main');
  for (const words of SHOWN) assert.ok(all.includes(words), `the page lacks ${words}`);
  assert.deepEqual((await texts('#schedule h3 time')).slice(0, 5), [
    'Wednesday June 18',
    'Thursday June 19',
    'Friday June 20',
    'Saturday June 21',
    'Sunday June 22',
  ]);
  const caveat = 'Hours move with the tide';
  assert.deepEqual(await texts('#schedule .schedule-caveat'), [caveat, caveat]);
  assert.deepEqual(
    (await texts('#schedule .schedule-entries')).at(2),
    '9:45 am WESTWriting from the body about 90 minutes 4:10 pm WESTIn the kitchen with a friend about 50 minutes',
  );
  for (const alt of PICTURES) {
    const picture = page.locator('main').getByAltText(alt, { exact: true }).first();
    const [natural, shown] = await picture.evaluate((image: HTMLImageElement) => [
      image.naturalWidth,
      image.clientWidth,
    ]);
    assert.ok(natural && shown, `${alt} is not shown`);
  }
}

/** Fails unless a visitor in New York can read the hours in her own time zone. */
export async function assertJuneHoursInNewYork(page: Page): Promise<void> {
  const choice = page.getByRole('group', { name: 'Time zone of the schedule' });
  await choice.scrollIntoViewIfNeeded();
  await untilHydrated(page, 'schedule');
  await choice.getByRole('radio', { name: 'Lisbon Time' }).focus();
  await page.keyboard.press('ArrowRight');
  await page.getByText('Shown in Eastern Time.').waitFor();
  const hours = await page.locator('#schedule .schedule-day dt:not(.schedule-break *)').allTextContents();
  assert.equal(plain(hours[0]), '2:00 pm');
  assert.equal(plain(hours.at(-1)), '5:20 am');
}

/** Fails unless a calendar file has the June edition's eleven sessions at their hours. */
export function assertJuneCalendar(content: string): void {
  const unfolded = content.replaceAll('\r\n', '\n').replaceAll('\n ', '');
  assert.equal(unfolded.match(/BEGIN:VEVENT/g)?.length, 11);
  assert.match(unfolded, /^TZID:Europe\/Lisbon$/m);
  const starts = [...unfolded.matchAll(/^DTSTART;TZID=Europe\/Lisbon:(\S+)$/gm)].map(([, start]) => start);
  assert.equal(starts.at(0), '20310612T184500');
  assert.equal(starts.at(1), '20310618T190000');
  assert.deepEqual(
    [...new Set(starts.slice(1).map((start = '') => start.slice(6, 8)))],
    ['18', '19', '20', '21', '22'],
  );
  assert.match(unfolded, /^DTEND;TZID=Europe\/Lisbon:20310622T120000$/m);
  assert.match(unfolded, /^SEQUENCE:3$/m);
  assert.match(unfolded, /^SUMMARY:The Harbor Retreat: Stories at dusk$/m);
}

/** The text with single, ordinary spaces, and without the invisible characters around names. */
export function plain(text: string | null | undefined): string {
  return (text ?? '')
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
