import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import * as v from 'valibot';
import { makeWhenStale } from './when-stale.ts';

test('a build is current until a source or the mode changes; changed tests do not matter', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'build-'));
  t.after(() => rm(folder, { recursive: true }));
  const sources = join(folder, 'sources');
  await mkdir(join(sources, 'deep'), { recursive: true });
  const source = join(sources, 'deep', 'page.tsx');
  await writeFile(source, 'one');
  let made = 0;
  const isCurrent = async (mode = 'production') => {
    const before = made;
    await makeWhenStale(folder, mode, [sources], async () => {
      made += 1;
    });
    return made === before;
  };

  assert.equal(await isCurrent(), false);
  assert.equal(await isCurrent(), true);
  assert.equal(await isCurrent('development'), false);
  assert.equal(await isCurrent(), false);
  await writeFile(join(sources, 'page.test.tsx'), 'a test');
  assert.equal(await isCurrent(), true);
  await writeFile(source, 'another');
  assert.equal(await isCurrent(), false);
});

const mapSchema = v.object({ sources: v.array(v.string()) });

test('the programs’ source maps cover our own files, and no package’s', async () => {
  const maps = (await readdir('dist', { recursive: true })).filter((file) => file.endsWith('.js.map'));
  const read = maps.map(async (map) => JSON.parse(await readFile(join('dist', map), 'utf8')));
  const sources = (await Promise.all(read)).flatMap((map) => v.parse(mapSchema, map).sources);
  assert.ok(sources.some((source) => source.endsWith('/server/create-app.ts')));
  assert.deepEqual(
    sources.filter((source) => /\/node_modules\/.*(?<!\/package)$/.test(source)),
    [],
  );
});

const lockSchema = v.object({
  packages: v.record(v.string(), v.object({ integrity: v.optional(v.string()) })),
});

test('package-lock.json has the digest of every package, also of optional ones for other systems', async () => {
  const { packages } = v.parse(lockSchema, JSON.parse(await readFile('package-lock.json', 'utf8')));
  const { '': _project, ...installed } = packages;
  const unverified = Object.entries(installed).filter(
    ([, { integrity }]) => !integrity?.startsWith('sha512-'),
  );
  assert.deepEqual(
    unverified.map(([path]) => path),
    [],
    'npm does not write a digest for a package of another system that was not in its cache: add what `npm view NAME@VERSION dist.integrity` prints',
  );
});
