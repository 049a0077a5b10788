import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { compileEdition } from './compile.ts';
import { listEdition } from './list.ts';
import { picturesOf } from './pictures.ts';
import { ContentProblems, type EditionFolder, readEdition } from './read.ts';
import { recordTerms } from './record.ts';
import { editionSchema } from './rules.ts';
import { addJune, replaceIn } from './testing/june.ts';
import { compilePage } from './write.ts';

let root: string;
let june: EditionFolder;
const read = (schema = editionSchema) => readEdition('june-2031', root, schema);
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'editions-'));
  await addJune(root);
  june = await read();
});
after(() => rm(root, { recursive: true }));

/** The edition with other facts. */
function compiled(changes: Partial<EditionFolder['written']['edition']> = {}) {
  const edition = { ...june.written.edition, ...changes };
  return compileEdition('june-2031', { ...june.written, edition });
}

test('prices are calculated to the cent', () => {
  assert.deepEqual(compiled().facts.prices, {
    cardFee: '2.9%',
    cardFeePerMille: 29,
    savingCents: 11_000,
    depositBeforeFeeCents: 39_500,
    depositCents: 40_600,
    balanceBeforeFeeCents: 78_500,
    balanceCents: 80_777,
    byCardCents: 121_377,
  });
});

test('moments have the UTC offset of their day, and keep their hour when the clocks change between them', () => {
  const { facts, timetable, questions, plans, tryOutFrom } = compiled();
  assert.deepEqual(facts.balance, {
    noticeAt: '2031-04-25T11:30+01:00',
    reminderAt: '2031-05-04T11:30+01:00',
    chargeAt: '2031-05-09T11:30+01:00',
    refundsEndAt: '2031-05-10T00:00+01:00',
    lateDays: 4,
    feeRefundable: true,
  });
  assert.deepEqual(facts.registration, {
    opens: '2031-02-03T09:00+00:00',
    closes: '2031-06-17T20:30+01:00',
  });
  assert.deepEqual([facts.endsAt, tryOutFrom], ['2031-06-23T00:00+01:00', '2031-04-20T08:15+01:00']);
  assert.equal(timetable.sessions.at(0)?.endsAt, '2031-06-18T20:45+01:00');
  assert.equal(questions?.remindAt, '2031-06-02T09:00+01:00');
  assert.deepEqual(plans?.offered, [['2031-05-09T11:30+01:00', '2031-06-05T11:30+01:00']]);
  const price = { ...june.written.edition.price, balanceDue: '2031-04-05' };
  const { noticeAt, chargeAt } = compiled({ price }).facts.balance;
  assert.deepEqual([noticeAt, chargeAt], ['2031-03-22T11:30+00:00', '2031-04-05T11:30+01:00']);
});

test('the way in goes out on the day before and on each day, once where these are the same; recordings are announced later', () => {
  const days = ['17', '18', '19', '20', '21', '22'].map((day) => `2031-06-${day}`);
  const { letters } = compiled().timetable;
  assert.deepEqual(
    [letters.testSession, letters.recordings],
    ['2031-06-11T06:30+01:00', '2031-06-25T20:15+01:00'],
  );
  assert.deepEqual(
    letters.wayIn,
    days.map((day) => ({ day, at: `${day}T06:30+01:00` })),
  );
  const wayIn = { ...june.written.edition.wayIn, linkSent: '2031-06-18' };
  assert.deepEqual(
    compiled({ wayIn }).timetable.letters.wayIn.map(({ day }) => day),
    days.slice(1),
  );
});

test('the terms are recorded with prices and dates; a new version stands beside them, and neither ever changes', async () => {
  const kept = (version: string) => readFile(join(root, `june-2031/agreed/${version}.yaml`), 'utf8');
  const record = async () => {
    const { path, written } = await read();
    await recordTerms(path, written);
  };
  await record();
  const first = await kept('2031.1');
  assert.match(first, /\$406 is charged to your card today/);
  assert.match(first, /\{officeEmail\}/);
  const terms = join(root, 'june-2031/terms.yaml');
  await replaceIn(terms, '2031.1', '2031.2');
  await replaceIn(terms, 'keeps', 'holds');
  await record();
  const second = await kept('2031.2');
  const { agreed, lateTerms } = compileEdition('june-2031', (await readEdition('june-2031', root)).written);
  assert.deepEqual(
    agreed.map(({ version }) => version),
    ['2031.1', '2031.2'],
  );
  assert.deepEqual(lateTerms, ['2031.2', '2031.1']);
  assert.notEqual(agreed[0]?.digest, agreed[1]?.digest);
  await replaceIn(terms, 'holds', 'loses');
  await record();
  assert.deepEqual([await kept('2031.1'), await kept('2031.2')], [first, second]);
  await assert.rejects(readEdition('june-2031', root), ContentProblems);
});

test('every picture that cannot be shown is reported with its file, line and field', async () => {
  const page = join(root, 'june-2031/page.yaml');
  const right = await readFile(page, 'utf8');
  await replaceIn(page, 'img: doorway', 'img: oars.png').catch(() =>
    replaceIn(page, 'harbor.jpg', 'oars.png'),
  );
  await replaceIn(page, 'bread.png', 'oars.png');
  await assert.rejects(compilePage(await read(), picturesOf(june.path, join(root, 'kept'))), (error) => {
    assert.ok(error instanceof ContentProblems);
    const [first, second] = error.problems.map((line) => line.replace(/^.*june-2031\//, '')).sort();
    const small = (file: string, least: string) =>
      `${file}: oars.png is 180 by 90 pixels, too small for this place: take one of ${least}`;
    assert.ok(
      first?.startsWith(small('page.yaml, line 15, hero.img', '1292 by 646 or more, best 2584')),
      first,
    );
    assert.ok(second?.startsWith(small('page.yaml, line 27, transform.steps[2].img', '480 by 240')), second);
    return true;
  });
  await writeFile(page, right);
});

test('an edition is listed with its sums, the weekday of each date, what a try-out shows, and files that nothing uses', async () => {
  await writeFile(join(root, 'june-2031/media/old-harbor.jpg'), '');
  const listed = listEdition(await read(), true);
  for (const line of [
    'june-2031, on sale: terms version 2031.2, schedule revision 3',
    '$1,180 by check, $1,213.77 by card: $406 at once, $807.77 later',
    'media/old-harbor.jpg is not used: name it in a field, or delete it',
    'Monday 2031-02-03 09:00  registration opens',
    'Sunday 2031-04-20 08:15  npm start begins here (tryOutFrom)',
    'Wednesday 2031-06-25 20:15  the recordings are announced',
  ])
    assert.ok(listed.includes(`${line}`), `${line} is in ${listed}`);
});
