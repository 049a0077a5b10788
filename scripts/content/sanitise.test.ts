import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitiseHtml, sanitiseSvg } from './sanitise.ts';

const hostileHtml = [
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

for (const [html, clean] of hostileHtml) {
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

const HEAD = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">';
const PIXEL = 'data:image/png;base64,AAAA';

const kept = [
  '<linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient><rect fill="url(#g)" width="9"/>',
  '<path id="p" d="M0 0H9"/><use href="#p"/>',
  '<style>.a{fill:red}</style><g class="a" transform="scale(2)"/>',
  `<image href="${PIXEL}"/>`,
  '<filter id="f"><feGaussianBlur stdDeviation="2"/></filter>',
];

for (const drawn of kept) {
  test(`a harmless drawing stays unchanged: ${drawn}`, () => {
    assert.equal(sanitiseSvg(`${HEAD}${drawn}</svg>`), `${HEAD}${drawn}</svg>`);
  });
}

const hostileDrawings = [
  ['<script>alert(1)</script>', ''],
  ['<rect onclick="alert(1)" width="9"/>', '<rect width="9"/>'],
  ['<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject>', ''],
  ['<a href="javascript:alert(1)"><path d="M0 0"/></a>', '<a><path d="M0 0"/></a>'],
  ['<animate attributeName="href" to="javascript:alert(1)"/>', ''],
] as const;

for (const [drawn, clean] of hostileDrawings) {
  test(`a hostile drawing comes out clean: ${drawn}`, () => {
    const svg = sanitiseSvg(`${HEAD}${drawn}</svg>`);
    assert.equal(svg, clean === '' ? `${HEAD.slice(0, -1)}/>` : `${HEAD}${clean}</svg>`);
  });
}

test('the prolog that a drawing program writes is removed, with the event handlers of the root', () => {
  const written = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "a.dtd"><!-- Made by a program -->
    <svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)" width="9"><path d="M0 0"/></svg>`;
  assert.equal(
    sanitiseSvg(written),
    '<svg xmlns="http://www.w3.org/2000/svg" width="9"><path d="M0 0"/></svg>',
  );
});

for (const source of ['no drawing', '<html/>', '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>']) {
  test(`a source that is no SVG is refused: ${source}`, () => assert.throws(() => sanitiseSvg(source)));
}
