import { isDeepStrictEqual } from 'node:util';
import { type ActRow, noteChangeOfAll } from '#server/database/database.ts';
import {
  type ActFacts,
  type ActKind,
  hasPlace,
  isPayingByPlan,
  lastOfKind,
  linksEndAt,
  owes,
  type Register,
  type RegistrationRecord,
  readActsOfKinds,
  stateOf,
  writeAct,
} from '#server/registration/registration.ts';
import type { Edition, Timetable } from '#shared/content/edition.ts';
import type { AnnouncedToAll } from './letter-kind.ts';

const kinds = ['scheduleTold', 'recordings', 'room'] as const satisfies readonly ActKind[];

export type AnnouncementKind = (typeof kinds)[number];
export type Announcement<Kind extends AnnouncementKind> = ActFacts<Kind>;

export type Announcements = { [Kind in AnnouncementKind]?: Announcement<Kind> };

/** @throws {AppError} when an announcement is not what this site writes */
export async function readAnnouncements({ database }: Register, { facts }: Edition): Promise<Announcements> {
  return announcementsOf(await database.read((transaction) => readActsOfKinds(transaction, facts.id, kinds)));
}

export async function announce<Kind extends AnnouncementKind>(
  { database }: Register,
  { facts: { id: subject } }: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
): Promise<void> {
  const { at, by, ...facts } = announcement;
  await writeAct(
    database,
    subject,
    (acts) => (isDeepStrictEqual(lastOfKind(acts, kind), announcement) ? undefined : { kind, at, by, facts }),
    (transaction) => noteChangeOfAll(transaction, subject),
  );
}

function announcementsOf(acts: readonly ActRow[]): Announcements {
  const last = kinds.flatMap((kind) => {
    const announcement = lastOfKind(acts, kind);
    return announcement ? [[kind, announcement]] : [];
  });
  return Object.fromEntries(last);
}

/** So long before the first letter that leads to the room the office is told that there is none. */
const ROOM_MISSED_MS = 7 * 24 * 60 * 60 * 1000;

/** From a week before the first letter that leads to the room until the retreat is over. */
export function isRoomMissing(
  { facts, timetable: { letters } }: Edition,
  { room }: Pick<Announcements, 'room'>,
  now: Date,
): boolean {
  const first = Math.min(...[letters.testSession, ...letters.wayIn.map(({ at }) => at)].map(Date.parse));
  return !room && now.getTime() >= first - ROOM_MISSED_MS && now < new Date(facts.endsAt);
}

/** Where the edition says so, also while she pays by a plan of which no part is missed. */
export function isLetIn(record: RegistrationRecord, now: Date): boolean {
  const whilePaying = record.edition.plans?.roomWhilePaying === true;
  return stateOf(record, now) === 'settled' || (whilePaying && isPayingByPlan(record, now));
}

/** The test session from its letter on, whatever is left to pay; the retreat from the first way-in letter. */
export function roomOpenFor(record: RegistrationRecord, now: Date): 'test-session' | 'retreat' | undefined {
  if (!hasPlace(record)) return undefined;
  const { facts, timetable } = record.edition;
  const [first] = timetable.letters.wayIn;
  const isRetreatOpen = first && isWithin(now, first.at, facts.endsAt);
  if (isRetreatOpen && isLetIn(record, now)) return 'retreat';
  return isTestSessionOpen(timetable, now) ? 'test-session' : undefined;
}

export function isTestSessionOpen({ letters, testSession }: Timetable, now: Date): boolean {
  return isWithin(now, letters.testSession, testSession.endsAt);
}

function isWithin(now: Date, from: string, until: string): boolean {
  return new Date(from) <= now && now < new Date(until);
}

/**
 * From the edition's start time for recordings until the links to her page expire: hers, or once she has paid
 * the rest. Her page and the letter both use only this rule, so they cannot disagree.
 */
export function recordingsOf(record: RegistrationRecord, now: Date): 'hers' | 'once paid' | undefined {
  const { recordings: from } = record.edition.timetable.letters;
  const isOpen = from && now >= new Date(from) && now < linksEndAt(record.edition.facts);
  if (!isOpen || !hasPlace(record)) return undefined;
  if (stateOf(record, now) === 'settled') return 'hers';
  return owes(record) ? 'once paid' : undefined;
}

/**
 * As if the office announced everything at this moment: to find out who would get a letter, and for letters
 * that are queued or recorded as sent, which were evidently announced.
 */
export function allAnnounced(
  { facts }: Edition,
  at: Date,
  revision = facts.calendar.revision,
): AnnouncedToAll {
  return { scheduleTold: { revision, at }, recordings: { at } };
}
