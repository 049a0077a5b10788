import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OfficeItem } from '#server/mail/job-facts.ts';
import type { LetterLog } from '#server/mail/letter-log.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { failedLetters } from '#server/register/office-digest.ts';
import type { RegistrationList } from '#server/register/registration-list.ts';
import { withTimeout } from '#server/service/with-timeout.ts';
import type { Edition } from '#shared/content/edition.ts';
import { type LocalClock, localClock } from './local-clock.ts';
import { type Entry, entryOf, needing, type Row, rowOf } from './row.ts';

const MINUTE_MS = 60_000;
const USUAL = {
  /** How long after its last use an index is dropped: 10,000 registrations take 30 MB. */
  unusedMs: 30 * MINUTE_MS,
  /** How long an answer may take: the first one reads everything. */
  timeoutMs: 10_000,
};
/** How many rows are computed at a time, in a few milliseconds: the same process serves visitors' pages. */
const WORK_AT_ONCE = 100;

/** The registrations of an edition at a moment, the newest first. */
export interface Listing {
  edition: Edition;
  at: Date;
  /** The clock of the retreat's time zone. */
  clock: LocalClock;
  rows: readonly Row[];
}

export interface IndexDependencies {
  registrationList: Pick<RegistrationList, 'changesSince' | 'findSome'>;
  mailQueue: Pick<MailQueue, 'bullQueue' | 'isAnswering'>;
  letterLog: Pick<LetterLog, 'find'>;
  /** The site's business date. */
  now: () => Date;
  /** Overrides of the defaults. */
  times?: Partial<typeof USUAL>;
}

/** The registrations in memory. */
export interface RegistrationIndex {
  /** @throws {Error} while Redis is down or hanging */
  list(edition: Edition): Promise<Listing>;
  /**
   * Reads all registrations before somebody asks for the list: the first answer then takes no longer than
   * others.
   */
  warm(edition: Edition): void;
}

/**
 * An index in memory of the register. Each answer asks the register what has changed, and reads only that; what depends on the time is computed once a minute, in slices.
 */
export function createRegistrationIndex(dependencies: IndexDependencies): RegistrationIndex {
  const kept = new Map<Edition, ReturnType<typeof indexOf>>();
  const list = (edition: Edition): Promise<Listing> => {
    const index = kept.get(edition) ?? indexOf(edition, dependencies, () => kept.delete(edition));
    kept.set(edition, index);
    return index.list();
  };
  return {
    list,
    warm(edition) {
      // The next call of `list` reports the failure.
      if (!kept.has(edition)) list(edition).catch(() => {});
    },
  };
}

/** A registration, and its row as computed for a minute. */
interface Held {
  entry: Entry;
  row?: Row;
  minute?: number;
}

function indexOf(
  edition: Edition,
  { registrationList, mailQueue, letterLog, now, times }: IndexDependencies,
  onUnused: () => void,
) {
  const { unusedMs, timeoutMs } = { ...USUAL, ...times };
  const clock = localClock(edition.timetable.timeZone.id);
  const all = new Map<string, Held>();
  /** The newest first; undefined when registrations were added. */
  let sorted: readonly Held[] | undefined;
  let knownVersion = 0;
  /** Answers are made one at a time: each reads the changes from before it was requested. */
  let last: Promise<unknown> = Promise.resolve();
  let ahead: NodeJS.Timeout | undefined;
  const unused = setTimeout(() => {
    clearTimeout(ahead);
    onUnused();
  }, unusedMs).unref();

  const put = (id: string, record: RegistrationRecord): void => {
    const known = all.get(id);
    if (known) {
      // The time when a registration began never changes, so its position does not change either.
      known.entry = entryOf(record, clock);
      delete known.row;
      return;
    }
    all.set(id, { entry: entryOf(record, clock) });
    sorted = undefined;
  };

  const read = async (since: number): Promise<void> => {
    const { version, ids } = await registrationList.changesSince(edition, since);
    for (const [id, record] of await registrationList.findSome(ids)) put(id, record);
    knownVersion = version;
  };

  const rowsAt = async (at: Date, failed: Failed): Promise<Row[]> => {
    const minute = Math.floor(at.getTime() / MINUTE_MS);
    sorted ??= newestFirst(all.values());
    const rows: Row[] = [];
    let worked = 0;
    for (const held of sorted) {
      if (!held.row || held.minute !== minute) {
        held.row = rowOf(held.entry, at);
        held.minute = minute;
        worked += 1;
        if (worked % WORK_AT_ONCE === 0) await nextTurn();
      }
      const more = failed.get(held.entry.record.id);
      rows.push(more ? needing(held.row, more) : held.row);
    }
    return rows;
  };

  /** Computes the rows of each minute when it begins, so that nobody has to wait for that. */
  const workAhead = (): void => {
    const untilNextMs = MINUTE_MS - (now().getTime() % MINUTE_MS);
    ahead = setTimeout(() => {
      workAhead();
      void rowsAt(now(), new Map());
    }, untilNextMs).unref();
  };

  const readAndList = async (): Promise<Listing> => {
    await read(knownVersion);
    if (!ahead) workAhead();
    const at = now();
    const failed = await failedLetters(
      { queue: mailQueue.bullQueue, letterLog },
      async (ids) => new Map(ids.flatMap((id) => recordOf(all.get(id)))),
      at,
    );
    return { edition, at, clock, rows: await rowsAt(at, byRegistration(failed)) };
  };

  return {
    async list(): Promise<Listing> {
      unused.refresh();
      if (!(await mailQueue.isAnswering())) throw new Error('Redis does not answer');
      const mine = last.then(readAndList);
      last = mine.catch(() => {});
      return withTimeout(mine, timeoutMs);
    },
  };
}

const recordOf = (held: Held | undefined): [string, RegistrationRecord][] =>
  held ? [[held.entry.record.id, held.entry.record]] : [];

type Failed = ReadonlyMap<string, readonly OfficeItem[]>;

function byRegistration(items: readonly OfficeItem[]): Failed {
  const found = new Map<string, OfficeItem[]>();
  for (const item of items) {
    const id = item.paymentIntentId ?? '';
    found.set(id, [...(found.get(id) ?? []), item]);
  }
  return found;
}

/**
 * Sorts numbers only: comparing 10,000 objects by their fields takes 40 ms, in which no other request is
 * answered.
 */
function newestFirst(all: Iterable<Held>): Held[] {
  const byTime = new Map<number, Held[]>();
  for (const held of all) {
    const time = held.entry.record.begunAt.getTime();
    byTime.set(time, [...(byTime.get(time) ?? []), held]);
  }
  const times = Array.from(Float64Array.from(byTime.keys()).sort()).reverse();
  return times.flatMap((time) => (byTime.get(time) ?? []).toSorted(byPayment));
}

function byPayment({ entry: one }: Held, { entry: other }: Held): number {
  return one.record.id < other.record.id ? -1 : 1;
}
