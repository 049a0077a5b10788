import { linksEndAt } from '#server/links/own-page-links.ts';
import type { LaterMailKind } from '#server/mail/job.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Announcements } from './announcements.ts';
import { type AnnouncedToAll, factsOf, type LetterAt } from './letter-facts.ts';
import { hasPlace } from './place-of-record.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { owingStates, stateOf } from './registration-state.ts';

/** Letters that are due for nobody until the office has announced them. */
export const announcedKinds = ['schedule-changed', 'recordings'] as const satisfies readonly LaterMailKind[];

/**
 * For each letter that the office sends to everyone by announcing something: when it is true, and what it
 * says then. A registrant who disputes a charge gets them too: they help her to attend.
 */
export const announcedLetters = {
  /**
   * To registrants who paid before the announcement, until the retreat is over. The letter contains the
   * schedule as of its rendering, so it covers the announced revision and all earlier ones.
   */
  'schedule-changed'(record, now, announced) {
    const told = announced?.scheduleTold;
    const { calendar, endsAt } = record.edition.facts;
    if (!told || told.revision > calendar.revision || !hasPlace(record) || now >= new Date(endsAt))
      return undefined;
    if (!record.paidAt || record.paidAt >= told.at) return undefined;
    const { revision } = told;
    return { kind: 'schedule-changed', ...factsOf(record), revision, writtenAt: now.toISOString() };
  },

  /** To registrants who have paid everything; to the others once they have. */
  recordings(record, now, announced) {
    const applies = announced?.recordings && areRecordingsHers(record, now);
    return applies ? { kind: 'recordings', ...factsOf(record) } : undefined;
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

/**
 * The URL of the recordings for a registrant: from the edition's start time for recordings, once the office
 * has announced it, until the links to her page expire. Her page and the letter both use only this rule, so
 * they cannot disagree.
 */
export function recordingsFor(
  record: RegistrationRecord,
  now: Date,
  announced?: Announcements,
): string | undefined {
  return areRecordingsHers(record, now) ? announced?.recordings?.url : undefined;
}

function areRecordingsHers(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) && stateOf(record, now) === 'settled' && areRecordingsOpen(record, now);
}

/** Whether she gets the recordings only once nothing is left to pay. */
export function awaitsRecordings(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) && owingStates.includes(stateOf(record, now));
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
  return { scheduleTold: { revision, at }, recordings: { at } };
}
