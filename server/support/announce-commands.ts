import { readFileSync } from 'node:fs';
import * as v from 'valibot';
import { announceRecordings, announceRoom, announceSchedule, editionNamed } from '#server/acts/announce.ts';
import { announcedUrl, messageSubject, messageText } from '#server/acts/given.ts';
import { wrongUsage } from '#server/acts/refusal.ts';
import { audienceNames, stopMessage, writeMessage } from '#server/acts/write-message.ts';
import { causeOf } from '#server/http/app-error.ts';
import { command } from './command.ts';
import { act, EDITION, ID } from './command-words.ts';

const URL = announcedUrl('URL needs');

/** The commands for announcements to everyone who attends an edition. */
export const announceCommands = [
  command({
    name: 'announce-schedule',
    words: { EDITION },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Announces the schedule as this release has it: everyone who has paid by now gets a letter with all of it and the',
      'calendar file. Once for each revision. --dry-run shows the letter, and how many get it.',
    ],
    run: (given) => (context) => announceSchedule(context, editionNamed(given.EDITION), given),
  }),
  command({
    name: 'announce-room',
    words: { EDITION, URL },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records where the video room is: pages of registrants lead to URL, for the test session and for the retreat. Letters that',
      'waited for it go out. Another URL later changes the pages, and sends no second letter.',
    ],
    run: (given) => (context) => announceRoom(context, editionNamed(given.EDITION), given.URL, given),
  }),
  command({
    name: 'announce-recordings',
    words: { EDITION, URL },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: [
      'Records where the recordings are: the pages of who has paid everything lead to URL, and a letter tells them, from the',
      'moment of the edition on. Another URL later changes the pages, and sends no second letter.',
    ],
    run: (given) => (context) => announceRecordings(context, editionNamed(given.EDITION), given.URL, given),
  }),
  command({
    name: 'message',
    words: { EDITION },
    options: {
      ...act,
      to: v.picklist(audienceNames, `--to FILTER is one of ${audienceNames.join(', ')}`),
      subject: messageSubject('--subject needs'),
      'text-file': v.pipe(v.string(), v.nonEmpty('--text-file FILE is empty')),
    },
    shownOptions: '--to FILTER --subject SUBJECT --text-file FILE --by NAME [--dry-run]',
    help: [
      'Writes a letter to everybody in a filter of the list, one each; the same words go to nobody twice. FILE holds paragraphs',
      'with an empty line between them; {first name} stands for her first name, {link} on a line of its own for the button to',
      'her page. --dry-run shows the letter, how many get it, and how long it takes.',
      `FILTER is ${audienceNames.slice(0, -1).join(', ')} or ${audienceNames.at(-1)}.`,
    ],
    run(given) {
      const { to, subject, 'text-file': file } = given;
      const text = v.safeParse(messageText('--text-file needs'), readText(file));
      if (!text.success) throw wrongUsage(text.issues[0].message);
      const writing = { to, subject, text: text.output };
      return (context) => writeMessage(context, editionNamed(given.EDITION), writing, given);
    },
  }),
  command({
    name: 'stop-message',
    words: { EDITION, ID },
    options: act,
    shownOptions: '--by NAME [--dry-run]',
    help: ['Stops a letter that the office wrote: what is not sent yet is not sent.'],
    run: (given) => (context) => stopMessage(context, editionNamed(given.EDITION), given.ID, given),
  }),
];

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw wrongUsage(`--text-file ${file} cannot be read: ${causeOf(error).message}`);
  }
}
