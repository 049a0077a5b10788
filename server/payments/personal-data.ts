import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/job.ts';
import { addAct, blankActs, type Done, THE_WORKER } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { editionOf, isPaidInFull } from '#server/record/payment-at-stripe.ts';
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
} from '#server/record/registrations.ts';
import type { Contact } from '#shared/registration.ts';
import { settlePlaces } from './record-payments.ts';

/** Who has a place from now on, and what is recorded of that. */
interface Holder extends Done {
  id: string;
  /** When it was decided. */
  of?: Date;
  registrant: Registrant;
  linksEpoch: number;
}

/** Writes who has a place from now on: all that was of the person who had it before ends. */
export async function writeHolder(
  transaction: Transaction,
  row: RegistrationRow,
  { id, at, by, of, registrant, linksEpoch }: Holder,
): Promise<void> {
  const { deposit } = row;
  if (deposit === null) throw new Error(`${row.id} has no deposit`);
  // What is on record of others at her address may depend on it.
  await noteChange(transaction, deposit);
  const { timeZone: _, ...was } = registrantIn(row);
  const nameBefore = nameOf(was);
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, ...(of && { of: of.toISOString() }) };
  await transaction
    .updateTable('registrations')
    .set({
      ...personColumns(registrant, namesBefore),
      namesBefore,
      linksEpoch,
      lettersTo: addressDigest(registrant.email),
      begunWith: '',
      secretDigest: null,
      somebodyElse: 0,
      askedAddress: null,
      askedAt: null,
      payingSince: null,
      answers: '',
    })
    .where('deposit', '=', deposit)
    .execute();
  await addAct(transaction, { id, subject: deposit, kind: ACTS.handedOver, at, by, facts });
  await settlePlaces(transaction, [deposit]);
}

/** Who a customer is, as far as Stripe keeps that apart: the last word of the name is taken for the last name. */
export function registrantOfCustomer({ name, email, phone }: Stripe.Customer): Contact {
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}

/**
 * Records the registration of a paid deposit that is not on record, from its customer at Stripe: it was written after the
 * copy from which the register was restored.
 * @param intent with its customer expanded
 * @returns whether it is on record now; not without contact details, or for an edition that this release does not know
 */
export async function recoverRegistration(
  database: Database,
  intent: Stripe.PaymentIntent,
): Promise<boolean> {
  const customer = customerWithContact(intent);
  const edition = editionOf(intent)?.facts.id;
  if (!isPaidInFull(intent) || !customer || edition === undefined) return false;
  const { id: deposit, created, metadata, client_secret: secret } = intent;
  const made = {
    customer: customer.id,
    deposit,
    standing: 'taken',
    secretDigest: secret && secretDigest(secret),
  } as const;
  const at = new Date(created * 1000);
  const begunAt = at.toISOString();
  await database.write(async (transaction) => {
    if (await findRow(transaction, deposit)) return;
    await transaction
      .insertInto('registrations')
      .values({
        ...UNTOUCHED,
        id: metadata.registration ?? deposit,
        edition,
        begunAt,
        heldUntil: begunAt,
        ...personColumns({ ...registrantOfCustomer(customer), timeZone: '' }),
        ...made,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(made))
      .execute();
    const act = { id: uuidV7(), subject: deposit, kind: ACTS.recovered, at, by: THE_WORKER };
    await addAct(transaction, act);
    await settlePlaces(transaction, [deposit]);
  });
  return true;
}

const BLANK = {
  ...personColumns(NOBODY),
  heldBy: null,
  heldNetwork: null,
  begunWith: '',
  lettersTo: '',
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
