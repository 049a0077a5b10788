import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findFreePort } from '#scripts/product/ports.ts';
import { createProblemsPage } from './problems-page.ts';

test('what is wrong with the content is answered in the place of the site, until it is right', async (t) => {
  const port = await findFreePort();
  const page = createProblemsPage('127.0.0.1', port);
  t.after(page.close);
  const answer = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/`);
    return [response.status, await response.text()] as const;
  };
  await page.show(['page.yaml, line 4, hero.headlin: nothing reads this field', 'faq.yaml: it holds <b>']);
  const [status, html] = await answer();
  assert.equal(status, 503);
  assert.match(html, /<li>page\.yaml, line 4, hero\.headlin: nothing reads this field<\/li>/);
  assert.match(html, /it holds &lt;b>/);
  await page.show(['terms.yaml, line 1']);
  assert.match((await answer())[1], /<li>terms\.yaml, line 1<\/li>/);
  await page.close();
  await assert.rejects(answer());
});
