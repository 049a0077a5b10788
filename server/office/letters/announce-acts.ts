import * as v from 'valibot';
import { announceRecordings, announceRoom, announceSchedule } from '#server/acts/announce.ts';
import { announcedUrl, messageSubject, messageText } from '#server/acts/given.ts';
import { whyNoRecordings, whyNoRoom, whyNoSchedule } from '#server/acts/why-not-announced.ts';
import {
  audienceNames,
  audienceWords,
  readersIn,
  stopMessage,
  testMessage,
  whyNoMessage,
  writeMessage,
} from '#server/acts/write-message.ts';
import { actsAbout } from '#server/office/acts/office-act.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import type { Message } from '#server/payments/messages.ts';
import type { Edition } from '#shared/content/edition.ts';

/** An edition, and what has been announced to everyone who comes to it. */
export interface Announcing {
  edition: Edition;
  announced: Announcements;
  /** The letters that the office wrote, the newest first. */
  messages: readonly Message[];
  now: Date;
}

export const ANNOUNCE_SCHEDULE = 'announce-schedule';
export const ANNOUNCE_RECORDINGS = 'announce-recordings';
export const ANNOUNCE_ROOM = 'announce-room';
export const WRITE = 'write';
export const STOP = 'stop-message';

const announceAct = actsAbout<Announcing>();

/** What the office announces to everyone who comes. */
export const announceActs = [
  announceAct({
    id: ANNOUNCE_SCHEDULE,
    heading: 'Announce the new schedule',
    sentence: 'Sends the schedule as it is now to everyone who has paid, with the calendar file.',
    takes: {},
    fields: {},
    whyNot: ({ edition, announced, now }) => whyNoSchedule(edition, announced, now),
    run: (context, { edition }, _given, asked) => announceSchedule(context, edition, asked),
    confirm: () => 'Announce it to everyone',
  }),
  announceAct({
    id: ANNOUNCE_ROOM,
    heading: 'Say where the video room is',
    sentence:
      'The pages of everybody who has a place lead there for the test session, and for the retreat once everything is paid. Letters tell them so, and do not hold the address.',
    takes: { url: announcedUrl('Please give') },
    fields: {
      url: {
        label: 'Address of the video room',
        hint: 'It begins with https://. Anyone who opens it there comes in: please try it first, where you are not signed in.',
        input: 'url',
        initial: ({ announced }) => announced.room?.url ?? '',
      },
    },
    whyNot: ({ edition, now }) => whyNoRoom(edition, now),
    run: (context, { edition }, { url }, asked) => announceRoom(context, edition, url, asked),
    confirm: () => 'Lead everyone to this address',
  }),
  announceAct({
    id: ANNOUNCE_RECORDINGS,
    heading: 'Say where the recordings are',
    sentence:
      'The pages of all who have paid everything lead there, and a letter tells them so. The letter does not hold the address.',
    takes: { url: announcedUrl('Please give') },
    fields: {
      url: {
        label: 'Address of the recordings',
        hint: 'It begins with https://. Anyone who opens it there sees the recordings: please try it first, where you are not signed in.',
        input: 'url',
        initial: ({ announced }) => announced.recordings?.url ?? '',
      },
    },
    whyNot: ({ edition, now }) => whyNoRecordings(edition, now),
    run: (context, { edition }, { url }, asked) => announceRecordings(context, edition, url, asked),
    confirm: (_given, _told, { announced }) =>
      announced.recordings ? 'Lead everyone to this address' : 'Announce it to everyone',
  }),
  announceAct({
    id: WRITE,
    heading: 'Write a letter',
    sentence:
      'Writes to everybody who has a place, or to others on the list. It must be about the retreat: advertising needs an agreement of its own. All get the same words, which are kept: please write nothing about one person.',
    takes: {
      to: v.picklist(audienceNames, 'Please choose to whom'),
      subject: messageSubject('Please give'),
      text: messageText('Please write'),
    },
    fields: {
      to: {
        label: 'To',
        input: 'choice',
        initial: () => audienceNames[0] ?? '',
        choices: () => audienceNames.map((value) => ({ value, words: audienceWords(value) })),
      },
      subject: { label: 'Subject', input: 'line' },
      text: {
        label: 'Text',
        hint: 'Leave a line empty between paragraphs. {first name} stands for her first name; {link} on a line of its own becomes the button to her page. Addresses that begin with https:// become links. The letter begins with “Dear …,” and ends with “Warmly,” by itself.',
        input: 'text',
      },
    },
    whyNot: ({ edition, now }) => whyNoMessage(edition, now),
    run: (context, { edition }, given, asked) => writeMessage(context, edition, given, asked),
    confirm: (_given, told) => `Send it to ${readersIn(told)}`,
    trial: {
      words: 'Send a test to the office',
      run: (context, { edition }, given, by) => testMessage(context, edition, given, by),
    },
  }),
  announceAct({
    id: STOP,
    heading: 'Stop a letter',
    sentence: 'What is not sent yet is not sent.',
    takes: { message: v.pipe(v.string(), v.nonEmpty('Please choose a letter')) },
    fields: {
      message: {
        label: 'Letter',
        input: 'choice',
        choices: ({ messages }) =>
          messages.flatMap(({ message, subject, stopped }) =>
            stopped ? [] : { value: message, words: subject },
          ),
      },
    },
    whyNot: ({ messages }) =>
      messages.some(({ stopped }) => !stopped) ? undefined : 'There is no letter to stop.',
    run: (context, { edition }, { message }, asked) => stopMessage(context, edition, message, asked),
    confirm: () => 'Stop it',
  }),
];
