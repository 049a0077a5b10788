import type { RegistrationRow } from '#server/database/schema.ts';
import { ACTS } from '#server/record/on-record.ts';
import { isPaidInFull } from '#server/record/recognise-deposit.ts';
import { comparableName, type Deposit } from '#server/record/registrations.ts';
import type { Records } from './find-registration.ts';
import { registeredBefore } from './provider-errors.ts';
import { retrieveIntent } from './retrieve-intent.ts';

/** Who registers for what, and whether she said that this is somebody else. */
type Registering = Pick<Deposit, 'contact' | 'somebodyElse' | 'facts'>;

/**
 * How many registrations that are not known to be paid are looked up at Stripe, where a payment may be seconds old: those
 * with the same name first, then the newest.
 */
const MOST_LOOKED_UP = 10;

/**
 * Whether the address has a place in this edition: paid, and not cancelled since. Unless the name is the same too, this is
 * disclosed only in mail to the address.
 * @param own the registration that asks, if it is on record
 * @throws {AppError} when one of them has the same name, and nobody said that this is somebody else
 */
export async function findPlace(
  records: Records,
  { contact, somebodyElse, facts }: Registering,
  own?: string,
): Promise<boolean> {
  const person = comparableName(contact);
  const rows = await rowsAt(records, contact.email, facts.id);
  const sameNameFirst = rows
    .filter(({ id }) => id !== own)
    .toSorted((one, other) => Number(other.person === person) - Number(one.person === person));
  const [known, unknown] = [
    sameNameFirst.filter(({ standing }) => standing === 'taken'),
    sameNameFirst.filter(({ standing, deposit }) => standing !== 'taken' && deposit !== null),
  ];
  const paid = await Promise.all(
    unknown.slice(0, MOST_LOOKED_UP).map(async (row) => ((await isPaid(records, row)) ? [row] : [])),
  );
  const holding = await withoutCancelled(records, [...known, ...paid.flat()]);
  if (!somebodyElse && holding.some((row) => row.person === person)) throw registeredBefore();
  return holding.length > 0;
}

/**
 * Makes sure, right before a deposit is paid, that its registrant has not paid another one meanwhile, such as in another
 * browser.
 * @throws {AppError} when she has, and did not say that this is somebody else
 */
export async function requireNoPlaceYet(
  records: Records,
  { id, somebodyElse, ...contact }: RegistrationRow,
  facts: Deposit['facts'],
): Promise<void> {
  if (somebodyElse === 0) await findPlace(records, { contact, somebodyElse: false, facts }, id);
}

/** The registrations of an edition at an e-mail address that may hold a place, the newest first. */
async function rowsAt(
  { database }: Records,
  email: string,
  edition: string,
): Promise<readonly RegistrationRow[]> {
  return database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .selectAll()
      .where('address', '=', email.toLowerCase())
      .where('edition', '=', edition)
      .where('standing', '!=', 'free')
      .orderBy('begunAt', 'desc')
      .execute(),
  );
}

async function isPaid({ stripe }: Records, { deposit }: RegistrationRow): Promise<boolean> {
  const intent = deposit === null ? undefined : await retrieveIntent(stripe, deposit);
  return intent !== undefined && isPaidInFull(intent);
}

/** Those whose cancellation is not carried out: until then it can be undone, and they keep their places. */
async function withoutCancelled(
  { database }: Records,
  rows: readonly RegistrationRow[],
): Promise<readonly RegistrationRow[]> {
  const deposits = rows.flatMap(({ deposit }) => deposit ?? []);
  if (deposits.length === 0) return [];
  const cancelled = await database.read((transaction) =>
    transaction
      .selectFrom('acts')
      .select('subject')
      .where('subject', 'in', deposits)
      .where('kind', '=', ACTS.cancelled)
      .execute(),
  );
  return rows.filter(({ deposit }) => !cancelled.some(({ subject }) => subject === deposit));
}
