import { announceRecordings, announceRoom, announceSchedule, editionNamed } from '#server/acts/announce.ts';
import { announcedUrl } from '#server/acts/given.ts';
import { command } from './command.ts';
import { act, EDITION } from './command-words.ts';

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
];
