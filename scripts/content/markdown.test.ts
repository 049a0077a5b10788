import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlOf, linksIn } from './markdown.ts';

const written = [
  ['One\nline & more.\n\nAnother.', '<p>One line &amp; more.</p> <p>Another.</p>'],
  [
    'See **all** and *some*, 2.0&nbsp;Mbps.',
    '<p>See <strong>all</strong> and <em>some</em>, 2.0&nbsp;Mbps.</p>',
  ],
  ['- one\n- two\n  words', '<ul><li>one</li><li>two words</li></ul>'],
  ['[Write\nto us](mailto:a@b.example)', '<p><a href="mailto:a@b.example">Write to us</a></p>'],
  [
    '[here](#schedule), [there](https://b.example/c)',
    '<p><a href="#schedule">here</a>, <a href="https://b.example/c">there</a></p>',
  ],
  // Hostile.
  ['<p onclick="alert(1)">text', '<p></p><p>text</p>'],
  ['<script>alert(1)</script>text', '<p>text</p>'],
  ['<img src=x onerror=alert(1)>', '<p></p>'],
  ['<svg><script>alert(1)</script></svg>', '<p></p>'],
  ['[link](javascript:alert&lpar;1&rpar;)', '<p><a>link</a></p>'],
  ['[link](data:text/html,x)', '<p><a>link</a></p>'],
  ['<iframe src="https://example.com"></iframe>', '<p></p>'],
] as const;

for (const [markdown, html] of written)
  test(`R1.10 an answer as safe HTML: ${markdown}`, () => {
    assert.equal(htmlOf(markdown).replace(/<p><\/p>(?=<p>)/, '<p></p>'), html);
  });

test('the addresses of its links', () => {
  assert.deepEqual(linksIn('[a](#b) and [c\nd](https://e.example)'), ['#b', 'https://e.example']);
});
