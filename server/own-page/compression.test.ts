import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startOwnPage } from '#server/testing/test-own-page.ts';
import { OWN_PAGE_PATH } from '#shared/own-page.ts';
import { formPaths } from '#shared/own-page-forms.ts';

describe('her page', () => {
  test('is sent compressed to clients that accept that', async (t) => {
    const { enter, see } = await startOwnPage(t);
    const cookie = await enter();
    const { text, headers } = await see(cookie).set('Accept-Encoding', 'identity').expect(200);
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, 'Accept-Encoding']);
    const answer = await see(cookie).set('Accept-Encoding', 'gzip, br').expect(200);
    assert.equal(answer.headers['content-encoding'], 'gzip');
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
    assert.ok(Number(answer.headers['content-length']) < Buffer.byteLength(text) / 2);
    assert.equal(answer.text, text);
  });

  test('repeats nothing of the request, because it is compressed (BREACH)', async (t) => {
    const { enter, see } = await startOwnPage(t);
    const cookie = await enter();
    const { text } = await see(cookie).expect(200);
    const cookies = `${cookie}; place-news=quuxecho; quuxecho=quuxecho`;
    const marked = await see(cookies, `${OWN_PAGE_PATH}?quuxecho=quuxecho`)
      .set({ Referer: 'https://quuxecho.example/', 'User-Agent': 'quuxecho', 'Accept-Language': 'quuxecho' })
      .set({ Origin: 'https://quuxecho.example', 'X-Forwarded-For': 'quuxecho', Host: 'quuxecho.example' })
      .expect(200);
    assert.equal(marked.text, text);
  });
});

test('answers that repeat what she typed are not compressed (BREACH)', async (t) => {
  const { enter, press } = await startOwnPage(t);
  const cookie = await enter();
  const typed = { firstName: ' ', lastName: 'quuxecho', phoneNumber: '12', email: 'quuxecho', proof: '7' };
  for (const path of [formPaths.details, formPaths.address]) {
    const { text, headers } = await press(cookie, path, typed).set('Accept-Encoding', 'gzip, br').expect(422);
    assert.match(text, /quuxecho/);
    assert.equal(headers['content-encoding'], undefined);
  }
});
