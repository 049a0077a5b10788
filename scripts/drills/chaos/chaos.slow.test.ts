import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inFolder } from '#scripts/drills/drill.ts';
import { TOLD_AWAY } from '#scripts/drills/stage/registering.ts';
import { runChaos } from './chaos.ts';

const FAULTS = [
  'SMTP 4xx',
  'SMTP 5xx',
  'SMTP cut before the OK',
  'SMTP dropped in the message',
  'SMTP hanging',
  'SMTP refused',
  'Redis frozen',
  'Redis killed',
  'Redis killed, last second lost',
  'app killed: consent',
  'app killed: register',
  'worker killed: mail',
  'register full',
  'register locked',
  'register read-only',
  'register restored',
];

test('R5.1 R4.5 whatever dies or hangs, every registration has each of its mails, one payment and one charge', async (t) => {
  const { verdict, problems, report } = await inFolder('chaos-test', (folder) =>
    runChaos({ registrations: 15, seed: 5, folder, say: (words) => t.diagnostic(words) }),
  );
  assert.deepEqual(problems, [], report);
  assert.equal(verdict.of('Registrations'), 15);
  const faults = [...verdict.faults.keys()].filter((what) => what !== TOLD_AWAY);
  assert.deepEqual(faults.sort(), FAULTS.toSorted());
  assert.equal(verdict.of('  received'), verdict.of('Letters expected'));
  assert.ok(verdict.of('Consents expected') > 0);
  const lost = verdict.of('  lost with the register');
  assert.equal(verdict.of('  on record') + lost, verdict.of('Consents expected'));
});
