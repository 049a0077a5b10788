import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUpOnSignal } from '#scripts/drills/drill.ts';
import { EARLIER, isInHistory } from './earlier-version.ts';
import { reportOf } from './report.ts';
import { runUpgrade } from './run-upgrade.ts';

test('R5.1 R8 through an upgrade and its rollback nobody fails to register, no letter is lost or doubled, no balance is charged twice', async (t) => {
  if (!(await isInHistory()))
    return t.skip(`the history of this clone does not go back to ${EARLIER.version}`);
  await mkdir('.data', { recursive: true });
  const folder = join(process.cwd(), await mkdtemp(join('.data', 'upgrade-test-')));
  cleanUpOnSignal(folder);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const result = await runUpgrade({ registrations: 1, seed: 4, folder, say: (words) => t.diagnostic(words) });
  assert.deepEqual(result.problems, [], reportOf(result));
  assert.equal(result.mails.received, result.mails.expected);
  assert.ok(result.balances.expected > 0);
  assert.equal(result.balances.charged, result.balances.expected);
});
