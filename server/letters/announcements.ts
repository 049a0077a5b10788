import { isDeepStrictEqual } from 'node:util';
import { type ActRow, noteChangeOfAll } from '#server/database/database.ts';
import {
  type ActFacts,
  type ActKind,
  lastOfKind,
  type Register,
  readActsOfKinds,
  refused,
  writeAct,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';

const kinds = ['scheduleTold', 'recordings', 'room'] as const satisfies readonly ActKind[];

export type AnnouncementKind = (typeof kinds)[number];
export type Announcement<Kind extends AnnouncementKind> = ActFacts<Kind>;

export type Announcements = { [Kind in AnnouncementKind]?: Announcement<Kind> };

/** @throws {AppError} when an announcement is not what this site writes */
export async function readAnnouncements({ database }: Register, { facts }: Edition): Promise<Announcements> {
  return announcementsOf(await database.read((transaction) => readActsOfKinds(transaction, facts.id, kinds)));
}

/** @throws {AppError} when somebody else has announced the same kind since `seen` was read */
export async function announce<Kind extends AnnouncementKind>(
  records: Register,
  edition: Edition,
  kind: Kind,
  announcement: Announcement<Kind>,
  seen: Announcements,
): Promise<void> {
  const subject = edition.facts.id;
  const { at, by, ...facts } = announcement;
  await writeAct(
    records.database,
    subject,
    (acts) => {
      const now = announcementsOf(acts)[kind];
      if (isDeepStrictEqual(now, announcement)) return undefined;
      if (!isDeepStrictEqual(now, seen[kind])) throw refused('announced_meanwhile');
      return { kind, at, by, facts };
    },
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
