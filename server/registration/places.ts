import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Logger } from '#server/service/logger.ts';
import type { Facts } from '#shared/content/edition.ts';
import { messages, RETREAT_FULL } from '#shared/registration.ts';
import type { Deposit, RegistrationKey } from './registrations.ts';

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
  /** The id of the registration, see `registrationIdOf`. */
  registration: string;
  /**
   * The id that the registration may have had shortly before: a place that is held under it stays there.
   */
  before?: string | undefined;
  /** The entry of the waiting list to which a place was offered: she has it while the offer lasts. */
  offer?: string | undefined;
  /** Whether she agrees to the terms now, so that the place is held for the payment. */
  agrees?: boolean;
}

export interface PlaceCounts {
  places: number;
  paid: number;
  /** Held while somebody pays, each for `holdMinutes`. */
  held: number;
  holdMinutes: number;
  /** Offered to people who waited, and not used yet. */
  offered: number;
  /** The people who wait, have confirmed that, and were offered nothing. */
  waiting: number;
}

/** How many places the office can offer. */
export function freeOf({ places, paid, held, offered }: PlaceCounts): number {
  return Math.max(0, places - paid - held - offered);
}

/** How many places are left for visitors, who come after everybody who waits. */
export function leftOf(counts: PlaceCounts): number {
  return Math.max(0, freeOf(counts) - counts.waiting);
}

/** The places of editions: only those of editions that have a number of them are counted. */
export type Places = ReturnType<typeof createPlaces>;

/**
 * Holds a place for a registration, and runs its record in the transaction that finds the place.
 * @throws {AppError} when there is none
 */
export type HoldPlace = (record: RecordHeld) => Promise<void>;
export type RecordHeld = (transaction: Transaction, held: { at: Date; until: Date }) => Promise<void>;

/** The payment of a deposit at Stripe, as far as a registration needs it. */
export interface DepositPayment {
  registration: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
  /** The letters that are due now. */
  letters: readonly RegistrationMail[];
}

/** The payments of deposits at Stripe, each explained at its function in `server/stripe/`. */
export interface Deposits {
  create(deposit: Deposit, key: RegistrationKey, hold: HoldPlace): Promise<DepositPayment>;
  continue(registration: string, deposit: Deposit): Promise<DepositPayment | 'paid' | 'closed'>;
  cancel(registration: string): Promise<'paid' | 'closed'>;
}

export interface PlacesDependencies {
  database: Database;
  deposits: Pick<Deposits, 'cancel'>;
  /** The site's business date. */
  now: () => Date;
}

export function createPlaces({ database, deposits, now }: PlacesDependencies) {
  /** Closes the payment of a registration whose time is over, unless she has paid in the last moment. */
  const close = async ({ id }: Pick<RegistrationRow, 'id'>): Promise<void> => {
    const outcome = await deposits.cancel(id);
    await database.write((transaction) =>
      transaction
        .updateTable('registrations')
        .set({ standing: outcome === 'paid' ? 'taken' : 'free' })
        .where('id', '=', id)
        .where('standing', '=', 'closing')
        .execute(),
    );
  };
  /**
   * Runs work in the transaction that finds a free place, which the work takes.
   * @param of which count must not be 0: `freeOf`, or `leftOf`
   * @param find runs before places are counted, in the same transaction: what it finds was taken before, also by this work
   *   where the answer to the COMMIT was lost
   * @param own the ids of the registration that asks: its own payment is not closed for it
   * @returns `full` when there is none; then the work has not run
   */
  const withPlace = async <Result>(
    facts: Facts,
    of: (counts: PlaceCounts) => number,
    work: (transaction: Transaction) => Promise<Result>,
    find: (transaction: Transaction) => Promise<Result | undefined>,
    own: readonly string[] = [],
  ): Promise<Result | 'full'> => {
    for (;;) {
      const found = await database.write(async (transaction) => {
        const before = await find(transaction);
        if (before !== undefined) return { result: before };
        const { counts, over: all } = await read(transaction, facts, now());
        if (of(counts) === 0) return 'full';
        const over = all.filter((row) => row.standing === 'closing' || !own.includes(row.id));
        const [longest] = over;
        if (!longest || freeOf(counts) > over.length) return { result: await work(transaction) };
        await transaction
          .updateTable('registrations')
          .set({ standing: 'closing' })
          .where('id', '=', longest.id)
          .execute();
        return { longest: { id: longest.id } };
      });
      if (found === 'full') return 'full';
      if ('result' in found) return found.result;
      await close(found.longest);
    }
  };
  /**
   * Runs work for which a place is needed, unless the registration that asks has one: then nobody needs to be counted.
   * @param isHers whether it has one, which this holds again
   */
  const take = async (
    facts: Facts,
    of: (counts: PlaceCounts) => number,
    work: (transaction: Transaction) => Promise<void>,
    isHers: (transaction: Transaction) => Promise<boolean>,
    own: readonly string[],
  ): Promise<'held' | 'full'> => {
    const hold = async (transaction: Transaction): Promise<'held'> => {
      await work(transaction);
      return 'held';
    };
    if (facts.places === undefined) return database.write(hold);
    const find = async (transaction: Transaction) => ((await isHers(transaction)) ? 'held' : undefined);
    return withPlace(facts, of, hold, find, own);
  };
  return {
    withPlace,
    /**
     * Holds a place for a registration for `holdMinutes`, or finds that she has one; once more when she agrees to
     * the terms. After that it is hers until somebody else needs it; her payment is closed before it is given on.
     * @param record records a registration that is not on record yet
     * @throws {AppError} 429 when too many places are held from where she is, which nobody has paid for
     */
    hold(facts: Facts, holder: PlaceHolder, record?: RecordHeld) {
      const at = now();
      const held = { at, until: holdEnd(facts, at) };
      return take(
        facts,
        leftOf,
        async (transaction) => {
          if (facts.places !== undefined) await refuseMany(transaction, facts, holder, at);
          await holdUntil(transaction, holder, held, record);
          if (facts.places !== undefined) await noteFrom(transaction, holder);
        },
        (transaction) => holdAgain(transaction, facts, holder, at, record),
        idsOf(holder),
      );
    },
    /**
     * Runs the office's work in a transaction in which there is a place for it.
     * @param own the registration that the work is about: its own payment is not closed for it
     * @returns `full` when there is none; then the work has not run
     */
    holdFor(facts: Facts, work: (transaction: Transaction) => Promise<void>, own: string) {
      const isHers = async (transaction: Transaction) => {
        const [row] = await findHolder(transaction, { registration: own });
        if (!row || !(row.standing === 'taken' || isHeld(row, now()))) return false;
        await work(transaction);
        return true;
      };
      return take(facts, freeOf, work, isHers, [own]);
    },
    async count(facts: Facts): Promise<PlaceCounts> {
      const { counts } = await database.read((transaction) => read(transaction, facts, now()));
      return counts;
    },
  };
}

/** A place is still hers, or kept for her by an offer: then this holds it, and nobody needs to be counted. */
async function holdAgain(
  transaction: Transaction,
  facts: Facts,
  holder: PlaceHolder,
  at: Date,
  record?: RecordHeld,
): Promise<boolean> {
  const rows = await findHolder(transaction, holder);
  if (rows.some(({ standing }) => standing === 'taken')) return true;
  const own = rows.find((row) => isHeld(row, at));
  if (own) {
    if (holder.agrees && own.agreedAt === null) {
      const until = new Date(Math.max(own.heldUntil.getTime(), holdEnd(facts, at).getTime()));
      await holdUntil(transaction, { ...holder, registration: own.id }, { at, until });
    } else await noteSubmit(transaction, [own.id], at);
    return true;
  }
  const { offer } = holder;
  if (offer === undefined) return false;
  const entry = await transaction
    .selectFrom('waitingEntries')
    .select('offeredUntil')
    .where('id', '=', offer)
    .executeTakeFirst();
  const offeredUntil = entry?.offeredUntil ?? new Date(0);
  if (offeredUntil <= at) return false;
  const until = new Date(Math.max(offeredUntil.getTime(), holdEnd(facts, at).getTime()));
  await holdUntil(transaction, holder, { at, until }, record);
  return true;
}

/** @throws {AppError} with the time until one of the places that are held from there is free */
async function refuseMany(
  transaction: Transaction,
  { id }: Facts,
  holder: PlaceHolder,
  at: Date,
): Promise<void> {
  const { from } = holder;
  if (!from) return;
  const held = await transaction
    .selectFrom('registrations')
    .select(['heldBy', 'heldUntil'])
    .where('edition', '=', id)
    .where('standing', '=', 'open')
    .where('heldUntil', '>', at)
    .where('heldNetwork', '=', from.network)
    .where('id', 'not in', idsOf(holder))
    .orderBy('heldUntil')
    .execute();
  const byAddress = held.filter(({ heldBy }) => heldBy === from.address);
  const ends = [
    byAddress[byAddress.length - HELD_BY_ADDRESS]?.heldUntil,
    held[held.length - HELD_BY_NETWORK]?.heldUntil,
  ].map((until) => (until ?? at).getTime());
  const waitMs = Math.max(...ends) - at.getTime();
  if (waitMs <= 0) return;
  throw new AppError({
    code: 'too_many_held',
    status: 429,
    message: messages.tooManyHeld(Math.ceil(waitMs / 60_000)),
    retryAfterS: Math.ceil(waitMs / 1000),
  });
}

async function noteFrom(transaction: Transaction, holder: PlaceHolder): Promise<void> {
  const { from } = holder;
  if (!from) return;
  await transaction
    .updateTable('registrations')
    .set({ heldBy: from.address, heldNetwork: from.network })
    .where('id', 'in', idsOf(holder))
    .execute();
}

function findHolder(transaction: Transaction, holder: PlaceHolder): Promise<RegistrationRow[]> {
  return transaction.selectFrom('registrations').selectAll().where('id', 'in', idsOf(holder)).execute();
}

async function holdUntil(
  transaction: Transaction,
  holder: PlaceHolder,
  { at, until }: { at: Date; until: Date },
  record?: RecordHeld,
): Promise<void> {
  await noteSubmit(transaction, idsOf(holder), at);
  await record?.(transaction, { at, until });
  await transaction
    .updateTable('registrations')
    .set({
      standing: 'open',
      heldUntil: until,
      ...(holder.offer !== undefined && { waiting: holder.offer }),
      agreedAt: holder.agrees ? at : null,
    })
    .where('id', 'in', idsOf(holder))
    .where('standing', '!=', 'taken')
    .execute();
}

/** A row that is inserted at this moment keeps null: its first submit is `begunAt`. */
async function noteSubmit(transaction: Transaction, ids: readonly string[], at: Date): Promise<void> {
  await transaction
    .updateTable('registrations')
    .set({ submittedAt: at })
    .where('id', 'in', ids)
    .where('begunAt', '!=', at)
    .execute();
}

/** All places of an edition as they are counted at a moment. */
async function read(transaction: Transaction, { id, places, holdMinutes }: Facts, at: Date) {
  if (places === undefined) throw new Error(`${id} has no number of places`);
  const rows = await transaction
    .selectFrom('registrations')
    .selectAll()
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
    .where('took', 'is', null)
    .execute();
  const paid = rows.filter(({ standing }) => standing === 'taken');
  const held = rows.filter((row) => isHeld(row, at));
  const counted = new Set([...paid, ...held].map(({ waiting }) => waiting));
  const offered = entries.filter((entry) => (entry.offeredUntil ?? 0) > at && !counted.has(entry.id));
  return {
    counts: {
      places,
      paid: paid.length,
      held: held.length,
      holdMinutes,
      offered: offered.length,
      waiting: entries.filter(({ offeredUntil }) => offeredUntil === null).length,
    },
    /** The registrations whose time is over, and whose payment is not closed yet: the longest past comes first. */
    over: rows.filter((row) => row.standing !== 'taken' && !isHeld(row, at)),
  };
}

function isHeld({ standing, heldUntil }: RegistrationRow, at: Date): boolean {
  return standing === 'open' && heldUntil > at;
}

function idsOf({ registration, before }: PlaceHolder): string[] {
  return before === undefined ? [registration] : [registration, before];
}

function holdEnd({ holdMinutes }: Facts, from: Date): Date {
  return new Date(from.getTime() + holdMinutes * 60_000);
}

/**
 * Holds a place for a registration while the registrant pays.
 * @throws {AppError} when none is left
 */
export async function holdWhilePaying(
  places: Pick<Places, 'hold'>,
  facts: Facts,
  holder: PlaceHolder,
  record?: RecordHeld,
): Promise<void> {
  if ((await places.hold(facts, holder, record)) === 'full')
    throw new AppError({ code: RETREAT_FULL, status: 409, message: messages.retreatFull });
}

/** The maximum age of the reading that the page shows. */
const LOOK_EVERY_MS = 3_000;

export type PlacesShown = ReturnType<typeof watchPlaces>;

/** What the page says of the places of an edition: counts them again and again, if it has a number of them. */
export function watchPlaces(places: Pick<Places, 'count'>, facts: Facts, logger: Logger) {
  let last: PlaceCounts | undefined;
  const look = async (): Promise<void> => {
    if (facts.places === undefined) return;
    last = await places.count(facts).catch((err: unknown) => {
      logger.warn({ err }, 'The places that are left cannot be read');
      return undefined;
    });
  };
  const timer = facts.places === undefined ? undefined : setInterval(look, LOOK_EVERY_MS).unref();
  void look();
  return {
    /**
     * Whether no place is left for a visitor, by a reading that is some seconds old; false while places cannot
     * be counted.
     */
    isFull: () => last !== undefined && leftOf(last) === 0,
    look,
    close: (): void => clearInterval(timer),
  };
}
