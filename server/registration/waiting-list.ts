import { isDeepStrictEqual } from 'node:util';
import type { ExpressionBuilder, Selectable } from 'kysely';
import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { LetterRow, Tables, WaitingEntryRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { cleanName, withProbableNames } from '#server/letters/render/names.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { messages } from '#shared/registration.ts';
import { type Bounced, readBounces } from './bounces.ts';
import {
  createPlaces,
  type DepositPayment,
  type Deposits,
  freeOf,
  type Places,
  type PlacesDependencies,
} from './places.ts';
import {
  comparableName,
  type Deposit,
  NOBODY,
  type RegistrationKey,
  registrantIn,
  registrationIdOf,
} from './registrations.ts';
import { type Offer, startOfDay, type WaitingRecord, waitingStateOf } from './waiting-record.ts';

/** The most entries of an edition that are not confirmed: beyond that the oldest ones end. */
const MOST_UNCONFIRMED = 1_000;

export interface OfferedDeposit extends Deposit {
  /** The entry to which the place was offered. */
  offer: string;
  /** The end of the offer according to the link: an offer with another end is a different one. */
  until: Date;
  /** The same key for the same offer, in whichever browser it is taken up. */
  key: RegistrationKey;
}

export interface OfferedPayment extends DepositPayment {
  /** To whom the place was offered, if the deposit is somebody else's: her first name and an initial. */
  offeredTo?: string;
}

export type WaitingList = ReturnType<typeof createWaitingList>;

/** Who gets a place in an edition that has a number of them, and who waits for one. */
export interface Admission {
  places: Places;
  waitingList: WaitingList;
}

type AdmissionDependencies = PlacesDependencies & { deposits: Deposits };

export function createAdmission(dependencies: AdmissionDependencies): Admission {
  const places = createPlaces(dependencies);
  return { places, waitingList: createWaitingList(dependencies, places) };
}

function createWaitingList({ database, deposits, now }: AdmissionDependencies, places: Places) {
  /** An entry as it is now; undefined after she has left. */
  const find = (id: string) => database.read((transaction) => findEntry(transaction, id));

  /** Closes the payment that was begun by an offer: a registrant who has paid keeps her place. */
  const closeBegun = async ({
    begun,
    took,
  }: Pick<WaitingRecord, 'begun' | 'took'>): Promise<'closed' | 'took'> => {
    if (took !== undefined) return 'took';
    if (begun === undefined) return 'closed';
    return (await deposits.cancel(begun)) === 'paid' ? 'took' : 'closed';
  };

  return {
    find,
    /**
     * Adds somebody to the list of an edition, to be confirmed by her; an address that is on it already is on it
     * once. She confirms again where her offer is over, or she had not confirmed on an earlier day. It does the same for
     * each address, so that its duration tells nobody who waits or is registered.
     * @returns the entry's id
     */
    async join({
      contact,
      timeZone,
      facts,
    }: Pick<Deposit, 'contact' | 'timeZone' | 'facts'>): Promise<string> {
      const address = contact.email.toLowerCase();
      const askedAt = now();
      const asNew = { joinedAt: askedAt, confirmedAt: null, ...NO_OFFER };
      const row: WaitingEntryRow = {
        id: `waiting_${uuidV7().replaceAll('-', '')}`,
        edition: facts.id,
        address,
        askedAt,
        ...asNew,
        ...registrantIn({ ...contact, timeZone }),
        begun: null,
        took: null,
      };
      return database.write(async (transaction) => {
        const { id } = await transaction
          .insertInto('waitingEntries')
          .values(row)
          .onConflict((conflict) => conflict.columns(['edition', 'address']).doUpdateSet({ askedAt }))
          .returning('id')
          .executeTakeFirstOrThrow();
        await transaction
          .updateTable('waitingEntries')
          .set(asNew)
          .where('id', '=', id)
          .where(({ eb, or, and }) => {
            const isUnconfirmed = and([eb('confirmedAt', 'is', null), eb('offeredUntil', 'is', null)]);
            const isOfEarlierDay = eb('joinedAt', '<', startOfDay(askedAt));
            return or([eb('offeredUntil', '<=', askedAt), and([isUnconfirmed, isOfEarlierDay])]);
          })
          .execute();
        await endOldestUnconfirmed(transaction, facts);
        return id;
      });
    },
    /** Records that she does want to wait; undefined when she is not on the list any more. */
    confirm(id: string): Promise<WaitingRecord | undefined> {
      const confirmedAt = now();
      return database.write(async (transaction) => {
        await transaction
          .updateTable('waitingEntries')
          .set({ confirmedAt })
          .where('id', '=', id)
          .where('confirmedAt', 'is', null)
          .execute();
        return findEntry(transaction, id);
      });
    },
    /** Everybody on the list of an edition who has taken no place, in the order of joining. */
    async list(edition: Edition): Promise<WaitingRecord[]> {
      const all = await database.read((transaction) =>
        readEntries(transaction, 'waitingEntries.edition', edition.facts.id),
      );
      return all.filter(({ took }) => took === undefined);
    },
    /** Removes somebody with all her data, unless she has taken a place; closes the payment that she may have begun. */
    async leave(id: string): Promise<'left' | 'took'> {
      for (;;) {
        const record = await find(id);
        if (!record) return 'left';
        if ((await closeBegun(record)) === 'took') return 'took';
        const hasLeft = await database.write(async (transaction) => {
          const entry = await findEntry(transaction, id);
          // Another payment was begun meanwhile.
          if (entry && entry.begun !== record.begun) return false;
          await free(transaction, id);
          await remove(transaction, id);
          return true;
        });
        if (hasLeft) return 'left';
      }
    },
    /**
     * Keeps a place for her.
     * @param mayExceed whether to do so even if none is free
     * @returns `full` when none is free, `gone` when she has left or has taken a place
     */
    async offer({ id, edition }: WaitingRecord, { at, until, by }: Offer, mayExceed = false) {
      const offered = { offeredAt: at, offeredUntil: until, offeredBy: by };
      const write = async (transaction: Transaction): Promise<'offered' | 'gone'> => {
        const record = await findEntry(transaction, id);
        if (!record || record.took !== undefined) return 'gone';
        await change(transaction, id, offered);
        return 'offered';
      };
      if (mayExceed) return database.write(write);
      const isOffered = async (transaction: Transaction): Promise<'offered' | undefined> => {
        const before = (await findEntry(transaction, id))?.offer;
        return before && isDeepStrictEqual(before, { at, until, by }) ? 'offered' : undefined;
      };
      return places.withPlace(edition.facts, freeOf, write, isOffered);
    },
    /** Keeps no place for her any more, and closes the payment that she may have begun. */
    async withdrawOffer(id: string): Promise<'withdrawn' | 'took'> {
      // First the offer, so that nobody begins another payment with it.
      const record = await database.write(async (transaction) => {
        const entry = await findEntry(transaction, id);
        if (entry && entry.took === undefined) await change(transaction, id, NO_OFFER);
        return entry && { begun: entry.begun, took: entry.took };
      });
      if (!record) return 'withdrawn';
      if ((await closeBegun(record)) === 'took') return 'took';
      await database.write((transaction) => free(transaction, id));
      return 'withdrawn';
    },
    /**
     * Makes the deposit of an offer, or finds the one made before. Its key belongs to the offer: so anyone else who opens
     * the link, in another tab or on another device, continues with the same payment, which succeeds once.
     * @throws {AppError} when the offer was taken up and paid, has ended, or was taken back
     */
    async register({ key, until, ...deposit }: OfferedDeposit): Promise<OfferedPayment> {
      const record = await find(deposit.offer);
      if (!record || record.edition.facts.id !== deposit.facts.id || !isSameOffer(record, until))
        throw new AppError(GONE.over);
      const state = waitingStateOf(record, now());
      if (state === 'took') throw new AppError(GONE.used);
      if (state !== 'offered') throw new AppError(GONE.over);
      if (record.begun !== undefined) {
        const payment = await deposits.continue(record.begun, deposit);
        if (payment === 'paid') throw new AppError(GONE.used);
        if (payment !== 'closed') return { ...payment, ...offeredTo(record, deposit) };
      }
      // A closed payment, such as after too many declined cards, keeps its key: the next one needs another.
      const value = record.begun === undefined ? key.value : `${key.value}-after-${record.begun}`;
      const holder = { registration: registrationIdOf(value), offer: record.id };
      const payment = await deposits.create(deposit, { value }, async (record) => {
        if ((await places.hold(deposit.facts, holder, record)) === 'full') throw new AppError(GONE.over);
      });
      const isRecorded = await database.write(async (transaction) => {
        const entry = await findEntry(transaction, record.id);
        if (!entry || !isSameOffer(entry, until)) return false;
        await change(transaction, record.id, { begun: payment.registration });
        return true;
      });
      if (isRecorded) return { ...payment, ...offeredTo(record, deposit) };
      // The offer was withdrawn meanwhile, which closes only a payment that was recorded before.
      await deposits.cancel(payment.registration);
      throw new AppError(GONE.over);
    },
    /** Records by which registration she took a place, and empties the entry: her details are stored there. */
    async took(id: string, registration: string): Promise<void> {
      await database.write((transaction) =>
        transaction
          .updateTable('waitingEntries')
          .set({ ...NOBODY, address: id, took: registration })
          .where('id', '=', id)
          .where('took', 'is', null)
          .execute(),
      );
    },
  };
}

/** A name that may be a message is not shown: it was typed by whoever joined the list. */
function offeredTo(
  { registrant }: WaitingRecord,
  { contact }: Pick<Deposit, 'contact'>,
): Pick<OfferedPayment, 'offeredTo'> {
  const isHers =
    comparableName(registrant) === comparableName(contact) &&
    registrant.email.toLowerCase() === contact.email.toLowerCase();
  if (isHers) return {};
  const { firstName, lastName } = withProbableNames(registrant);
  const [initial = ''] = cleanName(lastName);
  return { offeredTo: firstName ? `${cleanName(firstName)} ${initial}` : 'somebody else' };
}

const NO_OFFER = { offeredAt: null, offeredUntil: null, offeredBy: null };

/** The states of letters that need nothing more. */
const ENDED = ['sent', 'dismissed'] as const;

async function findEntry(transaction: Transaction, id: string): Promise<WaitingRecord | undefined> {
  const [entry] = await readEntries(transaction, 'waitingEntries.id', id);
  return entry;
}

/** The entries with a value in a column, in the order of joining. */
async function readEntries(
  transaction: Transaction,
  column: 'waitingEntries.id' | 'waitingEntries.edition',
  value: string,
): Promise<WaitingRecord[]> {
  const rows = await transaction
    .selectFrom('waitingEntries')
    .selectAll()
    .select(placesAtAddress)
    .where(column, '=', value)
    .orderBy('joinedAt')
    .orderBy('id')
    .execute();
  const letters = await transaction
    .selectFrom('letters')
    .innerJoin('waitingEntries', 'waitingEntries.id', 'letters.subject')
    .selectAll('letters')
    .where(column, '=', value)
    .where('letters.state', 'in', ENDED)
    .execute();
  const addresses = rows.map(({ address }) => address);
  const bounced = await readBounces(transaction, addresses);
  return rows.flatMap((row) => {
    const own = letters.filter(({ subject }) => subject === row.id);
    return recordOf(row, own, bounced.get(row.address)) ?? [];
  });
}

/** How many paid registrations of the edition an entry's address has. */
function placesAtAddress({ selectFrom }: ExpressionBuilder<Tables, 'waitingEntries'>) {
  return selectFrom('registrations')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('registrations.edition', '=', 'waitingEntries.edition')
    .whereRef('registrations.address', '=', 'waitingEntries.address')
    .where('registrations.standing', '=', 'taken')
    .as('placesAtAddress');
}

async function remove(transaction: Transaction, id: string): Promise<void> {
  await transaction.deleteFrom('letters').where('subject', '=', id).execute();
  await transaction.deleteFrom('waitingEntries').where('id', '=', id).execute();
}

/** Ends the oldest entries that are not confirmed where there are too many. */
async function endOldestUnconfirmed(transaction: Transaction, { id }: Facts): Promise<void> {
  const beyond = await transaction
    .selectFrom('waitingEntries')
    .select('id')
    .where('edition', '=', id)
    .where('confirmedAt', 'is', null)
    .orderBy('joinedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_UNCONFIRMED)
    .offset(MOST_UNCONFIRMED)
    .execute();
  for (const entry of beyond) await remove(transaction, entry.id);
}

async function change(transaction: Transaction, id: string, values: Partial<WaitingEntryRow>): Promise<void> {
  await transaction.updateTable('waitingEntries').set(values).where('id', '=', id).execute();
}

/** Gives the place back that was held for a registration by her offer. */
async function free(transaction: Transaction, waiting: string): Promise<void> {
  await transaction
    .updateTable('registrations')
    .set({ standing: 'free' })
    .where('waiting', '=', waiting)
    .where('standing', '!=', 'taken')
    .execute();
}

/** An entry from its row; undefined for an edition that this release does not know. */
function recordOf(
  row: Selectable<WaitingEntryRow> & { placesAtAddress: number | null },
  letters: readonly LetterRow[],
  bounced?: Bounced,
): WaitingRecord | undefined {
  const edition = findEdition(row.edition);
  if (!edition) return undefined;
  const { id, begun, took } = row;
  const { offeredAt: at, offeredUntil: until, offeredBy: by } = row;
  const isOffered = at !== null && until !== null && by !== null;
  return {
    id,
    edition,
    joinedAt: row.joinedAt,
    askedAt: row.askedAt,
    isConfirmed: row.confirmedAt !== null,
    registrant: registrantIn(row),
    addressHasPlace: Number(row.placesAtAddress) > 0,
    letters: letters.map(({ kind, version }) => ({ kind, version })),
    bounced,
    offer: isOffered ? { at, until, by } : undefined,
    begun: begun ?? undefined,
    took: took ?? undefined,
  };
}

/** Whether an entry has the offer that a link names: to the second, as links have it. */
export function isSameOffer({ offer }: WaitingRecord, until: Date): boolean {
  const second = (date: Date) => Math.floor(date.getTime() / 1000);
  return offer !== undefined && second(offer.until) === second(until);
}

const GONE = {
  used: { code: 'offer_used', status: 409, message: messages.offerUsed },
  over: { code: 'offer_over', status: 409, message: messages.offerOver },
};

/** Whether a registration was refused because its offer cannot be taken up, now or ever. */
export function isOfferGone(error: unknown): boolean {
  return error instanceof AppError && Object.values(GONE).some(({ code }) => code === error.code);
}
