import type Stripe from 'stripe';

/**
 * What must be configured in Stripe's dashboard. The app logs it when it starts, and server/ops/README.md
 * lists it.
 * @see https://docs.stripe.com/keys/restricted-api-keys
 */
export const stripeSetup = {
  /** The events to be sent to the webhook. */
  events: [
    'payment_intent.succeeded',
    'payment_intent.payment_failed',
    'payment_intent.canceled',
    'charge.refunded',
    'charge.dispute.created',
    'charge.dispute.closed',
    'refund.created',
    'refund.updated',
    'refund.failed',
    'setup_intent.succeeded',
    'setup_intent.setup_failed',
    'payment_method.automatically_updated',
  ],
  /** A restricted key must be able to write these … */
  keyWrites: ['Customers', 'PaymentIntents', 'SetupIntents', 'PaymentMethods', 'Charges and Refunds'],
  /** … and to read these. */
  keyReads: ['Disputes', 'Events', 'Balance transaction sources', 'Payouts'],
} as const satisfies { events: readonly Stripe.Event['type'][]; [permission: string]: readonly string[] };
