import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { FAULTS } from '#scripts/drills/stage/storm.ts';
import { runChaos } from './chaos.ts';

/** A chaos without Stripe's year has all faults but these, and hits app and worker in the middle of something. */
const OF_THE_YEAR = ['Redis wiped', 'SMTP slow', 'app killed', 'worker killed'];
const IN_THE_MIDDLE = ['app killed: consent', 'app killed: register', 'worker killed: mail'];

test('R5.1 R4.5 whatever dies or hangs, every registration has each of its mails, one payment and one charge', async (t) => {
  const { verdict, problems, report } = await inFolder('chaos-test', (folder) =>
    runChaos({ registrations: 15, seed: 5, folder, say: (words) => t.diagnostic(words) }),
  );
  assert.deepEqual(problems, [], report);
  assert.equal(verdict.of('Registrations'), 15);
  const all = Object.values(FAULTS).map(({ says }) => says);
  const expected = [...all.filter((says) => !OF_THE_YEAR.includes(says)), ...IN_THE_MIDDLE];
  assert.deepEqual([...verdict.faults.keys()].sort(), expected.sort());
  assert.equal(verdict.of('  received'), verdict.of('Letters expected'));
  assert.ok(verdict.of('Consents expected') > 0);
  const lost = verdict.of('  lost with the register');
  assert.equal(verdict.of('  on record') + lost, verdict.of('Consents expected'));
});
