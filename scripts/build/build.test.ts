import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
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
