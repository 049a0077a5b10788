/**
 * Names the purchase that a payment is, to the measurement pixel. Whoever reports the same purchase from elsewhere,
 * such as from Stripe's webhook, derives the same id from the same PaymentIntent, and it counts once.
 */
export function purchaseEventId(paymentIntentId: string): string {
  return `purchase-${paymentIntentId}`;
}
