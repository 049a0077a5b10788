import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#server/testing/test-database.ts';
import { holdRegister, readHeld, releaseRegister } from './registration.ts';

test('who held the register, and who released it, is on record: once, however often it is held', async (t) => {
  const register = await testDatabase(t);
  const [held, released] = [new Date('2025-12-01T10:00:00Z'), new Date('2025-12-01T11:00:00Z')];
  await holdRegister(register, 'The machine is set back.', 'Anna', held);
  await holdRegister(register, 'Again.', 'Berta', released);
  assert.equal((await readHeld(register))?.why, 'The machine is set back.');
  await releaseRegister(register, 'Berta', released);
  assert.equal(await readHeld(register), undefined);
  const acts = await register.database.read((transaction) =>
    transaction.selectFrom('acts').select(['kind', 'byWhom', 'happenedAt']).orderBy('happenedAt').execute(),
  );
  assert.deepEqual(acts, [
    { kind: 'hold', byWhom: 'Anna', happenedAt: held },
    { kind: 'released', byWhom: 'Berta', happenedAt: released },
  ]);
});
