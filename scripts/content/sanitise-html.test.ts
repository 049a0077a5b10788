import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitiseHtml } from './sanitise.ts';

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
