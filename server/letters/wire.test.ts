import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { everyLetter, letter, letterContext } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { createRetreatCalendar } from '#server/web/retreat-calendar.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { composeMessage } from './compose-message.ts';
import type { Mail } from './letter-kind.ts';

const transport = createTransport({ streamTransport: true, buffer: true });
const office = { name: 'The Doorway Retreat office', address: letterContext.office.email };
const addresses = (list: Email['to']) => list?.map(({ address }) => address);

/** A mail as nodemailer writes it, and parsed by another library. */
async function overTheWire(mail: Mail): Promise<Email & { head: string }> {
  const message = { from: office.address, ...composeMessage(mail, letterContext) };
  const source = (await transport.sendMail(message)).message.toString();
  return { ...(await PostalMime.parse(source)), head: source.split('\r\n\r\n', 1)[0] ?? '' };
}

/** The letters about a registration to somebody with a name. */
const lettersTo = (firstName: string, lastName = firstName) =>
  Object.values(everyLetter({ ...wilma, firstName, lastName }));
const toBoth = (firstName: string, lastName = firstName) =>
  lettersTo(firstName, lastName).filter(({ kind }) => kind === 'welcome' || kind === 'office-paid');

const HOSTILE_NAMES = [
  ...['Eve\r\nBcc: all@example.org', '\u202eevE\u2028Subject: x', '=?utf-8?q?Eve?=', 'E\u0000v\u0007e\\'],
  ...['"Eve" <eve@example.net>, "Bob" <bob@example.net>', '<script>alert(1)</script>', 'نور 🌿'],
];
const ENCODED_WORDS = [
  ...['=?us-ascii?Q?evil=2Ecom?=', '=?us-ascii?b?ZXZpbC5jb20=?=', '=?us-ascii*en?q?evil=2Ecom?='],
  ...['==??us-ascii?Q?evil=2Ecom?=', '=\u202a?us-ascii?Q?evil=2Ecom?=', '=? us-ascii?Q?evil=2Ecom?='],
];

describe('a mail as it is sent', () => {
  test('R5.3 no name can add a header, a recipient or an address', async () => {
    const each = HOSTILE_NAMES.flatMap((name) => toBoth(name));
    for (const mail of [...each, ...lettersTo(HOSTILE_NAMES.join(' '))]) {
      const { to, replyTo, cc, bcc, headers, html } = await overTheWire(mail);
      assert.deepEqual(addresses(to), [mail.toOffice ? office.address : mail.address], mail.kind);
      const answered = mail.toOffice && mail.person ? wilma.email : office.address;
      assert.deepEqual([addresses(replyTo), cc, bcc], [[answered], undefined, undefined], mail.kind);
      assert.equal(headers.filter(({ key }) => key === 'subject').length, 1);
      assert.doesNotMatch(html ?? '', /<script/);
    }
  });

  test('R5.3 no name can add an encoded word, which a mail client would show decoded', async () => {
    const each = ENCODED_WORDS.flatMap((word) => toBoth(word, `Dear ${word} é`));
    const split = toBoth('=?us-ascii?Q', '?evil=2Ecom?=');
    for (const mail of [...each, ...split, ...lettersTo(ENCODED_WORDS[0] ?? '', 'Hara')]) {
      const { subject, to, replyTo } = composeMessage(mail, letterContext);
      assert.doesNotMatch([subject, to.name, replyTo.name].join('\n'), /=\?[^?]*\?[bq]\?/i, mail.kind);
      const sent = await overTheWire(mail);
      assert.doesNotMatch(sent.head, /=\?(?!utf-8\?)[^?]+\?[bq]\?/i, mail.kind);
      assert.doesNotMatch(JSON.stringify([sent.subject, sent.to, sent.replyTo]), /evil\.com/, mail.kind);
    }
  });

  test('R5.3 R9 the welcome has every session attached as a published calendar', async () => {
    const { attachments } = await overTheWire(letter('welcome'));
    const calendar = attachments.find(({ mimeType }) => mimeType === 'text/calendar');
    assert.deepEqual([calendar?.filename, calendar?.method], ['the-doorway-retreat.ics', 'PUBLISH']);
    assert.ok(calendar && typeof calendar.content !== 'string');
    const made = createRetreatCalendar(edition, 'https://retreat.example/').content;
    const lines = new TextDecoder().decode(calendar.content).replaceAll('\r', '');
    assert.equal(lines, made.replaceAll('\r', ''));
    const starts = lines.match(/^DTSTART;TZID=America\/Los_Angeles:/gm);
    assert.equal(starts?.length, edition.timetable.sessions.length + 1);
  });
});
