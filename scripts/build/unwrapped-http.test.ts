import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

test('no program imports Node’s HTTP module as a wrapped one', async () => {
  const files = await readdir('dist', { recursive: true });
  const programs = files.filter((file) => file.endsWith('.js') && !file.startsWith('public/'));
  const texts = await Promise.all(programs.map((file) => readFile(join('dist', file), 'utf8')));
  assert.ok(texts.some((text) => /process\.getBuiltinModule\(["']node:http["']\)/.test(text)));
  assert.deepEqual(
    programs.filter((_, index) => /(?:from|import) ?\(?["'](?:node:)?http["']/.test(texts[index] ?? '')),
    [],
  );
});
