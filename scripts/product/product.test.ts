import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { findFreePort, isPortFree } from './ports.ts';
import { nodeOptions } from './product.ts';

/** So many that some would be chosen twice if ports were not reserved. */
const MANY = 300;

/** The script of another process: it keeps running, and holds the ports that it found. */
const ELSEWHERE = `
  import { findFreePort } from ${JSON.stringify(new URL('./ports.ts', import.meta.url).href)};
  const ports = [];
  while (ports.length < ${MANY}) ports.push(await findFreePort());
  process.on('message', () => {});
  process.send(ports);
`;

async function findMany(): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < MANY) ports.push(await findFreePort());
  return ports;
}

describe('ports for tests', () => {
  test('each caller gets a port that no other caller got, in any process', async () => {
    const other = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', ELSEWHERE], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [[elsewhere], here] = await Promise.all([once(other, 'message'), findMany()]);
    const all = [...elsewhere, ...here, ...(await findMany())];
    other.kill();
    assert.equal(all.length, 3 * MANY);
    assert.equal(new Set(all).size, all.length);
    assert.ok(await isPortFree(all[0]));
  });
});

test('the containers run Node with the same options as everything else', async () => {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  assert.ok(dockerfile.includes(` NODE_OPTIONS="${nodeOptions.join(' ')}" `));
});
