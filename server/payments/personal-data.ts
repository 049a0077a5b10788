import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { addAct, blankActs } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import {
  comparableName,
  NOBODY,
  personColumns,
  type Registrant,
  registrantIn,
} from '#server/record/registrations.ts';
import type { Contact } from '#shared/registration.ts';
import { settlePlaces } from './record-payments.ts';

/** Who has a place from now on, and what is recorded of that. */
interface Holder {
  id: string;
  at: Date;
  by: string;
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
  const nameBefore = `${was.firstName} ${was.lastName}`.trim();
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, ...(of && { of: of.toISOString() }) };
  await transaction
    .updateTable('registrations')
    .set({
      ...{ ...personColumns(registrant, namesBefore), namesBefore, linksEpoch },
      ...{ lettersTo: addressDigest(registrant.email), begunWith: '', secretDigest: null, somebodyElse: 0 },
      ...{ askedAddress: null, askedAt: null, payingSince: null, answers: '' },
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

/** The columns of a registration that hold personal data, as they are without them. */
const BLANK = {
  ...personColumns(NOBODY),
  ...{ begunWith: '', lettersTo: '', namesBefore: '', askedAddress: null, askedAt: null, answers: '' },
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
