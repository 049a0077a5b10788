import assert from 'node:assert/strict';
import { JSDOM } from 'jsdom';
import { composeMessage, type Message } from '#server/letters/compose-message.ts';
import type { Mail } from '#server/letters/letter-kind.ts';
import { type LetterName, lettersNow } from '#server/letters/table.ts';
import { findRegistration } from '#server/registration/registration.ts';
import { letterContext } from '#server/testing/sample-letters.ts';

/** One window for all documents: to make one takes as long as to read a letter. */
const { DOMParser } = new JSDOM().window;

export function parseHtml({ html }: Pick<Message, 'html'>): Document {
  return new DOMParser().parseFromString(html, 'text/html');
}

/** A text with plain single spaces, and without the characters that isolate names. */
export function plainWords(text: string): string {
  return text
    .replaceAll(/[\u2068\u2069\u200c]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Both versions of a mail, text and HTML, as plain words. */
export function readings(job: Mail): [text: string, html: string] {
  const { text, html } = composeMessage(job, letterContext);
  const unstyled = parseHtml({ html: html.replaceAll(/ style="[^"]*"/g, '') });
  return [plainWords(text), plainWords(unstyled.body.textContent ?? '')];
}

export function assertSaid(job: Mail, words: readonly string[]): void {
  for (const reading of readings(job)) {
    for (const said of words) assert.ok(reading.includes(plainWords(said)), `${said}\n\n${reading}`);
  }
}

export function assertNotSaid(job: Mail, words: RegExp): void {
  for (const reading of readings(job)) assert.doesNotMatch(reading, words);
}

/** A letter to somebody as it is now, sent or not. */
export async function findMail(
  register: Parameters<typeof findRegistration>[0],
  id: string,
  name: LetterName,
  now: Date,
): Promise<Mail | undefined> {
  const record = await findRegistration(register, id);
  return record && lettersNow(name, record, now)[0];
}
