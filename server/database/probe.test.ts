import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { registerIn } from '#scripts/product/environment.ts';
import { cleanUp, testFolder } from '#server/testing/clean-up.ts';
import { createTestLog } from '#server/testing/test-log.ts';
import { openDatabase } from './database.ts';
import { startProbe } from './open-database.ts';
import { openFile } from './sqlite.ts';

async function openProbed(t: TestContext) {
  const folder = await testFolder(t, 'register');
  const database = openDatabase(registerIn(folder));
  cleanUp(t, () => database.close());
  const file = openFile(join(folder, 'register.sqlite'));
  cleanUp(t, async () => file.close());
  const log = createTestLog();
  const start = async () => {
    const probe = await startProbe(database, log.logger, 10);
    cleanUp(t, probe.close);
    return probe;
  };
  return { file, log, start };
}

describe('the probe of the register', () => {
  test('writes now and again', async (t) => {
    const { file, start } = await openProbed(t);
    const probe = await start();
    assert.equal(probe.isWritable(), true);
    const before = '1970-01-01T00:00:00.000Z';
    file.exec(`update register set probed_at = '${before}'`);
    while (file.prepare('select probed_at from register').get()?.probed_at === before) await delay(5);
  });

  test('finds a register that is locked, and that it is free again, and says each once', async (t) => {
    const { file, log, start } = await openProbed(t);
    const probe = await start();
    file.exec('begin immediate');
    while (probe.isWritable()) await delay(5);
    file.exec('rollback');
    while (!probe.isWritable()) await delay(5);
    assert.ok(log.text().includes('The register can be written again'));
    assert.equal(log.text().split('The register cannot be written').length, 2);
  });
});
