import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { beginHold } from '#server/database/hold.ts';
import type { Moment, RegistrationRow } from '#server/database/schema.ts';
import { editionOf, isDeposit, isPaidInFull } from '#server/stripe/payment-at-stripe.ts';
import { settlePlaces } from '#server/stripe/record-payments.ts';
import type { Contact } from '#shared/registration.ts';
import { addAct, blankActs, type Done, THE_WORKER } from './acts.ts';
import { ACTS } from './on-record.ts';
import {
  comparableName,
  findRow,
  NOBODY,
  nameOf,
  personColumns,
  type Registrant,
  registrantIn,
  secretDigest,
  UNTOUCHED,
} from './registrations.ts';

/** Who has a place from now on, and what is recorded of that. */
interface Holder extends Done {
  id: string;
  /** When it was decided. */
  of: Date;
  registrant: Registrant;
}

/** Writes who has a place from now on: all that was of the person who had it before ends. */
export async function writeHolder(
  transaction: Transaction,
  row: RegistrationRow,
  { id, at, by, of, registrant }: Holder,
): Promise<void> {
  const { deposit } = row;
  const linksEpoch = row.linksEpoch + 1;
  if (deposit === null) throw new Error(`${row.id} has no deposit`);
  // What is on record of others at her address may depend on it.
  await noteChange(transaction, deposit);
  const { timeZone: _, ...was } = registrantIn(row);
  const nameBefore = nameOf(was);
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, of: of.toISOString() };
  await transaction
    .updateTable('registrations')
    .set({
      ...personColumns(registrant, namesBefore),
      namesBefore,
      linksEpoch,
      letterWaits: 0 as const,
      begunWith: '',
      secretDigest: null,
      askedAddress: null,
      askedAt: null,
      heldBy: null,
      heldNetwork: null,
      payingSince: null,
      answers: '',
    })
    .where('deposit', '=', deposit)
    .execute();
  await addAct(transaction, { id, subject: deposit, kind: ACTS.handedOver, at, by, facts });
  await settlePlaces(transaction, [deposit]);
}

const LOST =
  'Stripe has a deposit of this site whose registration is missing: the register is older than it was.';

/** Who a customer is, as far as Stripe keeps that apart: the last word of the name is taken for the last name. */
export function registrantOfCustomer({ name, email, phone }: Stripe.Customer): Contact {
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}

/**
 * Records the registration of a paid deposit that is not on record, from its customer at Stripe. If its row was written
 * and is missing, also of an unpaid one, the register is older than it was: it is held.
 * @param intent with its customer expanded
 * @returns whether it is on record now; not without contact details, or for an edition that this release does not know
 */
export async function recoverRegistration(
  database: Database,
  intent: Stripe.PaymentIntent,
): Promise<boolean> {
  if (!isDeposit(intent)) return false;
  const customer = customerWithContact(intent);
  const edition = editionOf(intent)?.facts.id;
  const { id: deposit, created, metadata, client_secret: secret } = intent;
  const id = metadata.registration ?? deposit;
  const at = new Date(created * 1000);
  const begunAt = at.toISOString();
  const act = uuidV7();
  return database.write(async (transaction) => {
    if (await findRow(transaction, deposit)) return true;
    const [written] = await rowsWith(transaction, 'registrations', 'id', [id]);
    if (!written && !(await isReleasedSince(transaction, begunAt))) await beginHold(transaction, LOST);
    if (!isPaidInFull(intent) || !customer || edition === undefined) return false;
    const made = {
      customer: customer.id,
      deposit,
      standing: 'taken',
      secretDigest: secret && secretDigest(secret),
    } as const;
    await transaction
      .insertInto('registrations')
      .values({
        ...UNTOUCHED,
        id,
        edition,
        begunAt,
        heldUntil: begunAt,
        ...personColumns({ ...registrantOfCustomer(customer), timeZone: '' }),
        ...made,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(made))
      .execute();
    await addAct(transaction, { id: act, subject: deposit, kind: ACTS.recovered, at, by: THE_WORKER });
    await settlePlaces(transaction, [deposit]);
    return true;
  });
}

/** What was missing then is missing for good, such as a registration that nobody paid for: it holds nothing once more. */
async function isReleasedSince(transaction: Transaction, begunAt: Moment): Promise<boolean> {
  const released = await transaction
    .selectFrom('acts')
    .innerJoin('register', 'register.name', 'acts.subject')
    .select('acts.id')
    .where('acts.kind', '=', ACTS.released)
    .where('acts.at', '>=', begunAt)
    .limit(1)
    .executeTakeFirst();
  return released !== undefined;
}

const BLANK = {
  ...personColumns(NOBODY),
  heldBy: null,
  heldNetwork: null,
  begunWith: '',
  letterWaits: 0 as const,
  namesBefore: '',
  askedAddress: null,
  askedAt: null,
  answers: '',
};

/** Removes personal data from a registration, and from what is on record about it. */
export async function blankRegistration(transaction: Transaction, deposit: string): Promise<void> {
  await noteChange(transaction, deposit);
  await transaction.updateTable('registrations').set(BLANK).where('deposit', '=', deposit).execute();
  await blankActs(transaction, deposit);
}

/** Removes personal data from the registrations of an edition for which no payment was made. */
export async function blankBegun(database: Database, edition: string): Promise<void> {
  await database.write((transaction) =>
    transaction
      .updateTable('registrations')
      .set(BLANK)
      .where('edition', '=', edition)
      .where('deposit', 'is', null)
      .where('address', '!=', '')
      .execute(),
  );
}

/** The customer of a payment if it has contact details; undefined if not, or if somebody has deleted it. */
export function customerWithContact({ customer }: Stripe.PaymentIntent): Stripe.Customer | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { email, name, phone, address } = customer;
  return email || name || phone || address ? customer : undefined;
}

/** Removes everything that identifies a person from a customer. */
export async function emptyCustomer(stripe: Stripe, id: string): Promise<void> {
  await stripe.customers.update(id, { name: '', email: '', phone: '', address: '' });
}
