import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { letter, letterContext } from '#scripts/world/letters.ts';
import { composeMessage } from '#server/letters/compose-message.ts';
import { parseHtml } from '#server/testing/test-letters.ts';
import { cleanName, dropNeedlessMarks, isolate, safeName } from './names.ts';

const greeting = (firstName: string, lastName = 'O’Hara') => {
  const message = composeMessage({ ...letter('registration-received'), firstName, lastName }, letterContext);
  const [, html = ''] = /<p [^>]*>((?:Dear|Hello).*?)<\/p>/.exec(message.html) ?? [];
  return { html, text: message.text.split('\n').find((line) => /^(Dear|Hello)/.test(line)) };
};

/** Whether a letter before payment names the registrant; fails unless it does so everywhere or nowhere. */
function isNamed(firstName: string, lastName: string): boolean {
  const { html, text } = greeting(firstName, lastName);
  const { to } = composeMessage({ ...letter('registration-received'), firstName, lastName }, letterContext);
  const named = to.name !== '';
  assert.equal(html !== 'Hello,', named, `${firstName} ${lastName}`);
  assert.equal(text !== 'Hello,', named, `${firstName} ${lastName}`);
  return named;
}

describe('names in letters', () => {
  test('R5.3 stay on one line, and do not reverse the text around them', () => {
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
    const message = composeMessage(
      { ...letter('office-notice'), lastName: '</title><img src=x>' },
      letterContext,
    );
    assert.equal(parseHtml(message).querySelector('img'), null);
    assert.ok(parseHtml(message).title.endsWith('</title><img src=x>'));
  });

  test('R5.3 that a client would turn into a link are not sent to an address that anybody may have entered', () => {
    for (const name of ['https://win.example', 'Visit win.example now', 'a@b', 't.co/x', 'www.win.example']) {
      assert.equal(safeName(name), '', name);
      assert.deepEqual(greeting(name), { html: 'Hello,', text: 'Hello,' });
      const { to } = composeMessage({ ...letter('welcome'), firstName: name }, letterContext);
      assert.equal(to?.name, '');
    }
    for (const name of ['J.R.', 'Anne-Marie', 'Dr. Who', 'O’Hara', 'St. John', 'نور']) {
      assert.equal(safeName(name), name);
    }
  });

  test('R5.3 with a period within a word are links if they go on as a domain does, and names otherwise', () => {
    for (const link of [
      'evil.com/pay',
      'evil。com/pay',
      'evil｡com',
      'evil．com',
      'evil․com',
      'Evil.Com',
      'EVIL.COM',
      'Win.Shop now',
      'X.Com',
      'Evil.Xyz/Pay',
      'Evil.Nowhere/Pay',
      'Evil.Nowhere:8080',
      'WWW.Nowhere',
      'EVIL.XN--P1AI',
      'Зло.Рф',
      '网站.中国',
      'i❤.ws',
      'evil.\u00adcom',
      'e\u0301vil\u0301.com',
      'a\uff20b',
    ]) {
      assert.equal(safeName(link), '', link);
      assert.equal(isNamed(link, 'Claim it'), false, link);
      assert.equal(isNamed('Claim it', link), false, link);
    }
    for (const name of [
      'St.John',
      'ST.JOHN',
      'Ma.Teresa',
      'J.R.R.Tolkien',
      'Dr.Müller',
      'ד.כהן',
      '王。小明',
      'Ана.Мария',
    ]) {
      assert.equal(safeName(name), name);
      assert.equal(isNamed(name, 'Smith'), true, name);
      assert.equal(isNamed('Wilma', name), true, name);
    }
  });

  test('R5.3 are shown to the office as they were typed, without control characters', () => {
    const message = composeMessage(
      { ...letter('office-notice'), firstName: 'win.example\r\n', lastName: '\u202eX' },
      letterContext,
    );
    assert.equal(message.subject, 'Details received, not paid: win.example X');
    assert.ok(message.text.includes('Name: win.example X'));
    assert.equal(parseHtml(message).querySelector('a[href*="win.example"]'), null);
  });
});

describe('names in letters before payment', () => {
  test('R5.3 with five digits or more, of whatever script, are left out: they may be a number to call', () => {
    const zeros = codePoints.filter((_, code) => isDigit(code) && !isDigit(code - 1));
    assert.ok(zeros.length > 50);
    for (const zero of ['0', '\uff10', '٠', '०', '𝟎', '\u{1f100}', '①', '⁵', '❶', ...zeros]) {
      assert.equal(isNamed('Ana', zero.repeat(4)), true, zero);
      assert.equal(isNamed(`Ana${zero}`, zero.repeat(4)), false, zero);
      assert.equal(isNamed(zero.repeat(5), ''), false, zero);
      assert.equal(isNamed('Ana', [...zero.repeat(5)].join('-')), false, zero);
    }
    assert.equal(isNamed('1٢', '３④5'), false);
    assert.equal(isNamed('1️⃣2️⃣3️⃣', '4️⃣5️⃣'), false);
    assert.equal(isNamed('Louis', 'XIV'), true);
  });

  test('R5.3 of more than forty characters in all are left out: they may be a message', () => {
    for (const letter of ['x', 'ß', 'ع', '山', '🌿', '𝒳', 'e\u0301', 'ê\u0303']) {
      assert.equal(isNamed(letter.repeat(20), letter.repeat(20)), true, letter);
      assert.equal(isNamed(letter.repeat(21), letter.repeat(20)), false, letter);
      assert.equal(isNamed('', letter.repeat(41)), false, letter);
      assert.equal(isNamed(letter.repeat(41), ''), false, letter);
    }
    assert.equal(isNamed('María de los Ángeles', 'Hernández-Etxeberria'), true);
    assert.equal(isNamed('x\u0300\u0301\u0302'.repeat(11), ''), false);
    assert.equal(isNamed('\ufdfa', 'Your account is on hold, please'), false);
    assert.equal(isNamed(' Ana \r\n ', `${' '.repeat(50)}Silva`), true);
  });

  test('R5.3 that people really have are kept', () => {
    for (const [firstName, lastName] of [
      ['Wilma', 'O’Hara'],
      ['J.R.', 'St. John'],
      ['نور 🌿', 'حداد'],
      ['Nguyễn Thị', 'Minh Khai'.normalize('NFD')],
      ['👩🏽‍🚀 José', 'von und zu Guttenberg 3'],
    ] as const) {
      assert.equal(isNamed(firstName, lastName), true, firstName);
    }
  });

  test('R5.3 that only letters before payment leave out are in letters after payment and to the office', () => {
    const registrant = { firstName: 'Wilma 12345', lastName: 'x'.repeat(41) };
    const welcome = composeMessage({ ...letter('welcome'), ...registrant }, letterContext);
    assert.equal(welcome.to.name, `Wilma 12345 ${registrant.lastName}`);
    assert.ok(welcome.text.includes('Dear Wilma 12345,'));
    for (const job of [letter('office-notice'), letter('office-paid')]) {
      const notice = composeMessage({ ...job, ...registrant }, letterContext);
      assert.ok(notice.subject.includes(`: Wilma 12345 ${registrant.lastName}`));
    }
  });
});

const codePoints = Array.from({ length: 0x1_fffe }, (_, code) =>
  code >= 0xd800 && code < 0xe000 ? '' : String.fromCodePoint(code),
);

function isDigit(code: number): boolean {
  return /^\p{Nd}$/u.test(codePoints[code] ?? '');
}
