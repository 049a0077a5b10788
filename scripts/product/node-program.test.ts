import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nodeOptions } from './node-program.ts';

test('the containers run Node as everything else does', async () => {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  assert.ok(dockerfile.includes(` NODE_OPTIONS="${nodeOptions.join(' ')}" `));
});
