import type Stripe from 'stripe';
import { MADE_WITH } from './create-deposit.ts';
import { RECORD_MARKS } from './recognise-deposit.ts';

/**
 * Metadata that remove a visitor's personal data from a deposit: what she entered, its earlier values, and
 * what was derived from it. Stripe removes keys with empty values.
 */
export const NO_TRACES = {
  ...{ firstName: '', lastName: '', email: '', phoneNumber: '', timeZone: '' },
  ...Object.fromEntries(Object.values(RECORD_MARKS.corrected).map((mark) => [mark, ''])),
  ...{ [RECORD_MARKS.addressAsked]: '', [MADE_WITH]: '' },
};

/** Whether metadata hold personal data. */
export function isPersonal(metadata: Stripe.Metadata): boolean {
  return Object.keys(NO_TRACES).some((name) => metadata[name] !== undefined);
}

/** The customer of a payment if it has contact details; undefined if not, or if somebody has deleted it. */
export function customerWithContact({ customer }: Stripe.PaymentIntent): Stripe.Customer | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { email, name, phone, address } = customer;
  return email || name || phone || address ? customer : undefined;
}

/** Removes everything that identifies a person from a customer. The site's marks are kept. */
export async function emptyCustomer(stripe: Stripe, id: string): Promise<void> {
  await stripe.customers.update(id, { name: '', email: '', phone: '', address: '' });
}
