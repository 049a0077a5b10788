import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import PostalMime, { type Email } from 'postal-mime';
import { everyLetter, letter, letterContext, wilma } from '#scripts/world/letters.ts';
import { createRetreatCalendar } from '#server/calendar/retreat-calendar.ts';
import {
  addresseeOf,
  goesToOffice,
  isAboutRegistration,
  isAboutWaiting,
  type MailJob,
} from '#server/mail/job.ts';
import { plainWords } from '#server/testing/test-letters.ts';
import { edition } from '#shared/content/compiled/january-2026/edition.ts';
import { composeMessage } from './compose-message.ts';

const registrationLetters = Object.values(everyLetter()).filter(isAboutRegistration);
const transport = createTransport({ streamTransport: true, buffer: true });

/** A mail as nodemailer writes it, parsed by another library. */
async function overTheWire(job: MailJob): Promise<Email> {
  const message = composeMessage(job, letterContext);
  const sent = await transport.sendMail({ from: letterContext.office.email, ...message });
  return PostalMime.parse(sent.message.toString());
}

const header = ({ headers }: Email, name: string) => headers.find(({ key }) => key === name)?.value;
const office = { name: 'The Doorway Retreat office', address: letterContext.office.email };

const HOSTILE_NAMES = [
  'Eve\r\nBcc: all@example.org',
  '"Eve" <eve@example.net>, "Bob" <bob@example.net>',
  '<script>alert(1)</script>',
  '\u202eevE\u2028Subject: x',
  'نور 🌿',
  '=?utf-8?q?Eve?=',
  'E\u0000v\u0007e\\',
];

describe('a mail as it is sent', () => {
  test('R5.3 goes to the registrant, and her reply to the office', async () => {
    for (const job of [letter('registration-received'), letter('welcome')]) {
      const mail = await overTheWire(job);
      assert.deepEqual(mail.to, [{ name: 'Wilma O’Hara', address: 'wilma@example.org' }]);
      assert.deepEqual(mail.replyTo, [office]);
      assert.equal(header(mail, 'list-help'), `<mailto:${office.address}> (${office.name})`);
    }
  });

  test('R5.3 the notices go to the office, and the replies to the registrant', async () => {
    const subjects = [
      [letter('office-notice'), 'Details received, not paid: Wilma O’Hara'],
      [letter('office-paid'), 'Paid: Wilma O’Hara, $721'],
    ] as const;
    for (const [job, subject] of subjects) {
      const mail = await overTheWire(job);
      assert.deepEqual(mail.to, [office]);
      assert.deepEqual(mail.replyTo, [{ name: 'Wilma O’Hara', address: 'wilma@example.org' }]);
      assert.equal(header(mail, 'list-id'), '"Registrations" <registrations.retreat.example>');
      assert.equal(mail.subject, subject);
    }
  });

  test('R5.3 a long name is shortened in the headers of a notice, and complete in its text', async () => {
    for (const sign of ['x', '🌿', 'e\u0301', '👩🏽‍🚀', 'Anna ']) {
      const name = sign.repeat(300).trim();
      for (const job of [letter('office-notice'), letter('office-paid')]) {
        const mail = await overTheWire({ ...job, firstName: name });
        const [, shown = ''] = /^[^:]+: (.*)…(?:, \$721)?$/su.exec(mail.subject ?? '') ?? [];
        assert.ok(name.startsWith(shown) && [...shown].length > 90 && [...shown].length < 100, mail.subject);
        assert.doesNotMatch(shown, /(\ufffd|\u200d|\s)$/u);
        assert.deepEqual(mail.replyTo, [{ name: `${shown}…`, address: job.email }]);
        assert.ok(plainWords(mail.text ?? '').includes(`Name: ${plainWords(name)} O’Hara`));
      }
    }
    const name = 'x'.repeat(93);
    assert.ok(
      (await overTheWire({ ...letter('office-notice'), firstName: name })).subject?.endsWith('x O’Hara'),
    );
  });

  test('R5.3 is marked as written by a program, and offers unsubscribing only to who waits for a place', async () => {
    for (const job of Object.values(everyLetter())) {
      const mail = await overTheWire(job);
      const isToWaiting = isAboutWaiting(job) && !goesToOffice(job);
      assert.equal(header(mail, 'auto-submitted'), 'auto-generated');
      assert.equal(header(mail, 'list-unsubscribe') !== undefined, isToWaiting, job.kind);
      assert.equal(header(mail, 'list-unsubscribe-post') !== undefined, isToWaiting, job.kind);
      assert.equal(header(mail, 'precedence'), undefined);
    }
  });

  test('R5.3 no name can add a header, a recipient or an address', async () => {
    // Each name in the headers of both kinds of letters, and each letter with one that would do all of it.
    const named = [
      ...HOSTILE_NAMES.flatMap((name) => [
        [letter('welcome'), name] as const,
        [letter('office-paid'), name] as const,
      ]),
      ...registrationLetters.map((job) => [job, HOSTILE_NAMES.join(' ')] as const),
    ];
    for (const [job, firstName] of named) {
      const mail = await overTheWire({ ...job, firstName, lastName: firstName });
      const isNotice = job.kind.startsWith('office-');
      const addresses = (list: Email['to']) => list?.map(({ address }) => address);
      assert.deepEqual(addresses(mail.to), [isNotice ? office.address : addresseeOf(job)]);
      assert.deepEqual(addresses(mail.replyTo), [isNotice ? job.email : office.address]);
      assert.deepEqual([mail.cc, mail.bcc], [undefined, undefined]);
      assert.equal(mail.headers.filter(({ key }) => key === 'subject').length, 1);
      assert.doesNotMatch(mail.html ?? '', /<script/);
    }
  });

  test('R5.3 no name can add an encoded word, which a mail client would show decoded', async () => {
    const words = [
      '=?us-ascii?Q?evil=2Ecom?=',
      '=?us-ascii?b?ZXZpbC5jb20=?=',
      '=?us-ascii*en?q?evil=2Ecom?=',
      '==??us-ascii?Q?evil=2Ecom?=',
      '=\u202a?us-ascii?Q?evil=2Ecom?=',
      '=? us-ascii?Q?evil=2Ecom?=',
    ];
    // Each in the headers of both kinds of letters, and each letter with one.
    const named = [
      ...[...words.map((word) => [word, `Dear ${word} é`]), ['=?us-ascii?Q', '?evil=2Ecom?=']].flatMap(
        ([firstName = '', lastName = '']) =>
          [letter('welcome'), letter('office-paid')].map((job) => ({ ...job, firstName, lastName })),
      ),
      ...Object.values(everyLetter({ ...wilma, firstName: words[0] ?? '', lastName: 'Hara' })),
    ];
    for (const job of named) {
      const message = composeMessage(job, letterContext);
      for (const text of [message.subject, message.to.name, message.replyTo.name])
        assert.doesNotMatch(text, /=\?[^?]*\?[bq]\?/i, job.kind);
      const sent = await transport.sendMail({ from: letterContext.office.email, ...message });
      const [head = ''] = sent.message.toString().split('\r\n\r\n', 1);
      assert.doesNotMatch(head, /=\?(?!utf-8\?)[^?]+\?[bq]\?/i, job.kind);
      const { subject, to, replyTo } = await PostalMime.parse(sent.message.toString());
      assert.doesNotMatch(JSON.stringify([subject, to, replyTo]), /evil\.com/, job.kind);
    }
  });

  test('R5.3 R9 the welcome has every session attached as a published calendar', async () => {
    const { attachments } = await overTheWire(letter('welcome'));
    assert.equal(attachments.length, 1);
    const [calendar] = attachments;
    assert.deepEqual(
      [calendar?.filename, calendar?.mimeType, calendar?.method],
      ['the-doorway-retreat.ics', 'text/calendar', 'PUBLISH'],
    );
    const content = decode(calendar?.content).replaceAll(/\r?\n/g, '\r\n');
    assert.equal(content, createRetreatCalendar(edition, 'https://retreat.example/').content);
    const lines = content.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
    assert.deepEqual([lines[0], lines.at(-2)], ['BEGIN:VCALENDAR', 'END:VCALENDAR']);
    assert.ok(lines.includes('METHOD:PUBLISH'));
    const starts = lines.filter((line) => line.startsWith('DTSTART;TZID=America/Los_Angeles:'));
    assert.equal(starts.length, edition.timetable.sessions.length + 1);
  });
});

function decode(content: ArrayBuffer | Uint8Array | string | undefined): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}
