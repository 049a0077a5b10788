import type { Database } from '#server/database/database.ts';
import { letterOf, type WaitingLetterAt } from '#server/letters/letter-kind.ts';
import { letterTable } from '#server/letters/table.ts';
import {
  addressDigest,
  isWaitingMail,
  MAIL_KINDS,
  mailVersion,
  type WaitingMail,
  type WaitingMailKind,
} from '#server/mail/job.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import { type LetterQueue, oweLetters } from '#server/mail/queue.ts';
import { isLost, isUndeliverable, isUnreachable } from '#server/registration/bounces.ts';
import { freeOf } from '#server/registration/places.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { Admission, WaitingList } from '#server/registration/waiting-list.ts';
import { confirmableUntil, type WaitingRecord, waitingStateOf } from '#server/registration/waiting-record.ts';
import type { Logger } from '#server/service/logger.ts';
import { editions } from '#shared/content/compiled/editions.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { OfficeItem } from '#shared/content/office-digest-words.ts';
import type { Circumstances } from './due.ts';
import { type FailedLetters, readFailed } from './office-digest.ts';

const waitingLetters: { readonly [Kind in WaitingMailKind]: WaitingLetterAt<Kind> } = letterTable;

/** When a retreat begins; after that nobody takes a place in it. */
export function beginningOf({ timetable, facts }: WaitingRecord['edition']): Date {
  return new Date(timetable.sessions[0]?.startsAt ?? facts.endsAt);
}

/**
 * The letter of a kind with an entry's facts at a moment, sent or not; undefined when its condition does not
 * hold, once the retreat has begun, and when it would go to an address that bounces.
 */
function waitingLetterNow(kind: WaitingMailKind, record: WaitingRecord, now: Date): WaitingMail | undefined {
  const { id, edition, registrant, joinedAt } = record;
  const about = { waitingId: id, edition: edition.facts.id, ...registrant, joinedAt: joinedAt.toISOString() };
  const facts = now < beginningOf(edition) ? waitingLetters[kind].factsAt(record, now) : undefined;
  const letter = facts && letterOf(kind, about, facts);
  return letter && !isUndeliverable(letter, [record.bounced]) ? letter : undefined;
}

/**
 * Whether somebody on the list may lack information: letters to her bounce, or the one with her offer may be
 * lost.
 */
export function isOutOfReach(record: WaitingRecord, now: Date): boolean {
  const { offer, registrant, bounced } = record;
  const state = waitingStateOf(record, now);
  if (state !== 'waiting' && state !== 'offered') return false;
  if (isUnreachable(record)) return true;
  if (state !== 'offered' || offer === undefined) return false;
  return isLost({ to: addressDigest(registrant.email), at: offer.at }, bounced);
}

/** The letters that are due for an entry: true at this moment, and not sent or dismissed. */
export function waitingLettersDue(record: WaitingRecord, now: Date): WaitingMail[] {
  return MAIL_KINDS.filter(isWaitingMail).flatMap((kind) => {
    const letter = waitingLetterNow(kind, record, now);
    return letter && !isToldWaiting(letter, record) ? [letter] : [];
  });
}

/** Whether it was sent, or a person dismissed it. */
function isToldWaiting(letter: WaitingMail, { letters }: Pick<WaitingRecord, 'letters'>): boolean {
  return letters.some(({ kind, version }) => kind === letter.kind && version === mailVersion(letter));
}

/**
 * A queued letter as it is to be sent now; undefined once she has left the list, or it is no longer true or
 * due.
 */
export function waitingLetterDue(
  { kind, version }: { kind: WaitingMailKind; version: string },
  record: WaitingRecord | undefined,
  now: Date,
): WaitingMail | undefined {
  const letter = record && waitingLetterNow(kind, record, now);
  if (!letter || mailVersion(letter) !== version) return undefined;
  return isToldWaiting(letter, record) ? undefined : letter;
}

interface WaitingWorkDependencies {
  database: Database;
  waitingList: WaitingList;
  letterLog: Pick<LetterLog, 'owe'>;
  queue: LetterQueue;
  logger: Logger;
}

/**
 * Does what is due on the waiting lists of editions with limited places: queues letters, closes the entries of those who
 * took a place, and deletes those that were not confirmed in time, and all once registration for their edition is over. An
 * error with one entry does not stop the others.
 */
export async function workOffWaiting(
  { now, isOver }: Pick<Circumstances, 'now' | 'isOver'>,
  { database, waitingList, letterLog, queue, logger }: WaitingWorkDependencies,
): Promise<void> {
  const handle = async (record: WaitingRecord, took: string | undefined): Promise<void> => {
    if (took !== undefined) return waitingList.took(record.id, took);
    const hasEnded = waitingStateOf(record, now) === 'unconfirmed' && confirmableUntil(record) <= now;
    if (hasEnded || isOver(record.edition.facts)) return void (await waitingList.leave(record.id));
    await oweLetters(waitingLettersDue(record, now), { queue, letterLog, now });
  };
  for (const edition of editions) {
    const records = edition.facts.places === undefined ? [] : await waitingList.list(edition);
    if (records.length === 0) continue;
    const taken = await takenByOffer(database, edition);
    for (const record of records) {
      await handle(record, taken.get(record.id)).catch((error: unknown) => {
        const facts = { err: error, waiting: record.id };
        logger.error(facts, 'Something that is due for an entry of the waiting list could not be done');
      });
    }
  }
}

/** The registrations by which people who waited took a place, by their entries. */
async function takenByOffer(database: Database, { facts }: Edition): Promise<ReadonlyMap<string, string>> {
  const rows = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select(['waiting', 'id'])
      .where('edition', '=', facts.id)
      .where('standing', '=', 'taken')
      .where('waiting', 'is not', null)
      .execute(),
  );
  return new Map(rows.flatMap(({ waiting, id }) => (waiting ? [[waiting, id]] : [])));
}

/** What the office has to do about the waiting list of an edition at a moment. */
export async function waitingNeeds(
  edition: Edition,
  now: Date,
  sources: FailedLetters,
  { places, waitingList }: Admission,
): Promise<OfficeItem[]> {
  const records = edition.facts.places === undefined ? [] : await waitingList.list(edition);
  if (records.length === 0) return [];
  const free = freeOf(await places.count(edition.facts));
  const somebodyWaits = records.some((record) => waitingStateOf(record, now) === 'waiting');
  const toOffer = free > 0 && somebodyWaits;
  return [
    ...(toOffer ? [{ need: 'place-free', count: free } as const] : []),
    ...records.filter((record) => isOutOfReach(record, now)).map(cameBack),
    ...(await failedLetters(sources, records, now)),
  ];
}

function cameBack(record: WaitingRecord): OfficeItem {
  const since = record.bounced?.at.toISOString();
  return { need: 'waiting-bounced', name: nameOf(record.registrant), ...(since !== undefined && { since }) };
}

/** Failed letters, which are not retried automatically, as long as they apply. */
async function failedLetters(
  sources: FailedLetters,
  records: readonly WaitingRecord[],
  now: Date,
): Promise<OfficeItem[]> {
  return (await readFailed(sources)).flatMap(
    ({ letter: { id, kind, subject, version }, since }): OfficeItem[] => {
      const record = records.find((one) => one.id === subject);
      if (!record || !isWaitingMail(kind) || !waitingLetterDue({ kind, version }, record, now)) return [];
      return [{ need: 'letter-failed', name: nameOf(record.registrant), mail: id, since }];
    },
  );
}
