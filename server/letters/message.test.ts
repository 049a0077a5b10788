import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as v from 'valibot';
import { messageSubject, messageText } from '#server/office/commands/inputs.ts';
import { letterContext, readers } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { assertSaid, parseHtml, readings } from '#server/testing/test-letters.ts';
import { recordWith } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { composeMessage } from './compose-message.ts';
import { cleanText, messageId, messageLetter, testLetter } from './message.ts';

const problemOf = (typed: string) => v.safeParse(messageText, typed).issues?.[0].message;
const words = (typed: string, subject = 'Hello') => ({ message: '1', subject, text: cleanText(typed) });
const written = (typed: string, registrant = wilma, subject?: string) => {
  const mail = messageLetter(recordWith({ registrant }), words(typed, subject));
  assert.ok(mail);
  return mail;
};
const compose = (typed: string) => composeMessage(written(typed), letterContext);
const linksOf = (typed: string) =>
  [...parseHtml(compose(typed)).querySelectorAll('a')].map((link) => link.getAttribute('href'));

describe('a letter that the office wrote', () => {
  test('has its lines and paragraphs, her name and the button to her page', () => {
    const message = compose('Hello {first name}.\nA line.\n\n\n\n  Another one.\n{link}\nAnd the end.');
    assert.match(
      message.text,
      /^Hello Wilma\.\nA line\.\n\nAnother one\.\n\nYour own page:\nhttps:.*\n\nAnd/m,
    );
    assert.match(parseHtml(message).querySelector('.button-label')?.outerHTML ?? '', /\/place\//);
    const typed = '\u200bＨello\u00a0{first name},\r\n\u202ayour place \u202c\r\n\r\n\r\nis ready.';
    assert.equal(cleanText(typed), 'Hello {first name},\nyour place\n\nis ready.');
  });

  test('is no markup, and links to pages of any site by https only', () => {
    const markup = '<b>Bold</b> & <script>alert(1)</script>';
    assert.equal(parseHtml(compose(markup)).querySelectorAll('script, b').length, 0);
    assertSaid(written(markup), [markup]);
    const always = linksOf('');
    const linksIn = (typed: string) => linksOf(typed).filter((href) => !always.includes(href));
    assert.deepEqual(
      linksIn('https://example.org/a?b=c&d=e#f. (https://retreat.example/x), or http://a.org.'),
      ['https://example.org/a?b=c&d=e#f', 'https://retreat.example/x'],
    );
    assert.deepEqual(linksIn('javascript:alert(1) https://"onclick=x <a href="https://">'), []);
  });

  test('goes on without a name that may be a message, and never links it', () => {
    for (const { person } of [readers.message, readers.hostile]) {
      const [reading] = readings(written('{first name}, come in. See you, {first name}.', person));
      assert.match(reading, /Hello, come in\. See you\./);
    }
  });

  test('has a subject on one line, whatever was typed', () => {
    const subject = v.parse(messageSubject, ' Now\r\nBcc: all@example.org \u202e');
    assert.equal(subject, 'Now Bcc: all@example.org');
    assert.equal(composeMessage(written('x', wilma, 'a\r\nBcc: b'), letterContext).subject, 'a Bcc: b');
    for (const wrong of ['', '  ', 'x'.repeat(121), 'For {first name}'])
      assert.ok(!v.safeParse(messageSubject, wrong).success, wrong);
  });

  test('is refused with words for unknown placeholders, and where it is empty or too long', () => {
    for (const wrong of ['{last name}', '{First name}', '}', '{first name'])
      assert.ok(problemOf(`Dear ${wrong}`)?.includes(`“${wrong}” stands for nothing`), wrong);
    assert.match(problemOf('Go to {link}.') ?? '', /needs a line of its own/);
    assert.equal(problemOf(' \n '), 'Please write a text');
    assert.equal(problemOf('x'.repeat(10_001)), 'Please write a text of 10,000 characters at most');
    assert.equal(problemOf(`${'x'.repeat(9_990)} \r\n {link} \r\n`), undefined);
  });

  test('is the same letter by its words and its edition', () => {
    const id = messageId(edition, 'a', 'b');
    assert.match(id, /^[0-9a-f]{16}$/);
    assert.deepEqual([messageId(edition, 'a', 'b'), messageId(edition, 'ab', '') === id], [id, false]);
  });

  test('is tried out as it reads to a sample reader, at the office, without a link to anybody’s page', () => {
    const mail = testLetter(edition, words('For {first name}:\n{link}'));
    const { text, to } = composeMessage(mail, letterContext);
    assert.match(text, /^Dear Wilma,$[\s\S]*^For Wilma:$/m);
    assert.doesNotMatch(text, /\/place\//);
    assert.equal(to.address, letterContext.office.email);
  });
});
