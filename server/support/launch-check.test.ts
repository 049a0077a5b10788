import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { leastEnvironment } from '#scripts/product/environment.ts';
import { runCommand } from './run-command.ts';

/** What the command tells of an item, in an environment in which neither Redis nor the register answers. */
async function check(env: NodeJS.ProcessEnv, ...options: string[]) {
  const ended = await runCommand(['launch-check', ...options], { ...leastEnvironment, ...env });
  assert.equal(ended.err, '');
  return ended;
}

async function copiesOf(t: TestContext, ...minutesAgo: number[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'copies-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const minutes of minutesAgo) {
    const at = new Date(Date.now() - minutes * 60_000).toISOString().replace(/[:.]/g, '-');
    await writeFile(join(folder, `register-${at}.sqlite`), '');
  }
  return folder;
}

describe('support launch-check', () => {
  test('lists what is left by who decides it, and ends with 6', async () => {
    const { code, out } = await check({});
    assert.equal(code, 6);
    assert.match(out, /^Before the launch of january-2026: \d+ to change \[!\], \d+ to decide \[ \],\n/);
    assert.match(
      out,
      /\nThe owner\n {2}\[!\] sample-.*\n\nThe lawyer\n {2}\[ \] terms: .*\n {6}See .*\n\nThe bookk/s,
    );
    assert.match(out, /\[\?\] users: OPS_USERS: the worker is not given that/);
    assert.match(out, /Redis and the register were not asked/);
    assert.doesNotMatch(out, /\[x\] \w/);
  });

  test('--all lists also what is done, --json all of it for programs', async () => {
    const env = { NODE_ENV: 'production' };
    assert.match((await check(env, '--all')).out, /\[x\] production: The processes run in production mode\./);
    const { edition, left, items } = JSON.parse((await check(env, '--json')).out);
    assert.equal(edition, 'january-2026');
    assert.ok(left > 0 && left < items.length);
  });

  test('a variable that keeps the worker from starting is on the list', async () => {
    assert.match((await check({ PUBLIC_URL: '' })).out, /\[!\] variable-public-url: PUBLIC_URL is missing/);
  });

  test('the newest copy of the register is known by its age', async (t) => {
    const told = async (folder: string) =>
      /newest-copy: .*/.exec((await check({ BACKUP_DIR: folder }, '--all')).out)?.[0];
    assert.match((await told(await copiesOf(t, 200, 12))) ?? '', /was made 12 minutes ago/);
    const late = await check({ BACKUP_DIR: await copiesOf(t, 200) });
    assert.match(late.out, /\[!\] newest-copy: .* was made 200 minutes ago/);
    assert.match((await told(await copiesOf(t))) ?? '', /There is no copy of the register/);
    const away = await check({ BACKUP_DIR: '/nowhere' });
    assert.match(away.out, /\[\?\] newest-copy: This could not be looked at: ENOENT/);
    assert.match(away.out, /\[ \] terms/);
  });
});
