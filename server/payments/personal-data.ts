import type Stripe from 'stripe';
import { MADE_WITH } from './create-deposit.ts';
import { OFFICE_TOLD } from './deposit-letters.ts';
import { RECORD_MARKS } from './recognise-deposit.ts';

/**
 * Metadata of a deposit without what a visitor told of herself, what that was before, and what was worked out from it:
 * Stripe removes what is empty.
 */
export const NO_TRACES = {
  ...{ firstName: '', lastName: '', email: '', phoneNumber: '', timeZone: '' },
  ...Object.fromEntries(Object.values(RECORD_MARKS.corrected).map((mark) => [mark, ''])),
  ...{ [RECORD_MARKS.addressAsked]: '', [MADE_WITH]: '', [OFFICE_TOLD]: '' },
};

/** Whether metadata hold personal data. */
export function isPersonal(metadata: Stripe.Metadata): boolean {
  return Object.keys(NO_TRACES).some((name) => metadata[name] !== undefined);
}

/** A customer with contact details; undefined for one without, and for one that somebody has deleted. */
export function customerWithContact({ customer }: Stripe.PaymentIntent): Stripe.Customer | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { email, name, phone, address } = customer;
  return email || name || phone || address ? customer : undefined;
}

/** Takes all that names a person from a customer. Her marks stay. */
export async function emptyCustomer(stripe: Stripe, id: string): Promise<void> {
  await stripe.customers.update(id, { name: '', email: '', phone: '', address: '' });
}
