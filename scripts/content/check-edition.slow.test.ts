import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import * as v from 'valibot';
import { readAllEditions } from './compile-content.ts';
import { ContentProblems, describeProblem } from './problems.ts';
import { readEdition, readOnSale } from './read-edition.ts';
import { recordTerms } from './record.ts';
import { addJune, replaceIn } from './testing/june.ts';

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

const FEE_IN_FAQ = [
  'faq.yaml, line 45, items[7].answer: it names “card processing fee”',
  'faq.yaml, line 52, items[8].answer: it names “card fees”',
];

/** Sells at one price by card and by check. */
async function withoutFee(copy: string): Promise<void> {
  const file = join(copy, 'june-2031/edition.yaml');
  for (const [words, by] of [
    ['  cardFee: 2.9\n', ''],
    ['  feeRefundable: true\n', ''],
    ['deposit: 406', 'deposit: 395'],
  ] as const)
    await replaceIn(file, words, by);
}

/** Other changes of a folder of editions: what is wrong, how it comes about, and each line reported to the author. */
const changes: readonly (readonly [string, change: (copy: string) => Promise<unknown>, ...string[]])[] = [
  [
    'a file is missing',
    (copy) => rm(join(copy, 'june-2031/faq.yaml')),
    'june-2031/faq.yaml: this is missing: add it, as another edition has it',
  ],
  [
    'a copied folder still contains the recorded texts of the other edition',
    (copy) => rm(join(copy, 'june-2031/record.yaml')),
    'june-2031/terms.yaml, line 1, version: version 2031-1 is new: once its text is right, run npm run content -- --record',
    'june-2031/agreed/2031-1.yaml: record.yaml holds no such version: delete this file if it came with a copy of another edition',
    ...[
      'line 57, questions.items[1].id: the question name-shown',
      'line 61, questions.items[2].id: the question table',
    ].map(
      (where) =>
        `june-2031/edition.yaml, ${where} is new: once its words are right, run npm run content -- --record`,
    ),
  ],
  [
    'no card fee is asked, and the terms name one',
    (copy) => withoutFee(copy),
    ...[
      'terms.yaml, line 5, policies[1].paragraphs[1]: it names “{cardFee}”',
      'terms.yaml, line 6, policies[1].paragraphs[2]: it names “{cardFee}”',
      ...FEE_IN_FAQ,
    ].map((named) => `june-2031/${named}, and no card fee is asked (price.cardFee): take it out`),
  ],
  [
    'two editions sell the same package',
    (copy) => cp(join(copy, 'june-2031'), join(copy, 'june-2032'), { recursive: true }),
    'june-2032/edition.yaml, line 16, package.id: the edition june-2031 sells a package of this id: write a new one in the newer edition',
  ],
  [
    'the terms of two editions have the same address',
    async (copy) => {
      const newer = join(copy, 'june-2031-2031');
      await cp(join(copy, 'june-2031'), newer, { recursive: true });
      for (const file of ['record.yaml', 'agreed']) await rm(join(newer, file), { recursive: true });
      await replaceIn(join(newer, 'edition.yaml'), 'harbor_june_2031', 'harbor_of_another_year');
      await replaceIn(join(newer, 'terms.yaml'), 'version: 2031-1', 'version: "1"');
    },
    'june-2031-2031/terms.yaml, line 1, version: the terms of the edition june-2031 have the same address, /terms/june-2031-2031-1: write another version',
  ],
  [
    'a folder has a name that cannot be part of an address',
    (copy) => rename(join(copy, 'june-2031'), join(copy, 'June 2031')),
    'June 2031: the folder needs another name: small letters, digits and - only, such as june-2027',
  ],
];

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

  for (const [wrong, change, ...reported] of changes) {
    test(wrong, async (t) => {
      const copy = await copyOfEditions(t);
      await change(copy);
      assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), reported);
    });
  }

  test('the text of a recorded version is missing', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/agreed/2031-1.yaml'));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), [
      'june-2031/record.yaml, line 4, terms.2031-1: the text that people agreed to as version 2031-1 is missing: put agreed/2031-1.yaml back, or, if this is the version in terms.yaml, run npm run content -- --record',
    ]);
    await recordTerms(await readEdition('june-2031', copy));
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), []);
  });

  test('the picture of link previews is missing', async (t) => {
    const copy = await copyOfEditions(t);
    await rm(join(copy, 'june-2031/media/social-card.png'));
    const [problem = '', ...others] = await reportOf(copy, () => readAllEditions(copy));
    assert.match(
      problem,
      /^june-2031\/edition\.yaml, line \d+, search\.card: there is no social-card\.png in media\/: put a picture/,
    );
    assert.deepEqual(others, []);
  });

  test('what guests said, and who the author is, may name any date', async (t) => {
    const copy = await copyOfEditions(t);
    const people = join(copy, 'june-2031/people.yaml');
    await replaceIn(people, 'I came expecting', 'In January 2030 I came expecting');
    await replaceIn(people, 'Guest, garden side', 'Guest, garden side, 2030');
    await replaceIn(people, 'was made up for a test', 'was made up in May 2029');
    assert.deepEqual(await reportOf(copy, () => readAllEditions(copy)), []);
  });

  for (const [edition, told] of [
    ['june-2032', 'there is no folder june-2032 beside it: write the name of one'],
    ['June 2031', 'this is “June 2031”: write the name of a folder beside it, such as march-2027'],
  ]) {
    test(`on-sale.yaml names ${edition}`, async (t) => {
      const copy = await copyOfEditions(t);
      await writeFile(join(copy, 'on-sale.yaml'), `edition: ${edition}\n`);
      const reported = await reportOf(copy, () => readOnSale(copy));
      assert.deepEqual(reported, [`on-sale.yaml, line 1, edition: ${told}`]);
    });
  }
});
