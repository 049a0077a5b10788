import type { Expression, ExpressionBuilder, SqlBool } from 'kysely';
import { v7 as uuidV7 } from 'uuid';
import {
  type RegistrationRow,
  rowsWith,
  type Tables,
  type Transaction,
  type WaitingEntryRow,
} from '#server/database/database.ts';
import type { Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { UNCONFIRMED_KEPT_DAYS } from '#shared/kept-for.ts';
import { type Done, HERSELF } from './act-kinds.ts';
import {
  type Bounced,
  type EndedLetter,
  isLost,
  isUnreachable,
  readBounces,
  readEndedLetters,
} from './her-letters.ts';
import { addressDigest, type Token } from './links.ts';
import { createPlaces, freeOf, type Places, type PlacesDependencies } from './places.ts';
import { type Deposit, type Registrant, registrantIn } from './registrations.ts';

/** The most entries of an edition that are not confirmed: beyond that the oldest ones end. */
const MOST_UNCONFIRMED = 1_000;

const NO_OFFER = { offeredAt: null, offeredUntil: null, offeredBy: null };

/** Who gets a place in an edition that has a number of them, and who waits for one. */
export type Admission = ReturnType<typeof createAdmission>;
export type WaitingList = Admission['waitingList'];

interface AdmissionDependencies extends PlacesDependencies {
  deposits: PlacesDependencies['deposits'] & {
    /** Ends a registration that is not paid; false when it is paid. */
    end(registration: string, ended: Done): Promise<boolean>;
  };
}

export function createAdmission(dependencies: AdmissionDependencies) {
  const places = createPlaces(dependencies);
  return { places, waitingList: createWaitingList(dependencies, places) };
}

function createWaitingList({ database, deposits, now }: AdmissionDependencies, places: Places) {
  const find = (id: string) => database.read((transaction) => findEntry(transaction, id));
  const change = async (transaction: Transaction, id: string, values: Partial<WaitingEntryRow>) => {
    const changed = { ...values, nextAt: now() };
    await transaction.updateTable('waitingEntries').set(changed).where('id', '=', id).execute();
  };
  /** Keeps no place for her any more, and ends the registration that she began with it; who has paid keeps her place. */
  const withdrawOffer = async (id: string, by: string): Promise<'withdrawn' | 'took'> => {
    for (;;) {
      // While anything is begun the offer stays: when ending it fails, as with Stripe away, the next press does it.
      const begun = await database.write(async (transaction) => {
        const rows = await readBegun(transaction, id);
        if (rows.length === 0) await change(transaction, id, NO_OFFER);
        return rows;
      });
      if (begun.length === 0) return 'withdrawn';
      for (const row of begun)
        if (row.standing === 'taken' || !(await deposits.end(row.id, { at: now(), by }))) return 'took';
    }
  };
  return {
    find,
    list: ({ facts }: Edition) =>
      database.read((transaction) => readEntries(transaction, (entry) => entry('edition', '=', facts.id))),
    /** The entries that the worker looks at: their moment has come, or registration for their edition is over. */
    due: (at: Date, over: readonly string[]) =>
      database.read((transaction) =>
        readEntries(transaction, (entry) =>
          entry.or([entry('nextAt', '<=', at), ...over.map((edition) => entry('edition', '=', edition))]),
        ),
      ),
    /** Says when the worker looks at an entry again, unless it has changed meanwhile. */
    async lookAgain({ id, nextAt }: WaitingRecord, at: Date): Promise<void> {
      await database.write((transaction) =>
        transaction
          .updateTable('waitingEntries')
          .set({ nextAt: at })
          .where('id', '=', id)
          .where('nextAt', '=', nextAt)
          .execute(),
      );
    },
    /**
     * Adds somebody to the list of an edition, to be confirmed by her; an address that is on it already is on it
     * once. She confirms again where her offer is over, or she had not confirmed on an earlier day. It does the same for
     * each address, so that its duration tells nobody who waits or is registered.
     * @returns the entry's id
     */
    join({ contact, timeZone, facts }: Pick<Deposit, 'contact' | 'timeZone' | 'facts'>): Promise<string> {
      const askedAt = now();
      const asNew = { joinedAt: askedAt, confirmedAt: null, ...NO_OFFER };
      const asked = { askedAt, nextAt: askedAt };
      const row: WaitingEntryRow = {
        id: `waiting_${uuidV7().replaceAll('-', '')}`,
        edition: facts.id,
        address: contact.email.toLowerCase(),
        ...asked,
        ...asNew,
        ...registrantIn({ ...contact, timeZone }),
      };
      return database.write(async (transaction) => {
        const { id } = await transaction
          .insertInto('waitingEntries')
          .values(row)
          .onConflict((conflict) => conflict.columns(['edition', 'address']).doUpdateSet(asked))
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
        await endOldestUnconfirmed(transaction, facts.id);
        return id;
      });
    },
    confirm: (id: string): Promise<'confirmed' | 'left' | 'took'> =>
      database.write(async (transaction) => {
        const entry = await findEntry(transaction, id);
        if (!entry) return (await hasTaken(transaction, id)) ? 'took' : 'left';
        if (!entry.isConfirmed) await change(transaction, id, { confirmedAt: now() });
        return 'confirmed';
      }),
    /** Removes somebody with all her data, unless she has taken a place; ends the registration that she may have begun. */
    async leave(id: string, by: string = HERSELF): Promise<'left' | 'took'> {
      if ((await withdrawOffer(id, by)) === 'took') return 'took';
      await database.write((transaction) => removeEntries(transaction, [id]));
      return 'left';
    },
    /** @param mayExceed even if none is free @returns `gone` when she has left or taken a place */
    async offer({ id, edition }: WaitingRecord, { at, until, by }: Offer, mayExceed = false) {
      // What she began with an earlier offer outlives it by a day: it would be a second registration, and a second place.
      if ((await withdrawOffer(id, by)) === 'took') return 'gone';
      const offered = { offeredAt: at, offeredUntil: until, offeredBy: by };
      const work = (transaction: Transaction) => change(transaction, id, offered);
      const kept = async (transaction: Transaction) => {
        const entry = await findEntry(transaction, id);
        const isKept = mayExceed || !entry || waitingStateOf(entry, at) === 'offered';
        return isKept ? { entry } : undefined;
      };
      const outcome = await places.take(edition.facts, { of: freeOf, own: [], kept, work });
      if (outcome === 'full') return outcome;
      return (await find(id)) ? 'offered' : 'gone';
    },
    withdrawOffer,
    /** The entry of an offer while its place is kept; else whether the place was taken with it. */
    findOffered: ({ subject, expiresAt }: Token): Promise<WaitingRecord | 'used' | 'over'> =>
      database.read(async (transaction) => {
        const entry = await findEntry(transaction, subject);
        const isSame = entry?.offer?.until.getTime() === expiresAt.getTime();
        if (entry && isSame && waitingStateOf(entry, now()) === 'offered') return entry;
        return (await hasTaken(transaction, subject)) ? 'used' : 'over';
      }),
  };
}

async function readBegun(transaction: Transaction, id: string): Promise<readonly RegistrationRow[]> {
  const rows = await rowsWith(transaction, 'registrations', 'waiting', [id]);
  return rows.filter(({ standing }) => standing !== 'free');
}

async function hasTaken(transaction: Transaction, id: string): Promise<boolean> {
  return (await readBegun(transaction, id)).some(({ standing }) => standing === 'taken');
}

async function findEntry(transaction: Transaction, id: string): Promise<WaitingRecord | undefined> {
  const [entry] = await readEntries(transaction, (one) => one('id', '=', id));
  return entry;
}

async function readEntries(
  transaction: Transaction,
  which: (entry: ExpressionBuilder<Tables, 'waitingEntries'>) => Expression<SqlBool>,
): Promise<WaitingRecord[]> {
  const rows = await transaction
    .selectFrom('waitingEntries')
    .selectAll()
    .select(({ exists, selectFrom }) => {
      const paid = selectFrom('registrations')
        .select('registrations.id')
        .whereRef('registrations.edition', '=', 'waitingEntries.edition')
        .whereRef('registrations.address', '=', 'waitingEntries.address')
        .where('registrations.standing', '=', 'taken');
      return exists(paid).as('addressHasPlace');
    })
    .where(which)
    .orderBy('joinedAt')
    .orderBy('id')
    .execute();
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const letters = await readEndedLetters(transaction, ids);
  const addresses = rows.map(({ address }) => address);
  const bounces = await readBounces(transaction, addresses);
  return rows.flatMap((row) => {
    const edition = findEdition(row.edition);
    if (!edition) return [];
    const { id, joinedAt, askedAt, nextAt, offeredAt: at, offeredUntil: until, offeredBy: by } = row;
    return {
      ...{ id, edition, joinedAt, askedAt, nextAt },
      isConfirmed: row.confirmedAt !== null,
      registrant: registrantIn(row),
      addressHasPlace: Boolean(row.addressHasPlace),
      letters: letters.get(id) ?? [],
      bounced: bounces.get(row.address),
      offer: at && until && by !== null ? { at, until, by } : undefined,
    };
  });
}

async function endOldestUnconfirmed(transaction: Transaction, edition: string): Promise<void> {
  const beyond = await transaction
    .selectFrom('waitingEntries')
    .select('id')
    .where('edition', '=', edition)
    .where('confirmedAt', 'is', null)
    .orderBy('joinedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST_UNCONFIRMED)
    .offset(MOST_UNCONFIRMED)
    .execute();
  const ids = beyond.map(({ id }) => id);
  if (ids.length > 0) await removeEntries(transaction, ids);
}

export async function removeEntries(transaction: Transaction, ids: readonly string[]): Promise<void> {
  await transaction.deleteFrom('letters').where('subject', 'in', ids).execute();
  await transaction.deleteFrom('waitingEntries').where('id', 'in', ids).execute();
}

export interface Offer {
  at: Date;
  until: Date;
  by: string;
}

/** Somebody on the waiting list. Her state is derived from this alone. Who has taken a place is not on it any more. */
export interface WaitingRecord {
  id: string;
  edition: Edition;
  joinedAt: Date;
  askedAt: Date;
  /** Whether she has pressed the link in her letter: until then anybody may have joined her. */
  isConfirmed: boolean;
  registrant: Registrant;
  addressHasPlace: boolean;
  letters: readonly EndedLetter[];
  bounced?: Bounced | undefined;
  offer?: Offer | undefined;
  nextAt: Date;
}

/**
 * `unconfirmed` takes no place, and ends after two days. `waiting` counts for the places that are left, and so does
 * `offered`, which holds one. Once an offer has expired, the entry is `lapsed`, until she joins again or gets another
 * offer.
 */
export type WaitingState = 'unconfirmed' | 'waiting' | 'offered' | 'lapsed';

export function waitingStateOf(
  { offer, isConfirmed }: Pick<WaitingRecord, 'offer' | 'isConfirmed'>,
  now: Date,
): WaitingState {
  if (!offer) return isConfirmed ? 'waiting' : 'unconfirmed';
  return now < offer.until ? 'offered' : 'lapsed';
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** When the day of a moment begins in UTC: an address gets one letter a day, however often it is put on the list. */
export function startOfDay(moment: Date): Date {
  return new Date(new Date(moment).setUTCHours(0, 0, 0, 0));
}

export function confirmableUntil({ joinedAt }: Pick<WaitingRecord, 'joinedAt'>): Date {
  return new Date(joinedAt.getTime() + UNCONFIRMED_KEPT_DAYS * DAY_MS);
}

/** When a retreat begins; after that nobody takes a place in it. */
export function beginningOf({ timetable, facts }: Edition): Date {
  return new Date(timetable.sessions[0]?.startsAt ?? facts.endsAt);
}

/** Whether somebody on the list may lack information: letters to her bounce, or the one with her offer may be lost. */
export function isOutOfReach(record: WaitingRecord, now: Date): boolean {
  const { offer, registrant, bounced } = record;
  const state = waitingStateOf(record, now);
  if (state !== 'waiting' && state !== 'offered') return false;
  if (isUnreachable(record)) return true;
  return offer !== undefined && isLost({ to: addressDigest(registrant.email), at: offer.at }, bounced);
}
