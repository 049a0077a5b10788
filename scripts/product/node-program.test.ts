import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { allocatorEnvironment, nodeOptions } from './node-program.ts';

/** Node takes the other options of V8 on the command line only. */
const IN_NODE_OPTIONS = /^--(?:enable-source-maps|v8-pool-size|max-semi-space-size|max-old-space-size)\b/;

test('the containers run Node as everything else does', async () => {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  const compose = await readFile('docker-compose.yml', 'utf8');
  const byEnvironment = nodeOptions.filter((option) => IN_NODE_OPTIONS.test(option));
  const onCommandLine = nodeOptions.filter((option) => !IN_NODE_OPTIONS.test(option));
  assert.ok(dockerfile.includes(` NODE_OPTIONS="${byEnvironment.join(' ')}" `));
  assert.ok(dockerfile.includes(`\nCMD ${listed(['node', ...onCommandLine, 'dist/start-app.js'])}\n`));
  assert.ok(compose.includes(`\n    command: [node, ${onCommandLine.join(', ')}, dist/start-worker.js]\n`));
  for (const [name, value] of Object.entries(allocatorEnvironment)) {
    assert.ok(dockerfile.includes(` ${name}=${value} `), name);
  }
});

function listed(words: readonly string[]): string {
  return `[${words.map((word) => `"${word}"`).join(', ')}]`;
}
