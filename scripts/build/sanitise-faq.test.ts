import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { build } from 'esbuild';
import { sanitiseFaq, sanitiseHtml } from './sanitise-faq.ts';

test('R1.10 what is bundled holds the answers sanitised, and no sanitiser', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'faq-'));
  t.after(() => rm(folder, { recursive: true }));
  const content = join(folder, 'shared', 'content');
  await mkdir(content, { recursive: true });
  const answer = '<p onclick="steal()">See the <a href="#schedule">schedule</a>.<script>steal()</script></p>';
  const source = `export const faqTitle = 'Title';\nexport const faq = ${JSON.stringify([{ question: 'Q', answer }])};\n`;
  await writeFile(join(content, 'faq.ts'), source);

  const { outputFiles } = await build({
    entryPoints: [join(content, 'faq.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    plugins: [sanitiseFaq],
  });
  const bundled = outputFiles[0]?.text ?? '';
  assert.ok(bundled.replaceAll('\\"', '"').includes('<p>See the <a href="#schedule">schedule</a>.</p>'));
  assert.doesNotMatch(bundled, /steal|DOMPurify/);
});

const hostile = [
  ['<p onclick="alert(1)">text</p>', '<p>text</p>'],
  ['<script>alert(1)</script><p>text</p>', '<p>text</p>'],
  ['<a href="javascript:alert(1)">link</a>', '<a>link</a>'],
  ['<a href=" jAvAsCrIpT:alert(1)">link</a>', '<a>link</a>'],
  ['<a href="data:text/html,<script>alert(1)</script>">link</a>', '<a>link</a>'],
  ['<img src=x onerror=alert(1)>', ''],
  ['<svg><script>alert(1)</script></svg>', ''],
  ['<p style="position:fixed">text</p>', '<p>text</p>'],
  ['<iframe src="https://example.com"></iframe>', ''],
  ['<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>', ''],
] as const;

for (const [html, clean] of hostile) {
  test(`R1.10 hostile HTML comes out clean: ${html}`, () => {
    assert.equal(sanitiseHtml(html), clean);
  });
}

for (const html of [
  '<p>See the <a href="#schedule">schedule</a>.</p>',
  '<p><a href="https://example.com/page">Read more</a></p>',
  '<p><a href="mailto:office@retreat.example">Write</a> or <a href="tel:+15555550100">call</a></p>',
  '<ul><li><strong>One</strong></li><li><em>Two</em></li></ul>',
]) {
  test(`R1.10 allowed HTML stays: ${html}`, () => {
    assert.equal(sanitiseHtml(html), html);
  });
}
