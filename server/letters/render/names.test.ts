import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { composeMessage } from '#server/letters/compose-message.ts';
import { type LetterName, traitOf } from '#server/letters/table.ts';
import { everyLetter, letter, letterContext, readers } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { parseHtml } from '#server/testing/test-letters.ts';
import { cleanName, dropNeedlessMarks, isolate, safeName, withProbableNames } from './names.ts';

const messageTo = (kind: LetterName, firstName: string, lastName = '') =>
  composeMessage(letter(kind, undefined, { ...wilma, firstName, lastName }), letterContext);
const greeting = (firstName: string) => {
  const { html, text } = messageTo('registration-received', firstName);
  const [, shown = ''] = /<p [^>]*>((?:Dear|Hello).*?)<\/p>/.exec(html) ?? [];
  return [shown, text.split('\n').find((line) => /^(Dear|Hello)/.test(line))];
};

/** Whether a letter before payment names somebody of this name. */
const isNamed = (firstName: string, lastName: string) => {
  const shown = withProbableNames({ firstName, lastName });
  return shown.firstName + shown.lastName !== '';
};

describe('names in letters', () => {
  test('R5.3 stay on one line, and do not reverse the text around them', () => {
    assert.equal(cleanName(' Eve\r\nBcc:\u2028all\u0000 '), 'Eve Bcc: all');
    assert.equal(cleanName('\u202eevE\u202c \u2067x\u2069'), 'evE x');
    assert.equal(cleanName('A\ud800B'), 'A B');
    assert.equal(cleanName('👩🏽‍🚀 José'), '👩🏽‍🚀 José');
  });

  test('R5.3 are isolated text, never markup: an element in HTML, marks in text where their direction needs it', () => {
    assert.deepEqual(greeting('Wilma'), ['Dear <bdi>Wilma</bdi>,', 'Dear Wilma,']);
    assert.deepEqual(greeting('نور 🌿'), ['Dear <bdi>نور 🌿</bdi>,', 'Dear \u2068نور 🌿\u2069,']);
    assert.equal(dropNeedlessMarks(`a ${isolate('B')} ${isolate('ג')}`), 'a B \u2068ג\u2069');
    const [bob] = greeting('<b>"Bob"</b> & Co');
    assert.equal(bob, 'Dear <bdi>&lt;b&gt;&quot;Bob&quot;&lt;/b&gt; &amp; Co</bdi>,');
    const document = parseHtml(messageTo('office-notice', '</title><img src=x>'));
    assert.equal(document.querySelector('img[src=x]'), null);
    assert.ok(document.title.endsWith('</title><img src=x>'));
  });

  test('R5.3 that a client would turn into a link are left out, and names with a period within a word are kept', () => {
    const links = `https://win.example|Visit win.example now|a@b|t.co/x|www.win.example|evil.com/pay|evil。com/pay
      |evil｡com|evil．com|evil․com|Evil.Com|EVIL.COM|Win.Shop now|X.Com|Evil.Xyz/Pay|Evil.Nowhere/Pay
      |Evil.Nowhere:8080|WWW.Nowhere|EVIL.XN--P1AI|Зло.Рф|网站.中国|i❤.ws|evil.\u00adcom|e\u0301vil\u0301.com|a\uff20b`;
    for (const link of links.split(/\s*\|/)) {
      assert.equal(safeName(link), '', link);
      assert.deepEqual([isNamed(link, 'Claim it'), isNamed('Claim it', link)], [false, false], link);
    }
    const names =
      'J.R.|Anne-Marie|Dr. Who|O’Hara|St. John|نور|St.John|ST.JOHN|Ma.Teresa|J.R.R.Tolkien|Dr.Müller';
    for (const name of `${names}|ד.כהן|王。小明|Ана.Мария`.split('|')) {
      assert.equal(safeName(name), name);
      assert.deepEqual([isNamed(name, 'Smith'), isNamed('Wilma', name)], [true, true], name);
    }
    assert.deepEqual(greeting('win.example'), ['Hello,', 'Hello,']);
    assert.equal(messageTo('welcome', 'win.example').to.name, '');
  });

  test('R5.3 are shown to the office as they were typed, without control characters', () => {
    const message = messageTo('office-notice', 'win.example\r\n', '\u202eX');
    assert.equal(message.subject, 'Details received, not paid: win.example X');
    assert.ok(message.text.includes('Name: win.example X'));
    assert.equal(parseHtml(message).querySelector('a[href*="win.example"]'), null);
  });
});

describe('names in letters to an address that nobody has confirmed', () => {
  test('R5.3 with five digits or more, of whatever script, are left out: they may be a number to call', () => {
    const all = Array.from({ length: 0x1_fffe }, (_, code) => String.fromCodePoint(code));
    const isDigit = (code: number) => /^\p{Nd}$/u.test(all[code] ?? '');
    const zeros = all.filter((_, code) => isDigit(code) && !isDigit(code - 1));
    assert.ok(zeros.length > 50);
    for (const zero of ['\uff10', '𝟎', '\u{1f100}', '①', '⁵', '❶', ...zeros]) {
      assert.equal(isNamed('Ana', zero.repeat(4)), true, zero);
      assert.equal(isNamed(`Ana${zero}`, zero.repeat(4)), false, zero);
      for (const five of [zero.repeat(5), Array(5).fill(zero).join('-')])
        assert.equal(isNamed('', five) || isNamed(five, ''), false, zero);
    }
    assert.deepEqual([isNamed('1٢', '３④5'), isNamed('1️⃣2️⃣3️⃣', '4️⃣5️⃣')], [false, false]);
  });

  test('R5.3 of more than forty characters in all are left out: they may be a message', () => {
    for (const one of ['x', 'ß', 'ع', '山', '🌿', '𝒳', 'e\u0301', 'ê\u0303']) {
      const [most, more] = [one.repeat(20), one.repeat(41)];
      assert.equal(isNamed(most, most), true, one);
      assert.equal(isNamed(`${one}${most}`, most) || isNamed('', more) || isNamed(more, ''), false, one);
    }
    assert.equal(isNamed('x\u0300\u0301\u0302'.repeat(11), ''), false);
    assert.equal(isNamed('\ufdfa', 'Your account is on hold, please'), false);
    assert.equal(isNamed(' Ana \r\n ', `${' '.repeat(50)}Silva`), true);
  });

  test('R5.3 that people really have are kept', () => {
    const people = `María de los Ángeles|Hernández-Etxeberria; Louis|XIV; نور 🌿|حداد; J.R.|St. John; Wilma|O’Hara
      ;Nguyễn Thị|${'Minh Khai'.normalize('NFD')}; 👩🏽‍🚀 José|von und zu Guttenberg 3`;
    for (const name of people.split(';')) {
      const [firstName = '', lastName = ''] = name.split('|');
      assert.ok(isNamed(firstName, lastName), name);
    }
  });

  test('R5.3 are judged in each of these letters, and in no letter after payment or to the office', () => {
    const { person } = readers.message;
    const judged = new Set<string>();
    for (const [name, mail] of Object.entries(everyLetter(person))) {
      const { html, text, to } = composeMessage(mail, letterContext);
      if (traitOf(mail.kind, 'names')) {
        judged.add(mail.kind);
        assert.equal(to.name, '', name);
        for (const said of [html, text]) assert.doesNotMatch(said, /on hold|555 0142/, name);
      } else if (mail.kind === 'welcome' || mail.kind === 'office-notice')
        assert.ok(text.includes(person.firstName), name);
    }
    const kinds = 'confirm-address message registration-received unfinished waiting-received';
    assert.equal([...judged].toSorted().join(' '), kinds);
  });
});
