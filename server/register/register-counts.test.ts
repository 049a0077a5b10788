import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines, insertFound, testDatabase } from '#server/testing/test-database.ts';
import { countRegister } from './register-counts.ts';

for (const engine of engines)
  test(`the register is counted by what the worker found, on ${engine}`, async (t) => {
    const { database } = await testDatabase(t, engine);
    await insertFound(
      database,
      { state: 'settled' },
      { state: 'settled' },
      { state: 'due', overdue: 'declined' },
      { attention: 'unreadable' },
      { state: 'of a later release', overdue: 'of a later release' },
    );
    assert.deepEqual(await countRegister(database), {
      attention: 1,
      registrations: [
        { edition: 'january-2026', state: 'due', count: 1 },
        { edition: 'january-2026', state: 'settled', count: 2 },
      ],
      overdue: [{ reason: 'declined', count: 1 }],
      overbooked: [],
    });
  });
