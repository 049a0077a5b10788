import { isDeepStrictEqual } from 'node:util';
import * as v from 'valibot';
import { noteChangeOfAll } from '#server/database/changes.ts';
import type { ActRow } from '#server/database/schema.ts';
import { lastOfKind, readActsOfKinds, done as said, writeAct } from '#server/record/acts.ts';
import type { Register } from '#server/record/on-record.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import { refused } from './refusals.ts';

const schemas = {
  /** The schedule has changed, to this revision. */
  scheduleTold: v.object({ ...said, revision: v.pipe(v.number(), v.integer(), v.minValue(0)) }),
  /** Where the recordings are. */
  recordings: v.object({ ...said, url: v.pipe(v.string(), v.url(), v.startsWith('https://')) }),
  /** Where the video room is. */
  room: v.object({ ...said, url: v.pipe(v.string(), v.url(), v.startsWith('http')) }),
};

export type AnnouncementKind = keyof typeof schemas;
export type Announcement<Kind extends AnnouncementKind> = v.InferOutput<(typeof schemas)[Kind]>;

/** The latest announcement of each kind that the office made to everyone who attends an edition. */
export type Announcements = { [Kind in AnnouncementKind]?: Announcement<Kind> };

const kinds = ['scheduleTold', 'recordings', 'room'] as const satisfies readonly AnnouncementKind[];

/**
 * What was announced about an edition.
 * @throws {AppError} when an announcement is not what this site writes
 */
export async function readAnnouncements({ database }: Register, { facts }: Edition): Promise<Announcements> {
  return announcementsOf(await database.read((transaction) => readActsOfKinds(transaction, facts.id, kinds)));
}

/**
 * Records an announcement, unless somebody else has announced the same kind since `seen` was read. The worker then sends
 * the letters.
 * @throws {AppError} when somebody else did
 */
export async function announce<Kind extends AnnouncementKind>(
  records: Register,
  edition: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  seen: Announcements,
): Promise<void> {
  await record(records, edition, kind, announcement, (now) => {
    if (!isDeepStrictEqual(now, seen[kind])) throw refused('announced_meanwhile');
    return true;
  });
}

/** The `by` of the room that the configuration names. */
export const THE_CONFIGURATION = 'the configuration (VIDEO_ROOM_URL)';

/** Announces the configured room for each edition that is not over, unless somebody of the office announced one. */
export async function announceConfiguredRoom(records: Register, url: string, at: Date): Promise<void> {
  const ahead = editions.filter(({ facts }) => at < new Date(facts.endsAt));
  const room = { url, at, by: THE_CONFIGURATION };
  const isToBeAnnounced = (now: Announcements['room']) =>
    !now || (now.by === THE_CONFIGURATION && now.url !== url);
  for (const edition of ahead) await record(records, edition, 'room', room, isToBeAnnounced);
}

/** @param isTo whether it is to be recorded, by what is announced at that moment */
async function record<Kind extends AnnouncementKind>(
  { database }: Register,
  { facts: { id: subject } }: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  isTo: (now: Announcements[Kind]) => boolean,
): Promise<void> {
  const { at, by, ...facts } = announcement;
  await writeAct(
    database,
    subject,
    (acts) => {
      const now = announcementsOf(acts)[kind];
      const isPressedTwice = isDeepStrictEqual(now, announcement);
      return isPressedTwice || !isTo(now) ? undefined : { kind, at, by, facts };
    },
    (transaction) => noteChangeOfAll(transaction, subject),
  );
}

function announcementsOf(acts: readonly ActRow[]): Announcements {
  const last = kinds.flatMap((kind) => {
    const announcement = lastOfKind(acts, kind, schemas[kind]);
    return announcement ? [[kind, announcement]] : [];
  });
  return Object.fromEntries(last);
}
