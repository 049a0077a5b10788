import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readActs } from '#server/record/acts.ts';
import { wiretap } from '#server/testing/network.ts';
import { openTestDatabase, registration, testDatabase } from '#server/testing/test-database.ts';
import { askingEdition, testQuestions } from '#server/testing/test-editions.ts';
import { answerQuestions, removeHealthAnswer } from './her-details.ts';

test('an answer about her health is saved, and deleted, once, also where the answer to the COMMIT is lost', async (t) => {
  const { url } = await testDatabase(t, 'postgres');
  const wire = await wiretap(t, url);
  const database = openTestDatabase(t, wire.url);
  const whose = { id: 'pi_1', edition: askingEdition };
  const row = { ...registration('one'), deposit: whose.id };
  await database.write((transaction) => transaction.insertInto('registrations').values(row).execute());
  const kinds = async () => {
    const acts = await database.read((transaction) => readActs(transaction, whose.id));
    return acts.map(({ kind }) => kind);
  };
  const { health } = testQuestions;
  wire.cutAfter('commit');
  await answerQuestions({ database }, whose, [{ question: health, answer: 'Asthma' }], new Date());
  assert.deepEqual(await kinds(), ['health-consent']);
  wire.cutAfter('commit');
  assert.equal(await removeHealthAnswer({ database }, whose, health.id, new Date()), true);
  assert.deepEqual(await kinds(), ['health-consent', 'health-removed']);
});
