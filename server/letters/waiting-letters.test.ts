import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { contextWithOffice, letter, letterContext, wilma } from '#scripts/world/letters.ts';
import type { MailJob } from '#server/mail/job.ts';
import { parseHtml, plainWords } from '#server/testing/test-letters.ts';
import { composeMessage } from './compose-message.ts';

const received = letter('waiting-received');
const office = letter('office-waiting');
const offered = letter('place-offered');
const { links } = letterContext;

/** The header of a mail as nodemailer writes it: folded, and as unfolded lines. */
async function head(job: MailJob) {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const message = { from: letterContext.office.email, ...composeMessage(job, letterContext) };
  const [folded = ''] = (await transport.sendMail(message)).message.toString().split('\r\n\r\n', 1);
  return { folded, lines: folded.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n') };
}

describe('letters of the waiting list', () => {
  test('offer unsubscribing with one click in the mail client, at an address that header folding does not break', async () => {
    for (const job of [received, offered, { ...received, waitingId: `waiting_${'x'.repeat(60)}` }]) {
      const { folded, lines } = await head(job);
      const line = lines.find((one) => one.startsWith('List-Unsubscribe:')) ?? '';
      const [, url = ''] = /^List-Unsubscribe: <(https:\S+)>$/.exec(line) ?? [];
      assert.ok(folded.includes(`<${url}>`), folded);
      assert.ok(lines.includes('List-Unsubscribe-Post: List-Unsubscribe=One-Click'));
      const token = links.read(url.split('/').at(-1) ?? '', new Date('2026-01-25T12:00:00Z'), 'leave');
      assert.equal(token?.subject, job.waitingId);
      assert.ok(composeMessage(job, letterContext).text.includes(url));
    }
  });

  test('name the office’s postal address in their footer', () => {
    for (const job of [received, offered]) {
      const { text, html } = composeMessage(job, letterContext);
      assert.ok(text.split('-- \n')[1]?.includes(letterContext.office.postalAddress));
      assert.ok(plainWords(html).includes(letterContext.office.postalAddress));
    }
  });

  test('an offer tells on both clocks until when it is valid, and its link opens until then', () => {
    const message = composeMessage(offered, letterContext);
    const text = plainWords(message.text);
    assert.match(text, /Sunday, December 7, 2025, at 5:00 pm Pacific Time \(for you Mon, Dec 8, 2:00 am\)/);
    const button = [...parseHtml(message).querySelectorAll('a')].find(
      (a) => a.textContent === 'Take the place',
    );
    const token = links.read(button?.href.split('/').at(-1) ?? '', new Date('2025-12-08T00:59:59Z'), 'offer');
    assert.deepEqual([token?.subject, token?.expiresAt], [wilma.waitingId, new Date(offered.until)]);
    assert.equal(
      links.read(button?.href.split('/').at(-1) ?? '', new Date('2025-12-07'), 'leave'),
      undefined,
    );
  });

  test('the digest tells the office how many places it can offer, and where', () => {
    const digest = { ...letter('office-digest'), items: [{ need: 'place-free' as const, count: 2 }] };
    const { text } = composeMessage(digest, letterContext);
    assert.match(text, /Free places: 2\n[\s\S]*support list --edition january-2026/);
    const { officeUrl } = contextWithOffice;
    const hrefs = [...parseHtml(composeMessage(digest, contextWithOffice)).querySelectorAll('a')].map(
      ({ href }) => href,
    );
    assert.ok(hrefs.includes(`${officeUrl}/office/waiting`));
  });

  test('only the letter to her says that the address has a place', () => {
    assert.match(
      composeMessage({ ...received, addressHasPlace: true }, letterContext).text,
      /already a paid place/,
    );
    assert.doesNotMatch(composeMessage(received, letterContext).text, /already a paid place/);
  });

  test('somebody who is on the list already is told so, with the way to a place that is kept for her', () => {
    const { until, ...asked } = received;
    const onList = { ...asked, askedOn: '2025-12-22' };
    const [usual, offered] = [onList, { ...onList, offeredUntil: until ?? '' }].map((one) =>
      composeMessage(one, letterContext),
    );
    assert.match(usual?.subject ?? '', /^You are on the waiting list/);
    assert.doesNotMatch(usual?.text ?? '', /Put me on|\/offer\//);
    assert.match(offered?.text ?? '', /\/offer\/v1\./);
  });

  test('the office learns who waits and how to reach her', () => {
    const { subject, text } = composeMessage(office, letterContext);
    assert.equal(plainWords(subject), 'On the waiting list: Wilma O’Hara');
    for (const words of ['wilma@example.org', '555-0142', 'support list --edition january-2026'])
      assert.ok(text.includes(words), words);
  });
});
