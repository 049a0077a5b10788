import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { compileEdition } from './compile-edition.ts';
import { listEditions, readEdition } from './read-edition.ts';
import { checkRecord, recordTerms } from './record.ts';
import { addJune } from './testing/june.ts';

for (const id of await listEditions()) {
  test(`${id} is recorded as it reads now, and every version of its terms that people agreed to can be read`, async () => {
    const folder = await readEdition(id);
    assert.deepEqual([...checkRecord(folder)], []);
    const { terms, agreed } = compileEdition(folder);
    const recorded = Object.entries(folder.written.record.terms);
    assert.deepEqual(
      agreed.map(({ version, digest }) => [version, digest]),
      recorded,
    );
    assert.ok(agreed.some(({ digest }) => digest === terms.digest));
  });
}

test('a new version is recorded beside the previous one, whose text stays as it was, with prices and dates filled in', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(root, { recursive: true }));
  await addJune(root);
  const path = join(root, 'june-2031');
  const read = () => readEdition('june-2031', root);
  const textOf = (version: string) => readFile(join(path, `agreed/${version}.yaml`), 'utf8');

  await recordTerms(await read());
  const first = await textOf('2031-1');
  const asked = ['name-shown', 'table'];
  assert.deepEqual((await read()).written.record.questions, asked);
  assert.match(first, /\$406 is charged to your card today/);
  assert.match(first, /\{officeEmail\}/);

  const terms = join(path, 'terms.yaml');
  await writeFile(
    terms,
    (await readFile(terms, 'utf8')).replace('2031-1', '2031-2').replace('keeps', 'holds'),
  );
  await recordTerms(await read());
  const folder = await read();
  assert.deepEqual([...checkRecord(folder)], []);
  assert.equal(await textOf('2031-1'), first);
  const { agreed } = compileEdition(folder);
  assert.deepEqual(
    agreed.map(({ version }) => version),
    ['2031-1', '2031-2'],
  );
  assert.notEqual(agreed[0]?.digest, agreed[1]?.digest);

  await writeFile(terms, (await readFile(terms, 'utf8')).replace('holds', 'loses'));
  const second = await textOf('2031-2');
  await recordTerms(await read());
  assert.equal(await textOf('2031-2'), second, 'a recorded text is not overwritten');
  assert.equal([...checkRecord(await read())].length, 1);
});
