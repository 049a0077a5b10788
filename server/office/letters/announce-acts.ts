import { announceRecordings, announceRoom, announceSchedule } from '#server/acts/announce.ts';
import { announcedUrl } from '#server/acts/given.ts';
import { whyNoRecordings, whyNoRoom, whyNoSchedule } from '#server/acts/why-not-announced.ts';
import { actsAbout } from '#server/office/acts/office-act.ts';
import type { Announcements } from '#server/payments/announcements.ts';
import type { Edition } from '#shared/content/edition.ts';

/** An edition, and what has been announced to everyone who comes to it. */
export interface Announcing {
  edition: Edition;
  announced: Announcements;
  now: Date;
}

export const ANNOUNCE_SCHEDULE = 'announce-schedule';
export const ANNOUNCE_RECORDINGS = 'announce-recordings';
export const ANNOUNCE_ROOM = 'announce-room';

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
];
