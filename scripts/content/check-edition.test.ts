import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import * as v from 'valibot';
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

/** One mistake: its file, the words there, their replacement, and each line reported to the author. */
interface Mistake {
  file: string;
  words: string;
  by: string;
  reported: string[];
}

const JSON_TEXT = v.pipe(v.string(), v.parseJson(), v.string());

/** The blocks of `testing/mistakes.txt`. */
function readMistakes(): Mistake[] {
  const blocks = readFileSync(join(import.meta.dirname, 'testing/mistakes.txt'), 'utf8').split(/\n(?! )/);
  return blocks
    .filter((block) => block && !block.startsWith('#'))
    .map((block) => {
      const [head = '', ...reported] = block.split('\n  ');
      const [, file = '', words, by] = /^(\S+) (".*") -> (".*")$/.exec(head) ?? [];
      return { file, words: v.parse(JSON_TEXT, words), by: v.parse(JSON_TEXT, by), reported };
    });
}

describe('every mistake is reported to the author, with file, line, field and what to do', () => {
  test('nothing is reported for a valid edition', async () => {
    assert.deepEqual(await reportOf(validEditions, () => readAllEditions(validEditions)), []);
  });

  for (const { file, words, by, reported } of readMistakes()) {
    test(`${file}: ${reported[0]}`, async (t) => {
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

  test('a copied folder still contains the recorded texts of the other edition', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/record.yaml'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031/terms.yaml, line 1, version: version 2031-1 is new: once its text is right, run npm run content -- --record',
      'june-2031/agreed/2031-1.yaml: record.yaml holds no such version: delete this file if it came with a copy of another edition',
    ]);
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
    const foreign = (where: string, words: string) => {
      const advice = `correct it${/\d/.test(words) ? '' : ', or add the day or the year if another date is meant'}`;
      return `may-2027/${where}: it names ${words}, but this retreat is from ${place}: ${advice}`;
    };
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
