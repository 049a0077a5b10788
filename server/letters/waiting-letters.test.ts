import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTransport } from 'nodemailer';
import { addressDigest, confirmableUntil, type WaitingRecord } from '#server/registration/registration.ts';
import { letter, letterContext } from '#server/testing/sample-letters.ts';
import { wilma } from '#server/testing/sample-people.ts';
import { daysAfter } from '#server/testing/test-charges.ts';
import { endedLetter } from '#server/testing/test-registrations.ts';
import { edition } from '#shared/content/compiled/january-2026.ts';
import { composeMessage } from './compose-message.ts';
import type { Mail } from './letter-kind.ts';
import { waitingLettersDue } from './table.ts';

const AT = new Date('2025-12-05T12:00:00Z');
const { id: _, ...registrant } = wilma;
const id = `waiting_${'x'.repeat(60)}`;
const entry: WaitingRecord = {
  ...{ id, edition, registrant, joinedAt: AT, askedAt: AT, nextAt: AT, letters: [] },
  ...{ isConfirmed: true, addressHasPlace: false },
};
const asked = { ...entry, isConfirmed: false };
const offered = { ...entry, offer: { until: daysAfter(AT, 2), at: AT, by: 'Anna' } };
const again = { askedAt: daysAfter(AT, 1) };
const before = (date: Date) => new Date(date.getTime() - 1);

/** Opens the link with this beginning, for what the link is to do, at a moment. */
const openIn = (mail: Mail | undefined, path: string, scope: 'wait' | 'offer' | 'leave', at: Date) => {
  assert.ok(mail);
  const { text } = composeMessage(mail, letterContext);
  const token = new RegExp(`^https://retreat\\.example/${path}/(\\S+)$`, 'm').exec(text)?.[1] ?? '';
  return letterContext.links.read(token, at, scope)?.subject;
};

describe('letters of the waiting list', () => {
  for (const [who, one, now, ...due] of [
    ['who has asked', asked, AT, 'waiting-received'],
    ['who has not confirmed it in time', asked, confirmableUntil(asked)],
    ['who waits', entry, AT, 'office-waiting'],
    ['who asks again on that day', { ...entry, askedAt: before(daysAfter(AT, 0.5)) }, AT, 'office-waiting'],
    ['who asks again later', { ...entry, ...again }, again.askedAt, 'waiting-received', 'office-waiting'],
    ['who is offered a place', offered, AT, 'place-offered'],
    ['and asks again', { ...offered, ...again }, again.askedAt, 'waiting-received', 'place-offered'],
    ['whose offer has ended', { ...offered, ...again }, offered.offer.until],
    ['who is offered one when the retreat has begun', offered, new Date(edition.facts.endsAt)],
    ['whose address bounces', { ...offered, bounced: { at: AT, to: addressDigest(wilma.email) } }, AT],
  ] satisfies [string, WaitingRecord, Date, ...string[]][])
    test(`${due.join(', ') || 'none'}: ${who}`, () => {
      const letters = waitingLettersDue(one, now);
      assert.equal(letters.map(({ kind }) => kind).join(), due.join());
      const sent = letters.map((mail) => endedLetter(mail, now));
      assert.deepEqual(waitingLettersDue({ ...one, letters: sent }, now), []);
    });

  test('offer unsubscribing with one click in the mail client, at an address that header folding does not break', async () => {
    const transport = createTransport({ streamTransport: true, buffer: true });
    for (const mail of [...waitingLettersDue(asked, AT), ...waitingLettersDue(offered, AT)]) {
      const message = { from: letterContext.office.email, ...composeMessage(mail, letterContext) };
      const [head = ''] = (await transport.sendMail(message)).message.toString().split('\r\n\r\n', 1);
      const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
      const [, url = ''] = /^List-Unsubscribe: <(https:\S+)>$/m.exec(lines.join('\n')) ?? [];
      assert.ok(head.includes(`<${url}>`) && message.text.includes(`\n${url}\n`), head);
      assert.ok(lines.includes('List-Unsubscribe-Post: List-Unsubscribe=One-Click'));
      assert.equal(letterContext.links.read(url.split('/').at(-1) ?? '', AT, 'leave')?.subject, id);
    }
  });

  test('have links that open only as long as they are told to, and for nothing else', () => {
    const [first, offer] = [asked, offered].flatMap((one) => waitingLettersDue(one, AT));
    for (const [mail, path, scope, until] of [
      [first, 'waiting', 'wait', confirmableUntil(asked)],
      [offer, 'offer', 'offer', offered.offer.until],
      [offer, 'waiting', 'leave', new Date(edition.facts.endsAt)],
    ] as const) {
      assert.equal(openIn(mail, path, scope, new Date(until.getTime() - 1000)), id);
      assert.equal(openIn(mail, path, scope, until), undefined);
    }
    assert.equal(openIn(offer, 'offer', 'leave', AT), undefined);
    assert.doesNotMatch(composeMessage(letter('office-waiting'), letterContext).html, /v1\./);
  });
});
