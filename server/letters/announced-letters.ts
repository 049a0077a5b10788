import { linksEndAt } from '#server/links/own-page-links.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { hasPlace, stateOf } from '#server/record/registration-state.ts';
import type { Edition } from '#shared/content/edition.ts';
import { recordedDays } from '#shared/content/schedule.ts';
import { type AnnouncedToAll, hoursAfter, type SomeLetters } from './letter-kind.ts';
import { owes } from './record-facts.ts';
import { heading } from './render/letter.ts';
import { daysOf, lastDayOfLinks, ownPageButton } from './render/parts.ts';
import { scheduleBlocks } from './render/schedule-table.ts';

/**
 * The letters that the office sends to everyone by announcing something. A registrant who disputes a charge gets them
 * too: they help her to attend.
 */
export const announcedLetters = {
  /**
   * To registrants who paid before the announcement, until the retreat is over: the whole schedule as it is when the
   * letter is rendered, so it covers the announced revision and all earlier ones; with the calendar file.
   */
  'schedule-changed': {
    name: 'The schedule has changed',
    subject: ({ facts }) => `The schedule of ${facts.title} has changed`,
    hasCalendar: true,
    now(record, now, announced) {
      const told = announced?.scheduleTold;
      const { calendar, endsAt } = record.edition.facts;
      if (!told || told.revision > calendar.revision || !hasPlace(record) || now >= new Date(endsAt))
        return undefined;
      const heldSince = record.handedOver?.at ?? record.paidAt;
      if (!heldSince || heldSince >= told.at) return undefined;
      return { revision: told.revision, writtenAt: now.toISOString() };
    },
    says: (letter, edition, context) => ({
      preheader: 'Here is all of it, as it is now. The new calendar file is attached.',
      title: 'The schedule has changed',
      blocks: [
        // Also true for a registrant who registered when the page already showed the new schedule.
        `The schedule of our days together, ${daysOf(edition)}, has changed. Below is all of it as it is now. It replaces every earlier one, whether you have it in a letter, in your calendar or on paper.`,
        'If you registered only recently, you may have it just like this already. Then nothing changes for you.',
        ...scheduleBlocks(letter, edition),
        `To bring your calendar up to date, open the attached file, ${edition.facts.calendar.fileName}. Most calendars then replace the sessions that they took from an earlier file; please make sure that none of them is there twice.`,
        'Your own page shows the same schedule.',
        ownPageButton(letter, edition, context),
      ],
    }),
    samples: ({ facts: { calendar, balance } }) => ({
      usual: { revision: calendar.revision + 1, writtenAt: hoursAfter(balance.chargeAt, 353) },
    }),
  },

  /**
   * To registrants who have paid everything, and to the others once they have: which sessions were recorded. Her page
   * links to the recordings, for those who may see them.
   */
  recordings: {
    name: 'The recordings are ready',
    subject: ({ facts }) => `The recordings of ${facts.title} are ready`,
    now: (record, now, announced) =>
      announced?.recordings && areRecordingsHers(record, now) ? {} : undefined,
    says: (letter, edition, context) => ({
      preheader: 'Your own page leads to them.',
      title: 'The recordings are ready',
      blocks: [
        `The days of ${edition.facts.title} are over, and what we recorded of them is ready for you: to come back to at your own pace, or to catch up on what you missed.`,
        `Your own page leads to the recordings, until ${lastDayOfLinks(edition)}.`,
        ownPageButton(letter, edition, context),
        heading('What was recorded'),
        { kind: 'points', points: recordedDays(edition.timetable) },
        'Only these sessions were recorded. What is said in the small groups never is.',
        'Others who came may be seen and heard in them. So please watch them by yourself, and pass neither them nor your link on.',
      ],
    }),
    samples: () => ({ usual: {} }),
  },
} satisfies SomeLetters;

/**
 * The URL of the recordings for a registrant: from the edition's start time for recordings, once the office
 * has announced it, until the links to her page expire. Her page and the letter both use only this rule, so
 * they cannot disagree.
 */
export function recordingsFor(
  record: RegistrationRecord,
  now: Date,
  announced?: { recordings?: { url: string } },
): string | undefined {
  return areRecordingsHers(record, now) ? announced?.recordings?.url : undefined;
}

function areRecordingsHers(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) && stateOf(record, now) === 'settled' && areRecordingsOpen(record, now);
}

/** Whether she gets the recordings only once nothing is left to pay. */
export function awaitsRecordings(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) && owes(record, now);
}

/** Whether the recordings of an edition are available at this time, if it has any. */
export function areRecordingsOpen({ edition }: Pick<RegistrationRecord, 'edition'>, now: Date): boolean {
  const { recordings: from } = edition.timetable.letters;
  return from !== undefined && now >= new Date(from) && now < linksEndAt(edition.facts);
}

/**
 * The announcements as if the office announced everything at this moment: used to find out who would get a
 * letter, and for letters that are queued or recorded as sent, which were evidently announced.
 */
export function allAnnounced(
  { facts }: Edition,
  at: Date,
  revision = facts.calendar.revision,
): AnnouncedToAll {
  return { scheduleTold: { revision, at }, recordings: { at }, room: { at } };
}
