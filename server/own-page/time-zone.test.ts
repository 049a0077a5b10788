import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newsOf, startOwnPage } from '#server/testing/test-own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

describe('she chooses the zone of her hours', () => {
  test('without a proof: her page and the letters to come follow it', async (t) => {
    const { enter, press, see, payments, deposit, clock } = await startOwnPage(t);
    const cookie = await enter();
    const answer = await press(cookie, formPaths.timeZone, { timeZone: 'Asia/Tokyo' }).expect(303);
    assert.equal(newsOf(answer), 'zone-chosen');
    assert.match((await see(cookie).expect(200)).text, /Shown in Japan Standard Time\./);
    const welcome = await payments.findMail(deposit, 'welcome', clock.now);
    assert.equal(welcome?.timeZone, 'Asia/Tokyo');
  });

  test('and no other text', async (t) => {
    const { enter, press, payments, deposit } = await startOwnPage(t);
    const cookie = await enter();
    const zone = async () => (await payments.findRegistration(deposit))?.registrant.timeZone;
    const before = await zone();
    for (const timeZone of ['', 'Etc/Nowhere', '../etc/localtime', 'Europe/Berlin'.repeat(9)])
      await press(cookie, formPaths.timeZone, { timeZone }).expect(400);
    assert.equal(await zone(), before);
  });
});
