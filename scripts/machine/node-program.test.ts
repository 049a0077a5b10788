import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { nodeOptions } from './node-options.ts';

test('the image runs Node as everything else does', async () => {
  const [, inImage] = /NODE_OPTIONS="([^"]+)"/.exec(await readFile('Dockerfile', 'utf8')) ?? [];
  assert.equal(inImage, nodeOptions.join(' '));
});
