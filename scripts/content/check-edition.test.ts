import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { readAllEditions } from './compile-content.ts';
import { ContentProblems, describeProblem } from './problems.ts';
import { EDITIONS_FOLDER, readEdition, readOnSale } from './read-edition.ts';
import { recordTerms } from './record.ts';
import { addJune } from './testing/june.ts';

/** A folder with one valid edition, whose terms are recorded. */
let validEditions: string;

before(async () => {
  validEditions = await mkdtemp(join(tmpdir(), 'editions-'));
  await addJune(validEditions);
  await writeFile(join(validEditions, 'on-sale.yaml'), 'edition: june-2031\n');
  await recordTerms(await readEdition('june-2031', validEditions));
});
after(() => rm(validEditions, { recursive: true }));

async function copyOfEditions(t: TestContext): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(copy, { recursive: true }));
  await cp(validEditions, copy, { recursive: true });
  return copy;
}

/** Replaces the first occurrence of some words in a file. */
async function replaceIn(path: string, words: string, by: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  assert.ok(text.includes(words), `${path} does not contain ${words}`);
  await writeFile(
    path,
    text.replace(words, () => by),
  );
}

/** The problems reported to an author, a line each, without the path of the copy. */
async function reportOf(copy: string, read: () => Promise<unknown>): Promise<string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ContentProblems, String(error));
    return error.problems.map((problem) => describeProblem(problem).replace(`${copy}/`, ''));
  }
}

/** What to do about a date of another retreat. */
const advice = (words: string) =>
  `correct it${/\d/.test(words) ? '' : ', or add the day or the year if another date is meant'}`;

/** One mistake: what it is, its file, the words there, their replacement, and each line reported to the author. */
type Case = readonly [wrong: string, file: string, words: string, by: string, ...reported: string[]];

const cases: readonly Case[] = [
  [
    'a text is missing',
    'page',
    '  intro: Take whichever is nearest. They lead to one table.\n',
    '',
    'page.yaml, line 12, transform.intro: this is missing: add it, as another edition has it',
  ],
  [
    'a text is empty',
    'page',
    'title: Taste',
    'title:',
    'page.yaml, line 21, transform.steps[2].title: this is empty: write words (in quotes if they are only digits)',
  ],
  [
    'a field is misspelt',
    'people',
    'closing: See you',
    'closin: See you',
    'people.yaml, line 2, author.closing: this is missing: add it, as another edition has it',
    'people.yaml, line 13, author.closin: nothing reads this field: correct its name, or delete it',
  ],
  [
    'a session’s field is misspelt',
    'schedule',
    'name: fire, title:',
    'name: fire, tittle:',
    ...[
      [11, 2],
      // Day 4 repeats the entries of day 2.
      [18, 4],
    ].flatMap(([line, day]) => [
      `schedule.yaml, line ${line}, days[${day}].entries[4].title: this is missing: add it, as another edition has it`,
      `schedule.yaml, line ${line}, days[${day}].entries[4].tittle: nothing reads this field: correct its name, or delete it`,
    ]),
  ],
  [
    'a number stands where words belong',
    'edition',
    'label: WEST',
    'label: 2031',
    'edition.yaml, line 8, timeZone.label: this is 2031: write words (in quotes if they are only digits)',
  ],
  [
    'a price has a currency sign',
    'edition',
    'tuition: 1180',
    'tuition: $1,180',
    'edition.yaml, line 26, price.tuition: this is “$1,180”: write a number such as 1395 or 3.75, without quotes, commas or signs',
  ],
  [
    'a price has three decimals',
    'edition',
    'tuition: 1180',
    'tuition: 1180.005',
    'edition.yaml, line 26, price.tuition: this is 1180.005: write a number with two decimals at most',
  ],
  [
    'a time is not in the 24-hour format',
    'schedule',
    'time: 19:00',
    'time: 7 pm',
    'schedule.yaml, line 4, days[1].entries[1].time: this is “7 pm”: write a time of the 24-hour clock, two digits each, such as 08:30 or 17:30 (5:30 pm)',
  ],
  [
    'a date does not exist',
    'edition',
    'balanceDue: 2031-05-09',
    'balanceDue: 2031-02-30',
    'edition.yaml, line 31, price.balanceDue: this is “2031-02-30”: write a day that its month has',
  ],
  [
    'a date is not in the ISO format',
    'edition',
    'balanceDue: 2031-05-09',
    'balanceDue: May 9, 2031',
    'edition.yaml, line 31, price.balanceDue: this is “May 9, 2031”: write a date such as 2027-03-08',
  ],
  [
    'the end comes before the start',
    'edition',
    'last: 2031-06-22',
    'last: 2031-06-16',
    'edition.yaml, line 11, dates.last: the retreat ends before it begins on 2031-06-18',
    'edition.yaml, line 14, registration.closes: registration closes after the retreat is over on 2031-06-16',
    ...[2, 5, 12, 16, 19].map(
      (line, index) =>
        `schedule.yaml, line ${line}, days[${index + 1}].date: this day lies outside the retreat, 2031-06-18 to 2031-06-16: correct it, or dates in edition.yaml`,
    ),
    'edition.yaml, line 11, dates.last: the last day in schedule.yaml is 2031-06-22: the two must agree',
  ],
  [
    'registration closes before it opens',
    'edition',
    'opens: 2031-02-03T09:00',
    'opens: 2031-06-18T09:00',
    'edition.yaml, line 14, registration.closes: registration closes before it opens',
  ],
  [
    'the balance is due too late',
    'edition',
    'balanceDue: 2031-05-09',
    'balanceDue: 2031-07-01',
    'edition.yaml, line 31, price.balanceDue: the balance is due after the retreat begins on 2031-06-18',
  ],
  [
    'the notice is later than the terms promise',
    'edition',
    'noticeDays: 14\n  reminderDays: 5',
    'noticeDays: 2\n  reminderDays: 1',
    'edition.yaml, line 33, balance.noticeDays: the terms promise 3 days at least: write more',
  ],
  [
    'a late deposit leaves no time for the notice',
    'edition',
    'lateDays: 4',
    'lateDays: 3',
    'edition.yaml, line 36, balance.lateDays: it leaves no time for a notice 3 days before the charge: write more',
  ],
  [
    'the reminder comes before the notice',
    'edition',
    'reminderDays: 5',
    'reminderDays: 15',
    'edition.yaml, line 34, balance.reminderDays: the reminder goes out before the notice, 14 days ahead: write less',
  ],
  [
    'the trial begins after registration has closed',
    'edition',
    'tryOutFrom: 2031-04-20T08:15',
    'tryOutFrom: 2031-06-18T00:00',
    'edition.yaml, line 39, tryOutFrom: registration has closed by then, on 2031-06-17T20:30: write an earlier moment',
  ],
  [
    'the trial begins more than a year before the retreat ends',
    'edition',
    'tryOutFrom: 2031-04-20T08:15',
    'tryOutFrom: 2030-04-20T08:15',
    'edition.yaml, line 39, tryOutFrom: this is more than a year before the retreat ends on 2031-06-22, and who registers so early on a site that is tried out gets no notice and no charge: write a moment some days before the balance is announced on 2031-04-25',
  ],
  [
    'the deposit does not add up',
    'edition',
    'deposit: 406',
    'deposit: 407',
    'edition.yaml, line 30, price.deposit: the price does not add up: 395 plus 2.9 percent is 406 in whole dollars, not 407. Write 406, or correct the others',
  ],
  [
    'the regular price is not higher than the tuition',
    'edition',
    'regularTuition: 1290',
    'regularTuition: 1180',
    'edition.yaml, line 27, price.regularTuition: it is no higher than the tuition of 1180, and the page tells what is saved: write the regular price',
  ],
  [
    'the time zone does not exist',
    'edition',
    'Europe/Lisbon',
    'Europe/Lissabon',
    'edition.yaml, line 6, timeZone.id: no such time zone: write one such as America/Los_Angeles',
  ],
  [
    'a day is outside the retreat',
    'schedule',
    'date: 2031-06-22',
    'date: 2031-06-23',
    'schedule.yaml, line 19, days[5].date: this day lies outside the retreat, 2031-06-18 to 2031-06-22: correct it, or dates in edition.yaml',
    'edition.yaml, line 11, dates.last: the last day in schedule.yaml is 2031-06-23: the two must agree',
  ],
  [
    'a session ends after midnight',
    'schedule',
    'time: 10:20, minutes: 100',
    'time: 22:30, minutes: 100',
    'schedule.yaml, line 21, days[5].entries[1]: it ends after midnight, outside its day: shorten it',
  ],
  [
    'sessions overlap',
    'schedule',
    'time: 09:45, minutes: 90',
    'time: 09:45, minutes: 400',
    'schedule.yaml, line 15, days[3].entries[2]: it begins at 16:10, before the one above it ends at 16:25: change time or minutes',
  ],
  [
    'two sessions of a day have one name',
    'schedule',
    'name: kitchen',
    'name: writing',
    'schedule.yaml, line 15, days[3].entries[2]: there is another session with the name writing on a Friday: change one',
  ],
  [
    'a picture is missing',
    'page',
    'img: harbor.jpg',
    'img: harbour.jpg',
    'page.yaml, line 8, hero.img: there is no harbour.jpg in media/: put it there, or correct the name',
  ],
  [
    'a portrait has no alternative text',
    'people',
    '      alt: A baker with folded arms\n',
    '',
    'people.yaml, line 33, endorsements.items[2]: say in alt what baker.jpg shows, for those who cannot see it',
  ],
  [
    'a film has no captions',
    'people',
    'src: https://player.vimeo.com/video/20310618',
    'src: balcony.mp4',
    'people.yaml, line 61, videos.items[1].src: there is no balcony.mp4 in media/: put it there, or correct the name',
    'people.yaml, line 61, videos.items[1]: a film without captions: write what is said into a .vtt file, and name it in captions',
  ],
  [
    'an answer contains a picture',
    'faq',
    'Some of us cry better in the dark.',
    '<img src="https://example.com/dark.jpg">',
    'faq.yaml, line 15, items[3].answer: it holds <img src="https://example.com/dark.jpg">, which the page does not show: keep to p, a, strong, em, ul, ol, li and br, close each, and write & as &amp;',
  ],
  [
    'a placeholder is unknown',
    'faq',
    '{balanceDue}',
    '{balanceDay}',
    'faq.yaml, line 18, items[4].answer: nothing fills in {balanceDay}: write one of {title}, {siteName}, {subtitle}, {dates}, {balanceDue}, {tuition}, {regularTuition}, {saving}, {cardFee}, {depositBeforeFee}, {deposit}, {balanceBeforeFee}, {balance}, {wholePriceByCard}, {lateDays}, {recorded}, {Recorded}, {recordingsUntil}, {officeEmail}, {officePhone}, {waysToCancel}',
  ],
  [
    'the terms name what is recorded without the placeholder',
    'terms',
    'there is a recording ({recorded}), and',
    'there is an audio recording ({recorded}), and',
    'terms.yaml, line 20, policies[3].paragraphs[1]: it says by hand what is recorded: write {recorded}, which is filled in, audio at present',
  ],
  [
    'sessions are recorded, and no policy says so',
    'terms',
    'there is a recording ({recorded}), and',
    'there is a memory, and',
    'terms.yaml, line 3, policies: sessions are recorded, audio, and nobody agrees to it: write a policy about it, with {recorded}',
  ],
  [
    'the terms mention recordings, and nothing is recorded',
    'schedule',
    ', recorded: audio }',
    ' }',
    'terms.yaml, line 20, policies[3].paragraphs[1]: no session is recorded: take this out, or say in schedule.yaml which are',
    'page.yaml, line 64, schedule.intro: no session is recorded: take this out, or say in schedule.yaml which are',
  ],
  [
    'the package promises a video of what is recorded as audio',
    'edition',
    'Evenings by the fire',
    'Video recordings of the fire',
    'edition.yaml, line 22, package.features[2]: no session is recorded as a video: say so here, or correct schedule.yaml',
  ],
  [
    'an answer promises a recording of every session',
    'faq',
    'Some of us cry better in the dark.',
    'Every session is recorded.',
    'faq.yaml, line 15, items[3].answer: not every session is recorded: say which are not, such as small groups, or correct schedule.yaml',
  ],
  [
    'the terms do not say how a late deposit is charged',
    'terms',
    'within {lateDays} days before {balanceDue}, or later, is charged {lateDays} days after',
    'later is charged 4 days after',
    'terms.yaml, line 3, policies: no policy says how the balance of a late deposit is charged: tell it, with {lateDays}',
  ],
  [
    'the letter with the way in goes out after a session',
    'edition',
    'sentAt: 06:30',
    'sentAt: 07:16',
    'edition.yaml, line 48, wayIn.sentAt: the letter with the way in goes out at 07:16, after the session at 07:15 on 2031-06-19: write an earlier hour',
  ],
  [
    'the recordings come after the registrants’ pages have closed',
    'edition',
    'daysAfter: 3',
    'daysAfter: 30',
    'edition.yaml, line 50, recordings.daysAfter: this is 30: write 29 at most, since the pages that lead there close a day later',
  ],
  [
    'the terms changed, and their version did not',
    'terms',
    'later it returns nothing',
    'later it returns half',
    'terms.yaml, line 1, version: the text, or a price or date in it, is no longer what people agreed to as version 2031-1: put it back, or count the version up and run npm run content -- --record',
  ],
  [
    'a price in the terms changed',
    'edition',
    'tuition: 1180',
    'tuition: 1080',
    'terms.yaml, line 1, version: the text, or a price or date in it, is no longer what people agreed to as version 2031-1: put it back, or count the version up and run npm run content -- --record',
  ],
  [
    'the version of the terms is not recorded',
    'terms',
    'version: 2031-1',
    'version: 2031-2',
    'terms.yaml, line 1, version: version 2031-2 is new: once its text is right, run npm run content -- --record',
  ],
  [
    'an unquoted text contains a colon',
    'page',
    'text: Your own, with its moods',
    'text: Your own: with its moods',
    'page.yaml, line 38: this cannot be read (Nested mappings are not allowed in compact mappings): put the words into double quotes: they hold a colon before a space',
  ],
  [
    'a bracket is left open',
    'page',
    '[50, 60]',
    '[50, 60',
    'page.yaml, line 11: this cannot be read (Flow sequence in block collection must be sufficiently indented and end with a ]): close a bracket above it, or begin the line as far to the right as its neighbors',
  ],
];

describe('every mistake is reported to the author, with file, line, field and what to do', () => {
  test('nothing is reported for a valid edition', async () => {
    assert.deepEqual(await reportOf(validEditions, () => readAllEditions(validEditions)), []);
  });

  for (const [wrong, file, words, by, ...reported] of cases) {
    test(wrong, async (t) => {
      const copy = await copyOfEditions(t);
      await replaceIn(join(copy, 'june-2031', `${file}.yaml`), words, by);
      const expected = reported.map((line) => `june-2031/${line}`);
      assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), expected);
    });
  }

  test('a file is missing', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/faq.yaml'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031/faq.yaml: there is no such file: copy that of another edition, and change it',
    ]);
  });

  test('the text of a recorded version is missing', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/agreed/2031-1.yaml'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031/record.yaml, line 5, terms.2031-1: the text that people agreed to as version 2031-1 is missing: put agreed/2031-1.yaml back, or, if this is the version in terms.yaml, run npm run content -- --record',
    ]);
    await recordTerms(await readEdition('june-2031', copy));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), []);
  });

  for (const [wrong, words, by, told] of [
    [
      'was changed',
      'keeps the deposit',
      'gives back the deposit',
      'this is not the text that was recorded: put it back',
    ],
    [
      'names another version',
      '2031-1',
      '2031-2',
      'a program wrote this file, and it is no longer as it was: put it back',
    ],
    [
      'lacks its policies',
      'policies:',
      'policy:',
      'a program wrote this file, and it is no longer as it was: put it back',
    ],
  ] as const) {
    test(`the text of a recorded version ${wrong}`, async (t) => {
      const copy = await copyOfEditions(t);
      await replaceIn(join(copy, 'june-2031/agreed/2031-1.yaml'), words, by);
      assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
        `june-2031/agreed/2031-1.yaml: ${told}`,
      ]);
    });
  }

  test('a copied folder still contains the recorded texts of the other edition', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/record.yaml'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031/terms.yaml, line 1, version: version 2031-1 is new: once its text is right, run npm run content -- --record',
      'june-2031/agreed/2031-1.yaml: record.yaml holds no such version: delete this file if it came with a copy of another edition',
    ]);
  });

  test('texts name dates of another retreat, in any file', async (t) => {
    const copy = await copyOfEditions(t);
    const left = [
      ['terms', 'The house keeps', 'Until Monday the house keeps', 15, 'policies[2].paragraphs[1]', 'Monday'],
      [
        'edition',
        'Harbor Retreat Deposit',
        'January 2026 Deposit',
        18,
        'package.description',
        'January 2026',
      ],
      ['schedule', 'with the tide', 'in July', 6, 'days[2].caveat', 'July'],
      ['page', 'weighs, and nobody', 'weighs in February, and nobody', 4, 'hero.lede', 'February'],
      ['people', 'See you at', 'Until January, at', 13, 'author.closing', 'January'],
      ['outlets', 'title: ', 'title: In 2026, ', 2, 'partners.title', '2026'],
      ['faq', 'Whenever you like', 'Until June 24', 16, 'items[3].answer', 'June 24'],
    ] as const;
    for (const [file, words, by] of left) await replaceIn(join(copy, 'june-2031', `${file}.yaml`), words, by);
    assert.deepEqual(
      await reportOf(copy, () => readAllEditions(copy)),
      left.map(
        ([file, , , line, field, named]) =>
          `june-2031/${file}.yaml, line ${line}, ${field}: it names ${named}, but this retreat is from Wednesday, June 18 to Sunday, June 22, 2031: ${advice(named)}`,
      ),
    );
  });

  test('what guests said, and who the author is, may name any date', async (t) => {
    const copy = await copyOfEditions(t);
    const people = join(copy, 'june-2031/people.yaml');
    await replaceIn(people, 'I brought my rules', 'In January 2030 I brought my rules');
    await replaceIn(people, 'Guest, garden side', 'Guest, garden side, 2030');
    await replaceIn(people, 'was made up for a test', 'was made up in May 2029');
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), []);
  });

  test('January 2026 is named, with its line, in a copy of that edition that takes place in May', async (t) => {
    const copy = await mkdtemp(join(tmpdir(), 'editions-'));
    t.after(() => rm(copy, { recursive: true }));
    const folder = join(copy, 'may-2027');
    await cp(join(EDITIONS_FOLDER, 'january-2026'), folder, { recursive: true });
    for (const file of ['edition', 'schedule']) {
      const path = join(folder, `${file}.yaml`);
      const text = (await readFile(path, 'utf8'))
        .replaceAll(/2026-01-(\d\d)/g, (_, day) => `2027-05-${String(Number(day) - 9).padStart(2, '0')}`)
        .replace('2025-12-21', '2027-04-11')
        .replace('2025-12-01', '2027-03-25');
      await writeFile(path, text);
    }
    const place = 'Thursday, May 13 to Sunday, May 16, 2027';
    const foreign = (where: string, words: string) =>
      `may-2027/${where}: it names ${words}, but this retreat is from ${place}: ${advice(words)}`;
    const at = async (file: string, start: string, field: string) => {
      const lines = (await readFile(join(folder, file), 'utf8')).split('\n');
      return `${file}, line ${lines.findIndex((line) => line.includes(start)) + 1}, ${field}`;
    };
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      foreign(await at('edition.yaml', 'description: January 2026', 'package.description'), 'January 2026'),
      foreign(await at('edition.yaml', 'selection: January 2026', 'package.selection'), 'January 2026'),
      foreign(await at('page.yaml', 'For four days in January', 'hero.lede'), 'January'),
      foreign(await at('page.yaml', 'let January be', 'closing.prompt'), 'January'),
      foreign(await at('people.yaml', 'Until January', 'author.closing'), 'January'),
    ]);
  });

  test('two editions sell the same package', async (t) => {
    const copy = await copyOfEditions(t);
    await cp(join(copy, 'june-2031'), join(copy, 'june-2032'), { recursive: true });
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2032/edition.yaml, line 16, package.id: the edition june-2031 sells a package of this id: write a new one in the newer edition',
    ]);
  });

  test('the terms of two editions have the same address', async (t) => {
    const copy = await copyOfEditions(t);
    const [older, newer] = [join(copy, 'june-2031'), join(copy, 'june-2031-2031')];
    await cp(older, newer, { recursive: true });
    for (const file of ['record.yaml', 'agreed']) await rm(join(newer, file), { recursive: true });
    await replaceIn(join(newer, 'edition.yaml'), 'harbor_june_2031', 'harbor_of_another_year');
    await replaceIn(join(newer, 'terms.yaml'), 'version: 2031-1', 'version: "1"');
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031-2031/terms.yaml, line 1, version: the terms of the edition june-2031 have the same address, /terms/june-2031-2031-1: write another version',
    ]);
  });

  test('a folder has a name that cannot be part of an address', async (t) => {
    const copy = await copyOfEditions(t);
    await rename(join(copy, 'june-2031'), join(copy, 'June 2031'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'June 2031: the folder needs another name: small letters, digits and - only, such as june-2027',
    ]);
  });

  for (const [wrong, line, told] of [
    [
      'names a folder that does not exist',
      'edition: june-2032',
      'line 1, edition: there is no folder june-2032 beside it: write the name of one',
    ],
    [
      'does not hold the name of a folder',
      'edition: June 2031',
      'line 1, edition: this is “June 2031”: write the name of a folder beside it, such as march-2027',
    ],
  ] as const) {
    test(`on-sale.yaml ${wrong}`, async (t) => {
      const copy = await copyOfEditions(t);
      await writeFile(join(copy, 'on-sale.yaml'), `${line}\n`);
      assert.deepEqual(await reportOf(copy, () => readOnSale(copy)), [`on-sale.yaml, ${told}`]);
    });
  }
});
