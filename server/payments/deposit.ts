import type Stripe from 'stripe';
import type { Contact } from '#shared/registration.ts';
import type { RetreatPackage } from '#shared/retreat-package.ts';

/** The longest phone number Stripe keeps with a customer; the metadata holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** Who pays the deposit of which package. */
export interface Deposit {
  contact: Contact;
  retreatPackage: RetreatPackage;
  /** The registrant's own, by its IANA name, or ''. */
  timeZone: string;
}

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
}

/** The registrant as Stripe's customer. */
export function customerOf({ firstName, lastName, email, phoneNumber }: Contact) {
  return {
    name: `${firstName} ${lastName}`,
    email,
    phone: diallable(phoneNumber),
  };
}

/** Without separators and extension. */
function diallable(phoneNumber: string): string {
  const [number = ''] = phoneNumber.split(/[x#e]/i);
  return number.replace(/[^\d+]/g, '').slice(0, CUSTOMER_PHONE_LENGTH);
}

/** What the intent says of the registration: the contact details as they were typed, and the package. */
export function detailsOf({ contact, retreatPackage, timeZone }: Deposit) {
  return { receipt_email: contact.email, metadata: { ...contact, package: retreatPackage.id, timeZone } };
}

/** Whether an intent says just this of the registration already. Stripe keeps no empty values. */
export function saysTheSame({ metadata }: Stripe.PaymentIntent, deposit: Deposit): boolean {
  const details = Object.entries(detailsOf(deposit).metadata);
  return details.every(([name, value]) => (metadata[name] ?? '') === value);
}

/** The intent as this site needs it. */
export function paymentOf({ id, client_secret, amount }: Stripe.PaymentIntent): DepositPayment {
  if (!client_secret) throw new Error(`Stripe gave ${id} without a client secret`);
  return { id, clientSecret: client_secret, amountCents: amount };
}
