import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines, insertFound, recordAct, testDatabase } from '#server/testing/test-database.ts';
import { startMailing } from '#server/testing/test-mailing.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { countRegister, registrationsOf } from './registration-index.ts';

test('a registration of which an act cannot be read needs a person, and the others are processed', async (t) => {
  const { register, work, sendAll, database, log, now } = await startMailing(t);
  const [older, broken, newer] = [
    await register({ email: 'older@example.org' }),
    await register({ email: 'broken@example.org' }),
    await register({ email: 'newer@example.org' }),
  ];
  const act = await recordAct(database, broken, 'cancel', { at: now(), writtenAt: now() });
  await database.write((transaction) =>
    transaction.updateTable('acts').set({ facts: '{"writtenAt":0}' }).where('id', '=', act).execute(),
  );
  await work();
  const listed = await registrationsOf({ database }, edition);
  assert.deepEqual(listed.map(({ id }) => id).toSorted(), [older, newer].toSorted());
  const sent = await sendAll();
  assert.equal(sent.filter((kind) => kind === 'welcome').length, 2);
  assert.equal((await countRegister(database)).attention, 1);
  const reason = `"reason":"The act ${act} \\(cancel\\) cannot be read"`;
  assert.match(log.text(), new RegExp(`"level":"error".*"registration":"${broken}".*${reason}`));
});

for (const engine of engines)
  test(`the register is counted by what the worker found, on ${engine}`, async (t) => {
    const { database } = await testDatabase(t, engine);
    await insertFound(
      database,
      { state: 'settled' },
      { state: 'settled' },
      { state: 'due', overdue: 'declined' },
      { attention: 'unreadable' },
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
