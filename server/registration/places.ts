import type { Logger } from '#server/config/logger.ts';
import {
  type Database,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { repeat } from '#server/ops/work.ts';
import { AppError } from '#server/web/app-error.ts';
import type { Facts } from '#shared/content/edition.ts';
import { messages, RETREAT_FULL } from '#shared/registration.ts';
import { refused } from './refusals.ts';
import { findRow, registrationIdOf } from './registrations.ts';

/** HMACs of a visitor's address and of its network. */
export interface HeldFrom {
  address: string;
  network: string;
}

/** How many places may be held at the same time from one address, and from one network, without a payment. */
const HELD_BY_ADDRESS = 2;
const HELD_BY_NETWORK = 10;

export interface PlaceHolder {
  /** Where her request comes from; without it nothing bounds how many places are held from there. */
  from?: HeldFrom | undefined;
  /** The ids that the registration may have, see `idsOf`. */
  own: readonly string[];
  /** Whether she agrees to the terms now, so that the place is held for the payment. */
  agrees?: boolean;
}

export interface PlaceCounts {
  places: number;
  paid: number;
  /** Held while somebody pays, each for `holdMinutes`. */
  held: number;
  holdMinutes: number;
  offered: number;
  /** The people who wait, have confirmed that, and were offered nothing. */
  waiting: number;
}

export function freeOf({ places, paid, held, offered }: PlaceCounts): number {
  return Math.max(0, places - paid - held - offered);
}

/** How many places are left for visitors, who come after everybody who waits. */
function leftOf(counts: PlaceCounts): number {
  return Math.max(0, freeOf(counts) - counts.waiting);
}

type HeldColumns = Pick<RegistrationRow, 'standing' | 'heldUntil' | 'agreedAt' | 'heldBy' | 'heldNetwork'> & {
  submittedAt: Date;
};

/** @throws {AppError} when there is no place */
export type HoldPlace = (record: RecordHeld) => Promise<void>;
/** Records a new registration; false where it is on record already. */
export type RecordHeld = (transaction: Transaction, held: HeldColumns) => Promise<boolean>;

export interface Taker<Kept> {
  /** Which count must not be 0: `freeOf`, or `leftOf`. */
  of: (counts: PlaceCounts) => number;
  own: readonly string[];
  /** The place that is kept for it already, also by this work where the answer to the COMMIT was lost. */
  kept: (transaction: Transaction) => Promise<Kept | undefined>;
  work: (transaction: Transaction, kept: Kept | undefined) => Promise<void>;
}

export type Places = ReturnType<typeof createPlaces>;

export interface PlacesDependencies {
  database: Database;
  deposits: {
    cancel(registration: string): Promise<'paid' | 'closed'>;
  };
  now: () => Date;
}

export function createPlaces({ database, deposits, now }: PlacesDependencies) {
  /** Closes the payment by which a place could still be taken; `taken` if she has paid in the last moment. */
  const close = async ({ id, heldUntil }: Pick<RegistrationRow, 'id' | 'heldUntil'>) => {
    const standing = (await deposits.cancel(id)) === 'paid' ? 'taken' : 'free';
    await database.write((transaction) =>
      transaction
        .updateTable('registrations')
        .set({ standing })
        .where('id', '=', id)
        .where('standing', '=', 'open')
        // Else it was held once more meanwhile.
        .where('heldUntil', '=', heldUntil)
        .execute(),
    );
    return standing;
  };
  /** A place is given on only after its payment was closed. @returns `full` without having run the work */
  const take = async <Kept>(facts: Facts, { of, own, kept, work }: Taker<Kept>) => {
    for (;;) {
      const next = await database.write(async (transaction) => {
        const before = await kept(transaction);
        if (before === undefined && facts.places !== undefined) {
          const { counts, over } = await read(transaction, facts, now());
          if (of(counts) === 0) return 'full';
          const others = over.filter(({ id }) => !own.includes(id));
          const [longest] = others;
          if (longest && freeOf(counts) <= others.length) return longest;
        }
        await work(transaction, before);
        return 'held';
      });
      if (typeof next === 'string') return next;
      await close(next);
    }
  };
  return {
    close,
    take,
    /**
     * Holds a place for a registration for `holdMinutes`, or finds that she has one; once more when she agrees to
     * the terms. After that it is hers until somebody else needs it.
     * @param record records a registration that is not on record yet
     * @throws {AppError} when none is left, and 429 when too many are held from where she is, which nobody has paid for
     */
    async hold(facts: Facts, { own, agrees, from }: PlaceHolder, record?: RecordHeld): Promise<void> {
      const at = now();
      const outcome = await take(facts, {
        of: leftOf,
        own,
        kept: (transaction) => findKept(transaction, own, at),
        async work(transaction, kept) {
          const { row } = kept ?? {};
          if (row?.standing === 'taken') return;
          const isNew = kept === undefined && facts.places !== undefined;
          if (isNew && from) await refuseMany(transaction, facts, from, at);
          const until = new Date(
            Math.max(kept?.until.getTime() ?? 0, at.getTime() + facts.holdMinutes * 60_000),
          );
          const { address: heldBy = null, network: heldNetwork = null } = (isNew && from) || {};
          const standing = { standing: 'open', heldUntil: until, agreedAt: agrees ? at : null } as const;
          const held = { submittedAt: at, ...standing, heldBy, heldNetwork };
          if (!row && (await record?.(transaction, held))) return;
          const isFirstConsent = agrees === true && row?.agreedAt === null;
          await transaction
            .updateTable('registrations')
            .set({
              submittedAt: at,
              ...((!row || isFirstConsent) && standing),
              ...(heldBy !== null && { heldBy, heldNetwork }),
            })
            .where('id', 'in', own)
            .where('standing', '!=', 'taken')
            .execute();
        },
      });
      if (outcome === 'full') throw refused(RETREAT_FULL);
    },
    async count(facts: Facts): Promise<PlaceCounts> {
      const { counts } = await database.read((transaction) => read(transaction, facts, now()));
      return counts;
    },
  };
}

/** The place that a registration has or holds, or that an offer keeps for it, and until when. */
export async function findKept(
  transaction: Transaction,
  own: readonly string[],
  at: Date,
  offer?: string,
): Promise<{ row?: RegistrationRow; until: Date } | undefined> {
  const rows = await rowsWith(transaction, 'registrations', 'id', own);
  const row = rows.find((one) => one.standing === 'taken' || isHeld(one, at));
  if (row) return { row, until: row.heldUntil };
  if (offer === undefined) return undefined;
  const [entry] = await rowsWith(transaction, 'waitingEntries', 'id', [offer]);
  const until = entry?.offeredUntil;
  return until && until > at ? { until } : undefined;
}

/** @throws {AppError} with the time until one of the places that are held from there is free */
async function refuseMany(
  transaction: Transaction,
  { id }: Facts,
  { address, network }: HeldFrom,
  at: Date,
): Promise<void> {
  const held = await transaction
    .selectFrom('registrations')
    .select(['heldBy', 'heldUntil'])
    .where('edition', '=', id)
    .where('standing', '=', 'open')
    .where('heldUntil', '>', at)
    .where('heldNetwork', '=', network)
    .orderBy('heldUntil')
    .execute();
  const byAddress = held.filter(({ heldBy }) => heldBy === address);
  const ends = [byAddress.at(-HELD_BY_ADDRESS), held.at(-HELD_BY_NETWORK)];
  const waitMs = Math.max(...ends.map((one) => (one?.heldUntil ?? at).getTime())) - at.getTime();
  if (waitMs <= 0) return;
  throw new AppError({
    code: 'too_many_held',
    status: 429,
    message: messages.tooManyHeld(Math.ceil(waitMs / 60_000)),
    retryAfterS: Math.ceil(waitMs / 1000),
  });
}

async function read(transaction: Transaction, { id, places, holdMinutes }: Facts, at: Date) {
  if (places === undefined) throw new Error(`${id} has no number of places`);
  const rows = await transaction
    .selectFrom('registrations')
    .select(['id', 'standing', 'heldUntil', 'waiting'])
    .where('edition', '=', id)
    .where('standing', '!=', 'free')
    .orderBy('heldUntil')
    .orderBy('id')
    .execute();
  const entries = await transaction
    .selectFrom('waitingEntries')
    .select(['id', 'offeredUntil'])
    .where('edition', '=', id)
    .where('confirmedAt', 'is not', null)
    .execute();
  const open = rows.filter(({ standing }) => standing === 'open');
  const held = open.filter((row) => isHeld(row, at));
  const offers = entries.filter(({ offeredUntil }) => offeredUntil !== null && offeredUntil > at);
  return {
    counts: {
      places,
      paid: rows.length - open.length,
      held: held.length,
      holdMinutes,
      offered: offers.filter((entry) => !held.some(({ waiting }) => waiting === entry.id)).length,
      waiting: entries.filter(({ offeredUntil }) => offeredUntil === null).length,
    },
    /** The registrations whose time is over, and whose payment is not closed yet: the longest past comes first. */
    over: open.filter((row) => !isHeld(row, at)),
  };
}

function isHeld({ standing, heldUntil }: Pick<RegistrationRow, 'standing' | 'heldUntil'>, at: Date): boolean {
  return standing === 'open' && heldUntil > at;
}

/** A key, or one after it where the place of its registration was given back: a closed payment keeps its key. */
export async function usableKey(transaction: Transaction, key: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const value = number === 1 ? key : `${key}-${number}`;
    if ((await findRow(transaction, registrationIdOf(value)))?.standing !== 'free') return value;
  }
}

/** The maximum age of the reading that the page shows. */
const LOOK_EVERY_MS = 3_000;

export type PlacesShown = ReturnType<typeof watchPlaces>;

/** What the page says of the places of an edition: counts them again and again, if it has a number of them. */
export function watchPlaces(places: Pick<Places, 'count'>, facts: Facts, logger: Logger) {
  let last: PlaceCounts | undefined;
  const { now: look, close } = repeat(async () => {
    if (facts.places === undefined) return;
    last = await places.count(facts).catch((err: unknown) => {
      logger.warn({ err }, 'The places that are left cannot be read');
      return undefined;
    });
  }, LOOK_EVERY_MS);
  void look();
  return {
    /** By a reading that is some seconds old; false while places cannot be counted. */
    isFull: () => last !== undefined && leftOf(last) === 0,
    look,
    close,
  };
}
