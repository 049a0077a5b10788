import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { isSafeVersion } from '#server/database/sqlite.ts';
import { testFolder } from '#server/testing/clean-up.ts';
import { prepareAppProcesses } from '#server/testing/processes.ts';
import { testDatabaseUrl } from '#server/testing/test-database.ts';

test('a process prints nothing at its start but its log, such as a warning of Node', async (t) => {
  const { start } = await prepareAppProcesses(t);
  for (const name of ['app', 'worker'] as const) {
    const { lines } = await start({ name });
    assert.ok(lines.length > 0);
    for (const line of lines) assert.doesNotThrow(() => JSON.parse(line), line);
  }
});

describe('a process that cannot start', () => {
  const hasSqlite = isSafeVersion(process.versions.sqlite ?? '');
  test('without any SQLite it says so, and starts on PostgreSQL', { skip: hasSqlite }, async (t) => {
    const build = await testFolder(t, 'build');
    await buildWhenStale('production', 'dist');
    await cp('dist', build, { recursive: true });
    const { start } = await prepareAppProcesses(t, {}, build);
    await assert.rejects(
      start(),
      /The app did not start\. Node \S+ has no safe SQLite, .*use the latest Node 24, or PostgreSQL$/,
    );
    await start({ env: { DATABASE_URL: await testDatabaseUrl(t, 'postgres') } });
  });

  test('says in one sentence that the register cannot be opened', async (t) => {
    const { start } = await prepareAppProcesses(t);
    for (const name of ['app', 'worker'] as const) {
      const starting = start({ name, env: { DATABASE_URL: 'file:/nowhere/register.sqlite' } });
      await assert.rejects(starting, ({ message }: Error) => {
        assert.equal(
          message.split('\n').at(-1),
          `The ${name} did not start. The register /nowhere/register.sqlite cannot be used: its folder does not exist: make it, or mount the volume there`,
        );
        return true;
      });
    }
  });
});
