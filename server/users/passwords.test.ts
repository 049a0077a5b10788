import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswords } from './passwords.ts';

test('passwords are compared one at a time, those from known browsers first', async () => {
  const passwords = createPasswords({ cost: 1024, blockSize: 8, parallel: 1 });
  const compared: string[] = [];
  const compare = async (who: string, first: boolean): Promise<void> => {
    await passwords.isRight('guess', undefined, { first });
    compared.push(who);
  };
  await Promise.all([
    compare('stranger 1', false),
    compare('stranger 2', false),
    compare('stranger 3', false),
    compare('known 1', true),
    compare('known 2', true),
  ]);
  assert.deepEqual(compared, ['stranger 1', 'known 1', 'known 2', 'stranger 2', 'stranger 3']);
});
