import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { contrastOf } from '#scripts/content/theme.ts';
import { everyLetter, letter, letterContext } from '#scripts/world/letters.ts';
import { composeLetter, composeMessage } from '#server/letters/compose-message.ts';
import { parseHtml } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { Block } from './letter.ts';
import { letterHtml } from './letter-html.ts';
import { linkedWords } from './parts.ts';

const letters = Object.values(everyLetter()).map((job) => {
  const message = composeMessage(job, letterContext);
  return { job, message, document: parseHtml(message) };
});
const GMAIL_CLIPS_AT = 102 * 1024;

describe('the HTML of the letters', () => {
  test('R5.3 fetches nothing and runs nothing', () => {
    for (const { message, document } of letters) {
      assert.doesNotMatch(message.html, /\ssrc=|srcset|url\(|@import|@font-face|\sbackground=|javascript:/i);
      assert.equal(document.querySelector('script, img, link, iframe, object, form, svg, video'), null);
      for (const { href } of document.querySelectorAll('a')) {
        assert.match(
          href,
          /^(mailto:|tel:\+\d+$|https:\/\/retreat\.example\/|https:\/\/dashboard\.stripe\.com\/payments\/pi_)/,
        );
      }
    }
  });

  test('R5.3 is shorter than what Gmail clips, whatever the name', () => {
    for (const { job, message } of letters) {
      const longest = { ...job, firstName: '&'.repeat(100), lastName: '🌿'.repeat(50) };
      const most = job.kind === 'office-digest' ? 58_000 : 40_000;
      assert.ok(Buffer.byteLength(message.html) < most, job.kind);
      assert.ok(Buffer.byteLength(composeMessage(longest, letterContext).html) < GMAIL_CLIPS_AT);
    }
  });

  test('R5.3 has its language, its title and the preview text for an inbox', () => {
    for (const { message, document } of letters) {
      assert.equal(document.documentElement.lang, 'en');
      assert.equal(document.title, message.subject);
      assert.equal(document.querySelector('meta[name]:not([content])'), null);
      const preheader = document.body.firstElementChild;
      const style = preheader?.getAttribute('style') ?? '';
      assert.match(style, /display:none/);
      // Filters against spam count text that is too small to read.
      assert.doesNotMatch(style, /font-size/);
      assert.ok((preheader?.textContent ?? '').trim().length > 30);
      assert.equal(document.querySelectorAll('h1').length, 1);
    }
  });

  test('R5.3 has one button at most, and a quiet link with a word for what ends or deletes something', () => {
    for (const { job, document } of letters) {
      const buttons = [...document.querySelectorAll('.button-label')];
      assert.ok(buttons.length <= 1, job.kind);
      const leaving = [...document.querySelectorAll('a')].filter(({ textContent }) =>
        ['End this registration', 'Take me off the list'].includes(textContent ?? ''),
      );
      const isLeft = ['registration-received', 'unfinished', 'waiting-received', 'place-offered'];
      assert.equal(leaving.length, Number(isLeft.includes(job.kind)), job.kind);
      assert.ok(leaving.every(({ className }) => className === 'link'));
      assert.doesNotMatch(document.body.textContent ?? '', /\/(unfinished|waiting)\//);
    }
  });

  test('R5.3 marks layout tables as presentation, and data tables have headings', () => {
    for (const { document } of letters) {
      for (const table of document.querySelectorAll('table')) {
        const ownHeading = [...table.querySelectorAll('th')].some((cell) => cell.closest('table') === table);
        assert.equal(table.getAttribute('role') === 'presentation', !ownHeading);
      }
    }
  });

  test('R5.3 keeps the word e-mail on one line, also in narrow clients', () => {
    for (const { document } of letters) {
      for (const paragraph of document.querySelectorAll('p, li, td')) {
        for (const { nodeType, textContent } of paragraph.childNodes)
          assert.ok(nodeType !== 3 || !/e-mail/i.test(textContent ?? ''), textContent ?? '');
      }
    }
  });

  test('R5.3 has dark colours, and light ones inline for clients that ignore style sheets', () => {
    const { html } = composeMessage(letter('welcome'), letterContext);
    assert.match(html, /<meta name="color-scheme" content="light dark"/);
    assert.match(html, /@media \(prefers-color-scheme: dark\)/);
    const light = new Set(Object.values(edition.palette).map((colour): string => colour.light));
    for (const element of parseHtml({ html }).querySelectorAll('[style]')) {
      for (const [colour] of element.getAttribute('style')?.matchAll(/#[\da-f]{6}/g) ?? []) {
        assert.ok(light.has(colour), colour);
      }
    }
    for (const element of parseHtml({ html }).querySelectorAll('h1, h2, h3, p, th, td.rule, a')) {
      assert.match(element.getAttribute('style') ?? '', /(^|;)color:#/);
      assert.match(element.className, /\b(ink|ink-soft|link|button-label)\b/);
    }
  });
});

describe('the colours of the letters', () => {
  test('R5.3 are those of the edition', () => {
    const others = Object.entries(edition.palette).map(
      ([name], index) => [name, { light: `#aaaa0${index}`, dark: `#0000a${index}` }] as const,
    );
    const palette = { ...edition.palette, ...Object.fromEntries(others) };
    const plain = composeLetter(letter('welcome'), edition, letterContext);
    const button: Block = { kind: 'button', label: 'The page', href: letterContext.siteUrl };
    const html = letterHtml(
      { ...plain, blocks: [...plain.blocks, button] },
      { ...edition, palette },
      linkedWords(letterContext),
    );
    const used = new Set(html.match(/#[\da-f]{6}\b/g));
    assert.deepEqual([...used].sort(), others.flatMap(([, { light, dark }]) => [light, dark]).sort());
  });

  test('R5.3 contrast: the text at 7:1, the rest at 4.5:1, in light and dark', () => {
    const { paper, ink, inkSoft, accentText, accent, onAccent } = edition.palette;
    for (const scheme of ['light', 'dark'] as const) {
      assert.ok(contrastOf(ink[scheme], paper[scheme]) >= 7);
      assert.ok(contrastOf(inkSoft[scheme], paper[scheme]) >= 7);
      assert.ok(contrastOf(accentText[scheme], paper[scheme]) >= 4.5);
      assert.ok(contrastOf(onAccent[scheme], accent[scheme]) >= 4.5);
    }
  });
});
