import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { noteChangeOfAll } from '#server/database/changes.ts';
import type { ActRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { addAct, factsOfAct, readActs, readActsOfKinds, done as said } from '#server/record/acts.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Records } from './find-registration.ts';

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
export interface Announcements {
  scheduleTold?: Announcement<'scheduleTold'>;
  recordings?: Announcement<'recordings'>;
  room?: Announcement<'room'>;
}

const kinds = ['scheduleTold', 'recordings', 'room'] as const satisfies readonly AnnouncementKind[];

/**
 * What was announced about an edition.
 * @throws {AppError} when an announcement is not what this site writes
 */
export async function readAnnouncements(
  { database }: Pick<Records, 'database'>,
  { facts }: Edition,
): Promise<Announcements> {
  return announcementsOf(await database.read((transaction) => readActsOfKinds(transaction, facts.id, kinds)));
}

/**
 * Records an announcement, unless somebody else has announced the same kind since `seen` was read. The worker then sends
 * the letters.
 * @throws {AppError} when somebody else did
 */
export async function announce<Kind extends AnnouncementKind>(
  records: Pick<Records, 'database'>,
  edition: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  seen: Announcements,
): Promise<void> {
  await record(records, edition, kind, announcement, (now) => {
    if (!isDeepStrictEqual(now, seen[kind])) throw announcedMeanwhile();
    return true;
  });
}

/** The `by` of the room that the configuration names. */
export const THE_CONFIGURATION = 'the configuration (VIDEO_ROOM_URL)';

/** Announces the configured room for each edition that is not over, unless somebody of the office announced one. */
export async function announceConfiguredRoom(
  records: Pick<Records, 'database'>,
  url: string,
  at: Date,
): Promise<void> {
  const ahead = editions.filter(({ facts }) => at < new Date(facts.endsAt));
  for (const edition of ahead) {
    const room = { url, at, by: THE_CONFIGURATION };
    await record(
      records,
      edition,
      'room',
      room,
      (now) => !now || (now.by === THE_CONFIGURATION && now.url !== url),
    );
  }
}

/** @param isTo whether it is to be recorded, by what is announced at that moment */
async function record<Kind extends AnnouncementKind>(
  { database }: Pick<Records, 'database'>,
  { facts: { id: subject } }: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  isTo: (now: Announcements[Kind]) => boolean,
): Promise<void> {
  const id = uuidV7();
  const { at, by, ...facts } = announcement;
  await database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    const now = announcementsOf(acts)[kind];
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (acts.some((act) => act.id === id) || isDeepStrictEqual(now, announcement)) return;
    if (!isTo(now)) return;
    await addAct(transaction, { id, subject, kind, at, by, facts });
    await noteChangeOfAll(transaction, subject);
  });
}

function announcementsOf(acts: readonly ActRow[]): Announcements {
  const last = kinds.flatMap((kind) => {
    const act = acts.findLast((one) => one.kind === kind);
    return act ? [[kind, factsOfAct(act, schemas[kind])]] : [];
  });
  return Object.fromEntries(last);
}

function announcedMeanwhile(): AppError {
  const message = 'Somebody else announced this at the same time: look at the letters to everyone again';
  return new AppError({ code: 'announced_meanwhile', status: 409, message });
}
