import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeLetter, composeMessage } from '#server/letters/compose-message.ts';
import { everyLetter, letter, letterContext } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { parseHtml } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Block } from './letter.ts';
import { letterHtml } from './letter-html.ts';
import { linkedWords } from './parts.ts';

const letters = Object.entries(everyLetter()).map(([name, mail]) => {
  const message = composeMessage(mail, letterContext);
  return { name, mail, message, document: parseHtml(message) };
});

describe('the HTML of the letters', () => {
  test('R5.3 fetches nothing and runs nothing: a picture comes with the mail', () => {
    const leading = /^(mailto:|tel:\+\d+$|https:\/\/(retreat\.example|dashboard\.stripe\.com\/payments)\/)/;
    for (const { name, message, document } of letters) {
      assert.doesNotMatch(message.html, /srcset|url\(|@import|@font-face|\sbackground=|javascript:/i, name);
      assert.equal(document.querySelector('script, link, iframe, object, form, svg, video'), null, name);
      const sent = JSON.stringify(message.attachments ?? []);
      for (const { src } of document.querySelectorAll<HTMLImageElement>('[src]'))
        assert.ok(/^cid:\w+$/.test(src) && sent.includes(`"cid":"${src.slice(4)}"`), `${name}: ${src}`);
      for (const { href } of document.querySelectorAll('a')) assert.match(href, leading, name);
    }
  });

  test('R5.3 is shorter than what Gmail clips, whatever the name', () => {
    for (const { name, mail, message } of letters)
      assert.ok(Buffer.byteLength(message.html) < (mail.kind === 'office-digest' ? 58_000 : 40_000), name);
    const longest = { ...wilma, firstName: '&'.repeat(100), lastName: '🌿'.repeat(50) };
    for (const [name, mail] of Object.entries(everyLetter(longest)))
      assert.ok(Buffer.byteLength(composeMessage(mail, letterContext).html) < 102 * 1024, name);
  });

  test('R5.3 has its language, its title and the preview text for an inbox', () => {
    for (const { name, message, document } of letters) {
      assert.deepEqual([document.documentElement.lang, document.title], ['en', message.subject]);
      assert.equal(document.querySelector('meta[name]:not([content])'), null);
      const preheader = document.body.firstElementChild;
      const style = preheader?.getAttribute('style') ?? '';
      // Filters against spam count text that is too small to read.
      assert.ok(style.includes('display:none') && !style.includes('font-size'));
      assert.ok((preheader?.textContent ?? '').trim().length > 30, name);
      assert.equal(document.querySelectorAll('h1').length, 1);
    }
  });

  test('R5.3 has one button at most, and a quiet link with a word for what ends or deletes something', () => {
    const isLeft = ['registration-received', 'unfinished', 'waiting-received', 'place-offered'];
    for (const { name, mail, document } of letters) {
      assert.ok(document.querySelectorAll('.button-label').length <= 1, name);
      const leaving = [...document.querySelectorAll('a')].filter(({ textContent }) =>
        ['End this registration', 'Take me off the list'].includes(textContent ?? ''),
      );
      assert.equal(leaving.length, Number(isLeft.includes(mail.kind)), name);
      assert.ok(leaving.every(({ className }) => className === 'link'));
      assert.doesNotMatch(document.body.textContent ?? '', /\/(unfinished|waiting)\//);
    }
  });

  test('R5.3 marks layout tables as presentation, and data tables have headings', () => {
    for (const { document } of letters)
      for (const table of document.querySelectorAll('table')) {
        const ownHeading = [...table.querySelectorAll('th')].some((cell) => cell.closest('table') === table);
        assert.equal(table.getAttribute('role') === 'presentation', !ownHeading);
      }
  });

  test('R5.3 has dark colours, and light ones inline for clients that ignore style sheets', () => {
    const { html } = composeMessage(letter('welcome'), letterContext);
    assert.match(html, /<meta name="color-scheme" content="light dark"/);
    assert.match(html, /@media \(prefers-color-scheme: dark\)/);
    const light = new Set(Object.values(edition.palette).map((colour): string => colour.light));
    for (const [style] of html.matchAll(/style="[^"]*"/g))
      for (const [colour] of style.matchAll(/#[\da-f]{6}/g)) assert.ok(light.has(colour), colour);
    for (const element of parseHtml({ html }).querySelectorAll('h1, h2, h3, p, th, td.rule, a')) {
      assert.match(element.getAttribute('style') ?? '', /(^|;)color:#/);
      assert.match(element.className, /\b(ink|ink-soft|link|button-label)\b/);
    }
  });

  test('R5.3 has the colours of the edition', () => {
    const others = Object.entries(edition.palette).map(
      ([name], index) => [name, { light: `#aaaa0${index}`, dark: `#0000a${index}` }] as const,
    );
    const palette = { ...edition.palette, ...Object.fromEntries(others) };
    const plain = composeLetter(letter('schedule-changed'), letterContext);
    const button: Block = { kind: 'button', label: 'The page', href: letterContext.siteUrl };
    const facts: Block = { kind: 'facts', facts: [{ label: 'When', value: 'Now' }] };
    const blocks = [...plain.blocks, button, facts];
    const html = letterHtml({ ...plain, blocks }, { ...edition, palette }, linkedWords(letterContext));
    const used = new Set(html.match(/#[\da-f]{6}\b/g));
    assert.deepEqual([...used].sort(), others.flatMap(([, { light, dark }]) => [light, dark]).sort());
  });
});
