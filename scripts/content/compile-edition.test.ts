import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { officePlaceholders } from '#shared/content/policies.ts';
import { formatDateRange } from '#shared/dates.ts';
import { compilePage } from './compile-content.ts';
import { balanceTermsOf, compileEdition } from './compile-edition.ts';
import { picturesOf } from './pictures.ts';
import { ContentProblems } from './problems.ts';
import { EDITIONS_FOLDER, type EditionFolder, readEdition } from './read-edition.ts';
import { addJune } from './testing/june.ts';

describe('compiling what the author of an edition wrote', () => {
  let root: string;
  let june: EditionFolder;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'editions-'));
    await addJune(root);
    june = await readEdition('june-2031', root);
  });
  after(() => rm(root, { recursive: true }));

  test('calculates the prices to the cent', () => {
    assert.deepEqual(compileEdition(june).facts.prices, {
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

  test('gives the moments of the balance, in summer time, with their UTC offset', () => {
    const { facts, tryOutFrom } = compileEdition(june);
    assert.deepEqual(facts.balance, {
      noticeAt: '2031-04-25T11:30+01:00',
      reminderAt: '2031-05-04T11:30+01:00',
      chargeAt: '2031-05-09T11:30+01:00',
      refundsEndAt: '2031-05-10T00:00+01:00',
      lateDays: 4,
      feeRefundable: true,
    });
    assert.equal(facts.endsAt, '2031-06-23T00:00+01:00');
    assert.deepEqual([facts.places, facts.holdMinutes], [24, 45]);
    assert.equal(tryOutFrom, '2031-04-20T08:15+01:00');
  });

  test('keeps the hour of the notice when the clocks change between it and the charge', () => {
    const { edition } = june.written;
    const price = { ...edition.price, balanceDue: '2031-04-05' };
    const written = { ...june.written, edition: { ...edition, price } };
    const { noticeAt, chargeAt } = compileEdition({ ...june, written }).facts.balance;
    assert.deepEqual([noticeAt, chargeAt], ['2031-03-22T11:30+00:00', '2031-04-05T11:30+01:00']);
  });

  test('gives hours in summer and in winter time the right UTC offset', () => {
    const { facts, timetable } = compileEdition(june);
    assert.deepEqual(facts.registration, {
      opens: '2031-02-03T09:00+00:00',
      closes: '2031-06-17T20:30+01:00',
    });
    assert.equal(timetable.testSession.startsAt, '2031-06-12T18:45+01:00');
    assert.equal(timetable.sessions.at(0)?.endsAt, '2031-06-18T20:45+01:00');
  });

  test('schedules the letters of the retreat at their hour; only one way-in letter when the link is sent on the first day', () => {
    const { letters } = compileEdition(june).timetable;
    assert.equal(letters.testSession, '2031-06-11T06:30+01:00');
    assert.equal(letters.recordings, '2031-06-25T20:15+01:00');
    assert.deepEqual(
      letters.wayIn.map(({ day, at }) => [day, at]),
      ['17', '18', '19', '20', '21', '22'].map((day) => [`2031-06-${day}`, `2031-06-${day}T06:30+01:00`]),
    );
    const { edition } = june.written;
    const wayIn = { ...edition.wayIn, linkSent: edition.dates.first };
    const written = { ...june.written, edition: { ...edition, wayIn } };
    const days = compileEdition({ ...june, written }).timetable.letters.wayIn.map(({ day }) => day);
    assert.deepEqual(
      days,
      ['18', '19', '20', '21', '22'].map((day) => `2031-06-${day}`),
    );
  });

  test('gives the questions, with their moments', () => {
    const { questions } = compileEdition(june);
    assert.deepEqual(
      [questions?.remindAt, questions?.editableUntil],
      ['2031-06-02T09:00+01:00', '2031-06-12T18:00+01:00'],
    );
    assert.deepEqual(
      questions?.items.map(({ id, required, choices }) => [id, required, choices?.length]),
      [
        ['name-shown', true, undefined],
        ['table', false, 3],
      ],
    );
  });

  test('fills in what the schedule records: audio, audio and video, or nothing', () => {
    const { terms } = compileEdition(june);
    assert.match(JSON.stringify(terms.policies), /there is a recording \(audio\), and of nothing else/);
    const recordedAs = (recorded?: 'audio' | 'video') => {
      const days = june.written.schedule.days.map((day) => ({
        ...day,
        entries: day.entries.map((entry) => {
          if (!('minutes' in entry)) return entry;
          const { recorded: _, ...others } = entry;
          return recorded ? { ...others, recorded } : others;
        }),
      }));
      return compileEdition({ ...june, written: { ...june.written, schedule: { days } } });
    };
    assert.match(JSON.stringify(recordedAs('video').terms), /a recording \(audio and video\)/);
    assert.equal(recordedAs().timetable.letters.recordings, undefined);
  });

  test('R8 the balance of a late deposit is charged under the terms whose paragraphs on it equal the present ones word for word', () => {
    const { terms } = june.written;
    const { facts, terms: present } = compileEdition(june);
    const lateTermsWith = (change: (text: string) => string) => {
      const policies = present.policies.map(({ title, paragraphs }) => ({
        title,
        paragraphs: paragraphs.map(change),
      }));
      return compileEdition({ ...june, agreed: [{ ...balanceTermsOf(facts), version: 'older', policies }] })
        .lateTerms;
    };
    assert.deepEqual(
      lateTermsWith((text) => text.replace('your voice', 'your name')),
      [terms.version, 'older'],
    );
    assert.deepEqual(
      lateTermsWith((text) => text.replace('4 days after her deposit', '5 days after her deposit')),
      [terms.version],
    );
    const silent = terms.policies.filter(({ paragraphs }) => !paragraphs.join().includes('{lateDays}'));
    const written = { ...june.written, terms: { ...terms, policies: silent } };
    assert.deepEqual(compileEdition({ ...june, written }).lateTerms, []);
  });

  test('fills in all placeholders except those of the office', async () => {
    const edition = compileEdition(june);
    const compiled = { edition, ...(await compilePage(june, picturesOf(june.path))) };
    const left = [...JSON.stringify(compiled).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    assert.deepEqual(new Set(left), new Set(officePlaceholders));
  });
});

test('the dates of a retreat are formatted within one month, across two, and over New Year', () => {
  assert.equal(formatDateRange('2031-06-18', '2031-06-22'), 'June\u00a018–22,\u00a02031');
  assert.equal(formatDateRange('2031-06-28', '2031-07-02'), 'June\u00a028–July\u00a02,\u00a02031');
  assert.equal(
    formatDateRange('2031-12-30', '2032-01-02'),
    'December\u00a030,\u00a02031–January\u00a02,\u00a02032',
  );
});

const EDITION = 'january-2026';

test('all pictures that cannot be shown are reported, each with its file, line and field', async (t) => {
  const editions = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(editions, { recursive: true }));
  const path = join(editions, EDITION);
  await cp(join(EDITIONS_FOLDER, EDITION), path, { recursive: true });
  const small = await sharp({ create: { width: 100, height: 50, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  await writeFile(join(path, 'media', 'small.jpg'), small);
  const places = [
    ['page.yaml', 'hero.img', 'doorway'],
    ['page.yaml', 'transform.steps[2].img', 'shared-table'],
    ['people.yaml', 'endorsements.items[3].img', 'meditation-teacher'],
    ['outlets.yaml', 'media.rows[2][3].logo', 'didone'],
    ['people.yaml', 'videos.items[2].poster', 'testimonial-2023.svg'],
  ] as const;
  const lines = new Map<string, number>();
  for (const [file, field, name] of places) {
    const written = (await readFile(join(path, file), 'utf8')).split('\n');
    const line = written.findLastIndex((text) => text.endsWith(`: ${name}`));
    written[line] = written[line]?.replace(name, 'small.jpg') ?? '';
    await writeFile(join(path, file), written.join('\n'));
    lines.set(field, line + 1);
  }

  const folder = await readEdition(EDITION, editions);
  const pictures = picturesOf(path, join(editions, 'kept'));
  await assert.rejects(compilePage(folder, pictures), (error) => {
    assert.ok(error instanceof ContentProblems);
    assert.deepEqual(
      error.problems.map(({ file, field, line }) => [file, field, line]),
      places.map(([file, field]) => [join(path, file), field, lines.get(field)]),
    );
    assert.match(error.message, /hero\.img: small\.jpg is 100 by 50 pixels, too small for this place: take/);
    return true;
  });
});
