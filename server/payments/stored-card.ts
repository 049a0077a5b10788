import type Stripe from 'stripe';

/**
 * What the networks are told that a card is stored for: one purchase that is paid in parts, each with the sum and the day that
 * she agreed to. Stripe knows `recurring`, for a subscription, and `unscheduled`, for charges without a day, besides.
 * @see https://docs.stripe.com/payments/cards/save-and-reuse
 */
const USAGE = 'installment';

/** Options of a payment or a setup that stores her card while she is present. */
export const STORING = { card: { setup_credential_usage: USAGE } } as const;

/** Options of the confirmation that charges the stored card without her. */
export const CHARGING_STORED = { card: { stored_credential_usage: USAGE } } as const;

/**
 * A payment as she can confirm it herself: a try without her leaves its indicator on the payment, and it must not say of
 * her own confirmation that she was not present.
 */
export async function toBeConfirmedByHer(
  stripe: Stripe,
  open: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  if (!open.payment_method_options?.card?.stored_credential_usage) return open;
  return stripe.paymentIntents.update(open.id, { payment_method_options: { card: '' } });
}
