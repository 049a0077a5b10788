import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { letter, letterContext, readers, wilma } from '#scripts/world/letters.ts';
import { messageSubject, messageText } from '#server/acts/given.ts';
import { assertSaid, parseHtml, readings } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { composeMessage } from './compose-message.ts';
import { cleanText, messageId } from './message.ts';

const text = (typed: string) => v.safeParse(messageText, typed);
const problemOf = (typed: string) => text(typed).issues?.[0].message;
const written = (words: string, person = wilma) => ({
  ...letter('message', 'usual', person),
  text: cleanText(words),
});
const compose = (job: Parameters<typeof composeMessage>[0]) => composeMessage(job, letterContext);
const linksOf = (words: string) =>
  [...parseHtml(compose(written(words))).querySelectorAll('a')].map((link) => link.getAttribute('href'));
/** Beside those of every letter. */
const linksIn = (words: string) => {
  const always = linksOf('');
  return linksOf(words).filter((href) => !always.includes(href));
};

describe('a letter that the office wrote', () => {
  test('has the frame of the site, its paragraphs, her name and the button to her page', () => {
    const job = written('Hello {first name}.\nA line.\n\n\n\n  Another one.\n{link}\nAnd the end.');
    assertSaid(job, ['Dear Wilma,', 'Hello Wilma.', 'Another one.', 'And the end.', 'Warmly,']);
    assertSaid(job, ['because of your registration for', 'The retreat office wrote it.']);
    const document = parseHtml(compose(job));
    assert.match(document.querySelector('.button-label')?.getAttribute('href') ?? '', /\/place\//);
    assert.match(compose(job).text, /Hello Wilma\.\nA line\.\n\nAnother one\.\n\nYour own page:\nhttps:/);
  });

  test('is no markup, and links to pages of any site by https only', () => {
    const job = written('<b>Bold</b> & <script>alert(1)</script>');
    assert.equal(parseHtml(compose(job)).querySelectorAll('script, b').length, 0);
    assertSaid(job, ['<b>Bold</b> & <script>alert(1)</script>']);
    assert.deepEqual(
      linksIn('https://example.org/a?b=c&d=e#f. (https://retreat.example/x), or http://a.org.'),
      ['https://example.org/a?b=c&d=e#f', 'https://retreat.example/x'],
    );
    assert.deepEqual(linksIn('javascript:alert(1) https://"onclick=x <a href="https://">'), []);
  });

  test('goes on without a name that may be a message, and never links it', () => {
    for (const { person } of [readers.message, readers.hostile].flatMap((one) => one ?? [])) {
      const [reading] = readings(written('{first name}, come in. See you, {first name}.', person));
      assert.match(reading, /Hello, come in\. See you\./);
    }
  });

  test('has a subject on one line, whatever was typed', () => {
    const subject = v.parse(messageSubject, ' Now\r\nBcc: all@example.org \u202e');
    assert.equal(subject, 'Now Bcc: all@example.org');
    assert.equal(compose({ ...written('x'), subject: 'a\r\nBcc: b' }).subject, 'a Bcc: b');
    for (const wrong of ['', '  ', 'x'.repeat(121), 'For {first name}'])
      assert.ok(!v.safeParse(messageSubject, wrong).success, wrong);
  });

  test('keeps its lines and paragraphs, each as it was meant', () => {
    const typed = '\u200bＨello\u00a0{first name},\r\n\u202ayour place \u202c\r\n\r\n\r\nis ready.';
    assert.equal(cleanText(typed), 'Hello {first name},\nyour place\n\nis ready.');
  });

  test('is refused with words for unknown placeholders, and where it is empty or too long', () => {
    assert.match(problemOf('Dear {last name},') ?? '', /“\{last name\}” stands for nothing/);
    assert.match(problemOf('Dear {First name},') ?? '', /“\{First name\}” stands for nothing/);
    assert.match(problemOf('a } b') ?? '', /“\}” stands for nothing/);
    assert.match(problemOf('a {first name') ?? '', /“\{first name” stands for nothing/);
    assert.match(problemOf('Go to {link}.') ?? '', /needs a line of its own/);
    assert.equal(problemOf(' \n '), 'Please write a text');
    assert.equal(problemOf('x'.repeat(10_001)), 'Please write a text of 10,000 characters at most');
    assert.equal(problemOf(`${'x'.repeat(9_990)} \r\n {link} \r\n`), undefined);
  });

  test('is the same letter by its words and its edition', () => {
    const id = messageId(edition, 'a', 'b');
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.equal(messageId(edition, 'a', 'b'), id);
    assert.notEqual(messageId(edition, 'ab', ''), id);
  });

  test('is tried out as it reads to a sample reader, without a link to anybody’s page', () => {
    const { subject, text: plain, to } = compose(letter('message-test'));
    assert.match(subject, /^Test: /);
    assert.match(plain, /^Dear Wilma,$/m);
    assert.doesNotMatch(plain, /\/place\//);
    assert.equal(to.address, letterContext.office.email);
  });
});
