import type Stripe from 'stripe';

/** An upper limit that no real payment reaches. */
const MOST_REFUNDS = 1_000;

/**
 * A payment with all refunds of its expanded charge. Stripe includes only the ten newest; hardly any charge
 * has more.
 * @see https://docs.stripe.com/api/charges/object#charge_object-refunds
 */
export async function withAllRefunds(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
): Promise<Stripe.PaymentIntent> {
  const charge = intent.latest_charge;
  if (!charge || typeof charge === 'string' || !charge.refunds?.has_more) return intent;
  const list = stripe.refunds.list({ charge: charge.id, limit: 100 });
  const data = await list.autoPagingToArray({ limit: MOST_REFUNDS });
  const refunds = { ...charge.refunds, data, has_more: false };
  return { ...intent, latest_charge: { ...charge, refunds } };
}
