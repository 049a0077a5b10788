import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Database } from '#server/database/database.ts';
import type { Transaction } from '#server/database/engine.ts';
import { blankActs } from '#server/record/acts.ts';
import { personColumns } from '#server/record/registrations.ts';

/** The columns of a registration that hold personal data, as they are without them. */
const BLANK = {
  ...personColumns({ firstName: '', lastName: '', email: '', phoneNumber: '', timeZone: '' }),
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
