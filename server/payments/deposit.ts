import type Stripe from 'stripe';
import type { RegistrationMail } from '#server/mail/job.ts';
import { lettersOwed } from '#server/record/deposit-letters.ts';
import { readOnRecord } from '#server/record/on-record.ts';
import { ownMarks } from '#server/record/recognise-deposit.ts';
import type { Deposit } from '#server/record/registrations.ts';
import { dialledNumber } from '#shared/phone-number.ts';
import type { Contact } from '#shared/registration.ts';
import type { Records } from './find-registration.ts';

/** The longest phone number Stripe keeps with a customer; the register holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** The deposit's PaymentIntent, as far as this site needs it. */
export interface DepositPayment {
  id: string;
  clientSecret: string;
  /** What it charges, in US cents. */
  amountCents: number;
  /** The letters that are due now. */
  letters: readonly RegistrationMail[];
}

/**
 * The registrant as Stripe's customer. The address is in lower case, because Stripe's list filter is
 * case-sensitive.
 */
export function customerOf({ firstName, lastName, email, phoneNumber }: Contact) {
  return {
    name: `${firstName} ${lastName}`,
    email: email.toLowerCase(),
    phone: dialledNumber(phoneNumber).slice(0, CUSTOMER_PHONE_LENGTH),
  };
}

/** What the payment of a registration says, at today's price: nothing personal but the address of Stripe's receipt. */
export function intentDetailsOf(
  { contact, facts }: Pick<Deposit, 'contact' | 'facts'>,
  registration: string,
) {
  return {
    amount: facts.prices.depositCents,
    description: facts.retreatPackage.description,
    receipt_email: contact.email,
    metadata: { ...ownMarks(facts), registration },
  };
}

/** The intent, which must be on record, as this site needs it. */
export async function paymentOf(
  records: Pick<Records, 'database'>,
  intent: Stripe.PaymentIntent,
): Promise<DepositPayment> {
  const { id, client_secret: clientSecret, amount: amountCents } = intent;
  if (!clientSecret) throw new Error(`Stripe gave ${id} without a client secret`);
  const onRecord = await readOnRecord(records, id);
  return { id, clientSecret, amountCents, letters: lettersOwed(onRecord) };
}
