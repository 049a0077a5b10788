import { linksEndAt } from '#server/links/place-links.ts';
import type { LaterMailKind } from '#server/mail/job.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Announcements } from './announcements.ts';
import { type AnnouncedToAll, factsOf, type LetterAt } from './letter-facts.ts';
import { hasPlace } from './place-of-record.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { owingStates, stateOf } from './registration-state.ts';

/** Until such a letter was announced it is true of nobody. */
export const announcedKinds = ['schedule-changed', 'recordings'] as const satisfies readonly LaterMailKind[];

/**
 * When each letter is true that the office sends to all by announcing something, and what it tells then. Who disputes a
 * charge gets them too: they help her to come.
 */
export const announcedLetters = {
  /**
   * To who paid before it was announced, until the retreat is over. It tells the schedule as it is when it is written, so
   * it is true of that revision and of those before.
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

  /** To who has paid everything; to who pays later, then. */
  recordings(record, now, announced) {
    const isTrue = announced?.recordings && areRecordingsHers(record, now);
    return isTrue ? { kind: 'recordings', ...factsOf(record) } : undefined;
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

/**
 * Where the recordings are for a registrant: from the edition's moment on, once the office has said it, until the links to
 * her page end. Her page and the letter go by this alone, so that neither promises what the other does not hold.
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

/** Whether the recordings open to her only once nothing is left to pay. */
export function awaitsRecordings(record: RegistrationRecord, now: Date): boolean {
  return hasPlace(record) && owingStates.includes(stateOf(record, now));
}

/** Whether it is the time of the recordings of an edition, if it has any. */
export function areRecordingsOpen({ edition }: Pick<RegistrationRecord, 'edition'>, now: Date): boolean {
  const { recordings: from } = edition.timetable.letters;
  return from !== undefined && now >= new Date(from) && now < linksEndAt(edition.facts);
}

/**
 * What the rules go by when the office announces everything at a moment: it answers who would get a letter. A letter that
 * is on the queue, or on record as sent, shows by itself that it was announced.
 */
export function allAnnounced(
  { facts }: Edition,
  at: Date,
  revision = facts.calendar.revision,
): AnnouncedToAll {
  return { scheduleTold: { revision, at }, recordings: { at } };
}
