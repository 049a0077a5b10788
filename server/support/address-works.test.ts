import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnreachable } from '#server/payments/bounce-mark.ts';
import { startPaid } from '#server/testing/test-support.ts';

test('support records that an address works again after a letter bounced', async (t) => {
  const { run, id, payments, find, now: time } = await startPaid(t);
  const early = await run('address-works');
  assert.deepEqual([early.code, early.out], [4, '']);
  assert.match(early.err, /No letter to her present address came back/);

  const now = time();
  const address = (await find()).registrant.email;
  const event = { type: 'bounce', permanent: true, address, at: now } as const;
  assert.deepEqual((await payments.recordBounce(event, now)).marked, [id]);
  assert.match((await run('show')).out, /^Letters {2,}a letter to her came back on Dec 1, 2025/m);
  const tried = await run('address-works', '--dry-run');
  assert.match(tried.out, /Letters go to \S+ again\./);
  assert.equal(isUnreachable(await find()), true);
  const done = await run('address-works');
  assert.deepEqual([done.code, done.err], [0, '']);
  assert.match(done.out, /Recorded for Anna\./);
  assert.equal(isUnreachable(await find()), false);
  assert.match((await run('show')).out, /Anna: her address works again/);
});
