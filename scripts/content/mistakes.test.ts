import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as v from 'valibot';
import { parse } from 'yaml';
import { ContentProblems, readEdition, readEditions, readOnSale } from './read.ts';
import { recordTerms } from './record.ts';
import { editionSchema } from './rules.ts';
import { addJune, replaceIn } from './testing/june.ts';

/** A folder with one edition, which is in order. */
let root: string;
const pathOf = (file: string) => join(root, 'june-2031', file);

before(async () => {
  root = await mkdtemp(join(tmpdir(), 'editions-'));
  await addJune(root);
  await writeFile(join(root, 'on-sale.yaml'), 'edition: june-2031\n');
  const { path, written } = await readEdition('june-2031', root, editionSchema);
  await recordTerms(path, written);
});
after(() => rm(root, { recursive: true }));

/** What the author reads, without the path of the folder. */
async function reported(read: () => Promise<unknown> = () => readEditions(root)): Promise<string[]> {
  try {
    await read();
    return [];
  } catch (error) {
    assert.ok(error instanceof ContentProblems, String(error));
    return error.problems.map((line) => line.replace(`${root}/`, '').replace('june-2031/', ''));
  }
}

/** A mistake: the file, words in it, what stands there instead, and how a line that the author reads begins. */
const mistakeSchema = v.tuple([v.string(), v.string(), v.string(), v.string()]);
const table = parse(readFileSync(join(import.meta.dirname, 'testing/mistakes.yaml'), 'utf8'));
const MISTAKES = v.parse(v.array(mistakeSchema), table);

describe('every mistake is answered with file, line, what is wrong and what would be right', () => {
  test('an edition in order is answered with nothing', async () => assert.deepEqual(await reported(), []));

  test('a month of a later year may be named', async () => {
    const page = pathOf('page.yaml');
    const right = await readFile(page, 'utf8');
    await replaceIn(page, 'put down the diets', 'put down until October 2032 the diets');
    assert.deepEqual(await reported(), []);
    await writeFile(page, right);
  });

  for (const [name, words, by, told] of MISTAKES)
    test(`${name}: ${by || 'nothing'}`, async () => {
      const file = pathOf(`${name}.yaml`);
      const right = await readFile(file, 'utf8');
      await replaceIn(file, words, by);
      const lines = await reported();
      await writeFile(file, right);
      assert.ok(
        lines.some((line) => line.startsWith(told)),
        lines.join('\n'),
      );
    });

  test('a file that is missing, a second edition that sells the same package, and the name of a folder', async () => {
    const faq = await readFile(pathOf('faq.yaml'));
    await rm(pathOf('faq.yaml'));
    assert.deepEqual(await reported(), ['faq.yaml: this is missing: add it, as another edition has it']);
    await writeFile(pathOf('faq.yaml'), faq);
    const copy = join(root, 'june-2032');
    await cp(pathOf('.'), copy, { recursive: true });
    const sold = 'the edition june-2031 sells a package of this id: write a new one in the newer edition';
    assert.deepEqual(await reported(), [`june-2032/edition.yaml, line 16, package.id: ${sold}`]);
    await rename(copy, join(root, 'June 2032'));
    const [named] = await reported();
    assert.equal(
      named,
      'June 2032: the folder needs another name: small letters, digits and - only, such as june-2027',
    );
    await rm(join(root, 'June 2032'), { recursive: true });
  });

  test('on-sale.yaml names no edition', async () => {
    await writeFile(join(root, 'on-sale.yaml'), 'edition: june-2032\n');
    const told =
      'on-sale.yaml, line 1, edition: there is no folder june-2032 beside it: write the name of one';
    assert.deepEqual(await reported(() => readOnSale(root)), [told]);
  });
});
