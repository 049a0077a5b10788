import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testMails } from '#server/testing/test-mails.ts';
import { composeMessage } from './compose-message.ts';
import { cleanName, dropNeedlessMarks, isolate, safeName } from './names.ts';
import { parseHtml, testContext } from './test-letters.ts';

const greeting = (firstName: string) => {
  const message = composeMessage({ ...testMails.received, firstName }, testContext);
  const [, html = ''] = /<p [^>]*>((?:Dear|Hello).*?)<\/p>/.exec(message.html) ?? [];
  return { html, text: message.text.split('\n').find((line) => /^(Dear|Hello)/.test(line)) };
};

describe('names in letters', () => {
  test('R5.3 stand on one line and turn nothing around them', () => {
    assert.equal(cleanName(' Eve\r\nBcc:\u2028all\u0000 '), 'Eve Bcc: all');
    assert.equal(cleanName('\u202eevE\u202c \u2067x\u2069'), 'evE x');
    assert.equal(cleanName('A\ud800B'), 'A B');
    assert.equal(cleanName('👩🏽‍🚀 José'), '👩🏽‍🚀 José');
  });

  test('R5.3 are isolated: as an element in HTML, by marks in text where their direction needs it', () => {
    assert.deepEqual(greeting('Wilma'), { html: 'Dear <bdi>Wilma</bdi>,', text: 'Dear Wilma,' });
    assert.deepEqual(greeting('نور 🌿'), {
      html: 'Dear <bdi>نور 🌿</bdi>,',
      text: 'Dear \u2068نور 🌿\u2069,',
    });
    assert.equal(dropNeedlessMarks(`a ${isolate('B')} ${isolate('ג')}`), 'a B \u2068ג\u2069');
  });

  test('R5.3 are text, never markup', () => {
    const { html } = greeting('<b>"Bob"</b> & Co');
    assert.equal(html, 'Dear <bdi>&lt;b&gt;&quot;Bob&quot;&lt;/b&gt; &amp; Co</bdi>,');
    const message = composeMessage({ ...testMails.notice, lastName: '</title><img src=x>' }, testContext);
    assert.equal(parseHtml(message).querySelector('img'), null);
    assert.ok(parseHtml(message).title.endsWith('</title><img src=x>'));
  });

  test('R5.3 that a client would make a link of are not sent to an address that anybody may have entered', () => {
    for (const name of ['https://win.example', 'Visit win.example now', 'a@b', 't.co/x', 'www.win.example']) {
      assert.equal(safeName(name), '', name);
      assert.deepEqual(greeting(name), { html: 'Hello,', text: 'Hello,' });
      const { to } = composeMessage({ ...testMails.welcome, firstName: name }, testContext);
      assert.equal(to?.name, '');
    }
    for (const name of ['J.R.', 'Anne-Marie', 'Dr. Who', 'O’Hara', 'St. John', 'نور']) {
      assert.equal(safeName(name), name);
    }
  });

  test('R5.3 the office reads them as they were typed, but for what acts on the text', () => {
    const message = composeMessage(
      { ...testMails.notice, firstName: 'win.example\r\n', lastName: '\u202eX' },
      testContext,
    );
    assert.equal(message.subject, 'New registration: win.example X');
    assert.ok(message.text.includes('Name: win.example X'));
    assert.equal(parseHtml(message).querySelector('a[href*="win.example"]'), null);
  });
});
