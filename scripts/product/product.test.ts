import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nodeOptions } from './product.ts';

test('the containers run Node with the same options as everything else', async () => {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  assert.ok(dockerfile.includes(` NODE_OPTIONS="${nodeOptions.join(' ')}" `));
});
