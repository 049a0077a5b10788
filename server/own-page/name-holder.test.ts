import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HERSELF } from '#server/registration/registration.ts';
import { newsOf, startOwnPage, wordsOf } from '#server/testing/test-own-page.ts';
import { formPaths } from '#shared/own-page.ts';

const PROOF = '0142';
const MARY = {
  act: 'name',
  firstName: 'Mary',
  lastName: 'Hart',
  email: 'mary@example.org',
  phoneNumber: '+1 (555) 555-0199',
};

test('she names on her page who is to have her place, and agrees to it with the same proof', async (t) => {
  const { enter, see, press, find } = await startOwnPage(t);
  const cookie = await enter();
  assert.match((await see(cookie).expect(200)).text, /href="\/place\/hand-over"/);
  const { text } = await see(cookie, formPaths.handOver).expect(200);
  assert.match(wordsOf(text), /The other person reads the terms and accepts the place/);

  const unproven = await press(cookie, formPaths.handOver, { ...MARY, proof: '9999' });
  assert.equal(unproven.status, 422);
  assert.match(unproven.text, /value="mary@example.org"/);
  for (const [changes, why] of [
    [{ email: (await find()).registrant.email }, /reach you: please give the other person’s own/],
    [{ firstName: '' }, /first name/i],
  ] as const)
    assert.match((await press(cookie, formPaths.handOver, { ...MARY, ...changes, proof: PROOF })).text, why);
  assert.equal((await find()).decisions.handOver, undefined);

  assert.equal(
    newsOf(await press(cookie, formPaths.handOver, { ...MARY, proof: PROOF })),
    'hand-over-agreed',
  );
  const { handOver, handOverAgreed } = (await find()).decisions;
  assert.deepEqual([handOver?.email, handOver?.by, handOverAgreed?.of], [MARY.email, HERSELF, handOver?.at]);
  // A second press, and one for somebody else, change nothing.
  await press(cookie, formPaths.handOver, { ...MARY, email: 'ruth@example.org', proof: PROOF });
  assert.equal((await find()).decisions.handOver?.email, MARY.email);
  assert.match(
    wordsOf((await see(cookie, formPaths.handOver)).text),
    /You have agreed that Mary Hart gets your place/,
  );
});
