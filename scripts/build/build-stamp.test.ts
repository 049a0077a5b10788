import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { isBuiltFrom, stampBuild, stampOf } from './build-stamp.ts';

test('a build is current until a source or the mode changes; changed tests do not matter', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'build-'));
  t.after(() => rm(folder, { recursive: true }));
  const sources = join(folder, 'sources');
  await mkdir(join(sources, 'deep'), { recursive: true });
  const source = join(sources, 'deep', 'page.tsx');
  await writeFile(source, 'one');
  const isCurrent = async (mode = 'production') => isBuiltFrom(folder, await stampOf(mode, [sources]));

  assert.equal(await isCurrent(), false);
  await stampBuild(folder, await stampOf('production', [sources]));
  assert.equal(await isCurrent(), true);
  assert.equal(await isCurrent('development'), false);
  await writeFile(join(sources, 'page.test.tsx'), 'a test');
  assert.equal(await isCurrent(), true);
  await writeFile(source, 'another');
  assert.equal(await isCurrent(), false);
});
