import type Stripe from 'stripe';
import { contactOf } from '#scripts/world/people.ts';
import { addressDigest } from '#server/payments/address-digest.ts';
import { ownMarks } from '#server/payments/recognise-deposit.ts';
import { NOTICED_MARK } from '#server/payments/registration-record.ts';
import { formatAgreement } from '#server/payments/terms-mark.ts';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { terms } from '#shared/content/compiled/on-sale/terms.ts';

const AT_ONCE = 20;

/**
 * Makes `count` registrations at Stripe whose balance is to be charged: deposit paid, consent and notice on
 * record.
 */
export async function prepareBalances(count: number, stripe: Stripe): Promise<void> {
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const hand = async (): Promise<void> => {
    for (const number of numbers) await prepareOne(number, stripe);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
}

async function prepareOne(number: number, stripe: Stripe): Promise<void> {
  const contact = contactOf(number);
  const noticed = {
    at: new Date(facts.balance.noticeAt),
    dueAt: new Date(facts.balance.chargeAt),
    cents: facts.prices.balanceCents,
    to: addressDigest(contact.email),
  };
  const { id: customer } = await stripe.customers.create({
    email: contact.email,
    metadata: { [NOTICED_MARK]: JSON.stringify(noticed) },
  });
  await stripe.paymentIntents.create({
    amount: facts.prices.depositCents,
    currency: 'usd',
    customer,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    payment_method: 'pm_card_visa',
    confirm: true,
    metadata: {
      ...contact,
      ...ownMarks(facts),
      terms: formatAgreement({ ...terms, agreedAt: new Date(facts.balance.noticeAt) }),
    },
  });
}
