import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { JSDOM } from 'jsdom';
import request from 'supertest';
import { startTestSite } from '#server/testing/test-site.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { onOneLine, termsPathOf } from '#shared/content/policies.ts';

const { facts, agreed, terms } = edition;

describe('each version of the terms stays at an address of its own', () => {
  for (const version of agreed) {
    const path = termsPathOf(facts, version);

    test(`${path} holds its text word for word, with the office, the edition, version and digest`, async (t) => {
      const { app, config } = await startTestSite(t);
      const { text, headers } = await request(app).get(path).expect(200);
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      const { document } = new JSDOM(text).window;
      const sections = [...document.querySelectorAll('section')];
      const { email, phone } = config.office;
      const shown = sections.map((section) => [...section.children].map(({ textContent }) => textContent));
      const wanted = version.policies.map(({ title, paragraphs }) => [title, ...paragraphs]);
      for (const [index, lines] of wanted.entries()) {
        for (const [place, line] of lines.entries()) {
          const words = line
            .replaceAll('{officeEmail}', email)
            .replaceAll('{officePhone}', onOneLine(phone))
            .replace('{waysToCancel}', `by e-mail: write to ${email}`);
          assert.equal(shown[index]?.[place], words);
        }
      }
      assert.equal(shown.flat().length, wanted.flat().length);
      const all = document.body.textContent ?? '';
      for (const words of [facts.title, `Version ${version.version} `, version.digest]) {
        assert.ok(all.includes(words), words);
      }
      assert.doesNotMatch(all, /[{}]/);
      assert.equal(document.querySelectorAll('script[src]').length, 0);
      for (const whole of document.querySelectorAll('.whole-word')) whole.remove();
      assert.doesNotMatch(document.body.textContent ?? '', /e-mail/, 'It may break at its hyphen');
    });
  }

  test('caches revalidate it, and get 304 if it has not changed; HEAD has no body', async (t) => {
    const { app } = await startTestSite(t);
    const path = termsPathOf(facts, terms);
    const { headers } = await request(app)
      .get(path)
      .expect(200)
      .expect('Cache-Control', /^public, max-age=0, s-maxage=\d+, /);
    const etag = headers.etag ?? '';
    assert.ok(etag);
    await request(app).get(path).set('If-None-Match', etag).expect(304);
    const head = await request(app).head(path).expect(200).expect('ETag', etag);
    assert.equal(head.text, undefined);
    await request(app).post(path).expect(405).expect('Allow', 'GET, HEAD');
  });

  for (const path of ['/terms', '/terms/', '/terms/january-2026-99', `${termsPathOf(facts, terms)}/more`]) {
    test(`${path} gets 404`, async (t) => {
      const { app } = await startTestSite(t);
      const { text } = await request(app).get(path).accept('html').expect(404);
      assert.match(text, /This door leads nowhere/);
    });
  }
});
