import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import request from 'supertest';
import { timelineOf } from '#server/acts/registration-facts.ts';
import { readRows } from '#server/office/list/find-listed.ts';
import { csvOf } from '#server/office/list/hand-on.tsx';
import { refreshIndex } from '#server/register/registration-index.ts';
import type { TestScope } from '#server/testing/clean-up.ts';
import { newsOf, startOwnPage } from '#server/testing/test-own-page.ts';
import { startRegistered } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { formPaths } from '#shared/own-page-forms.ts';

/** Has the tested edition ask for the consent to publication apart from the terms, for one test. */
function askApart(t: TestScope): void {
  edition.facts.publication = 'separate';
  t.after(() => delete edition.facts.publication);
}

const { version, digest } = edition.terms;

test('a consent to publication is recorded with the terms where the edition asks for it apart, and only then', async (t) => {
  const { app, clientSecret: paymentIntentClientSecret, find } = await startRegistered(t);
  const agree = async (publication?: boolean) => {
    const consent = { paymentIntentClientSecret, version, digest, publication };
    await request(app).post('/recordConsent').send(consent).expect(204);
    return (await find()).publication?.agrees;
  };
  assert.equal(await agree(true), undefined);
  askApart(t);
  assert.equal(await agree(), undefined);
  assert.equal(await agree(false), undefined);
  assert.equal(await agree(true), true);
  assert.equal(await agree(false), false);
});

test('on her page she agrees to publication and takes it back; the office sees it, in the spreadsheet too', async (t) => {
  const { enter, see, press, find, payments, database, deposit, now } = await startOwnPage(t);
  const cookie = await enter();
  assert.doesNotMatch((await see(cookie).expect(200)).text, /name="agrees"/);
  assert.equal(newsOf(await press(cookie, formPaths.publication, { agrees: 'on' }).expect(303)), 'changed');
  askApart(t);
  const cellOf = async () => {
    await refreshIndex(database, edition.facts, now());
    const rows = await database.read((transaction) =>
      readRows(transaction, [deposit], new Map(), { withPublication: true }),
    );
    async function* portions() {
      yield rows;
    }
    const [head = '', row = ''] = (await Readable.from(csvOf(edition, portions())).toArray())
      .join('')
      .split('\r\n');
    return row.split('","')[head.split('","').indexOf('Agrees to publication')];
  };
  assert.equal(await cellOf(), 'no');
  assert.match((await see(cookie, formPaths.publication).expect(200)).text, /name="agrees" value="on"/);
  await press(cookie, formPaths.publication, { agrees: 'on' }).expect(422);
  assert.equal((await find()).publication, undefined);
  for (const [sent, agrees] of [
    [{ agrees: 'on', proof: '0142' }, true],
    [{}, false],
  ] as const) {
    const { text } = await see(cookie).expect(200);
    assert.equal(/name="agrees" checked=""/.test(text), !agrees);
    assert.match(text, agrees ? /are not published\./ : /You agreed that your likeness/);
    for (let twice = 0; twice < 2; twice += 1)
      assert.equal(newsOf(await press(cookie, formPaths.publication, sent).expect(303)), 'publication-saved');
    assert.equal((await find()).publication?.agrees, agrees);
    assert.equal(await cellOf(), agrees ? 'yes' : 'no');
  }
  const words = timelineOf(await find(), []).map(({ what }) => what);
  assert.ok(words.includes('took her consent to publication back'));
  const { acts = [] } = (await payments.exportOf(deposit, now()))?.tables ?? {};
  const told = acts.filter(({ kind }) => kind === 'publication');
  assert.deepEqual(
    told.map(({ byWhom, facts }) => [byWhom, JSON.stringify(facts).includes('may be published')]),
    [
      ['the registrant', true],
      ['the registrant', true],
    ],
  );
});
