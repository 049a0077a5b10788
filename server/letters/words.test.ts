import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { testKeptWords } from '#server/testing/kept-words.ts';
import { contextWithOffice, everyLetter, letterContext } from '#server/testing/sample-letters.ts';
import { composeLetter, composeMessage } from './compose-message.ts';
import type { Mail } from './letter-kind.ts';
import { LETTER_NAMES } from './table.ts';

/** What every letter says. After a change: `UPDATE_WORDS=1 npm test -- server/letters/words.test.ts`. */
const FILE = join(import.meta.dirname, 'words.snapshot.txt');
/** The letters that lead to the office's pages, where these are set up. */
const OF_OFFICE = ['office-notice', 'office-cancel', 'office-waiting', 'office-digest: has everything to do'];

const all = Object.entries(everyLetter());
const said = new Map([
  ...all.map(([name, mail]) => [name, readerGets(mail, letterContext)] as const),
  ...all
    .filter(([name]) => OF_OFFICE.includes(name))
    .map(([name, mail]) => [`${name}, with office pages`, readerGets(mail, contextWithOffice)] as const),
]);

describe('R5.3 R8 R9 the words of a letter are those on file', () => {
  testKeptWords(FILE, said);

  test('of every kind', () => {
    assert.deepEqual(new Set(all.map(([, { kind }]) => kind)), new Set(LETTER_NAMES));
  });
});

function readerGets(mail: Mail, context: typeof letterContext): string {
  const { subject, to, replyTo, headers, list, attachments, text } = composeMessage(mail, context);
  const head = [
    ['To', `${to.name} <${to.address}>`],
    ['Reply-To', `${replyTo.name} <${replyTo.address}>`],
    ...Object.entries(headers),
    ...(list.unsubscribe ? [['List-unsubscribe', list.unsubscribe]] : []),
    ...attachments.map(({ filename, contentType }) => ['Attached', filename, contentType]),
    ['Subject', subject],
    ['Preheader', composeLetter(mail, context).preheader],
  ];
  return `${head.map(([name, ...values]) => `${name}: ${values.join(' ').trim()}`).join('\n')}\n\n${text.trimEnd()}`;
}
