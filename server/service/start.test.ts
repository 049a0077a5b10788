import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { prepareAppProcesses } from '#server/testing/processes.ts';

describe('a process that cannot start', () => {
  test('says in one sentence that the register cannot be opened', async (t) => {
    const { start } = await prepareAppProcesses(t);
    for (const name of ['app', 'worker'] as const) {
      const starting = start({ name, env: { DATABASE_URL: 'file:/nowhere/register.sqlite' } });
      await assert.rejects(starting, ({ message }: Error) => {
        assert.equal(
          message.split('\n').at(-1),
          `The ${name} did not start. The folder /nowhere of the register does not exist: make it, or mount the volume there`,
        );
        return true;
      });
    }
  });
});
