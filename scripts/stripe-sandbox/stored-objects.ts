import type Stripe from 'stripe';
import type { ErrorBody } from './api-error.ts';
import type { CardBehaviour } from './test-cards.ts';

type Address = Record<'line1' | 'line2' | 'city' | 'state' | 'postal_code' | 'country', string | null>;

/** The fields of Stripe's Customer that the sandbox keeps. */
export type Customer = Pick<
  Stripe.Customer,
  'id' | 'object' | 'created' | 'description' | 'email' | 'livemode' | 'metadata'
> & { name: string | null; phone: string | null; address: Address | null };

/** Who pays, as the form told it. */
export type BillingDetails = {
  name: string | null;
  email: string | null;
  phone: string | null;
  address: Address | null;
};

/** The fields of Stripe's PaymentMethod that the sandbox keeps. */
export type PaymentMethod = Pick<
  Stripe.PaymentMethod,
  'id' | 'object' | 'created' | 'livemode' | 'metadata'
> & {
  type: 'card';
  customer: string | null;
  billing_details: BillingDetails;
  card: Pick<
    Stripe.PaymentMethod.Card,
    'brand' | 'display_brand' | 'exp_month' | 'exp_year' | 'fingerprint' | 'funding' | 'last4' | 'country'
  >;
};

/** A payment method and what its card does when it is charged. The number itself is never kept. */
export type StoredPaymentMethod = { paymentMethod: PaymentMethod; behaviour: CardBehaviour };

type StripeFields = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_capturable'
  | 'amount_received'
  | 'canceled_at'
  | 'cancellation_reason'
  | 'capture_method'
  | 'confirmation_method'
  | 'created'
  | 'currency'
  | 'description'
  | 'livemode'
  | 'metadata'
  | 'payment_method_types'
  | 'receipt_email'
  | 'setup_future_usage'
  | 'status'
>;

/** The fields of Stripe's PaymentIntent that the sandbox keeps. */
export type PaymentIntent = StripeFields & {
  allowed_payment_method_types: string[] | null;
  client_secret: string;
  customer: string | null;
  last_payment_error: LastPaymentError | null;
  latest_charge: string | null;
  next_action: { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_challenge' } } | null;
  payment_method: string | null;
};

/** Why the last attempt failed. */
export type LastPaymentError = ErrorBody & { payment_method?: PaymentMethod };

/** The fields of Stripe's Charge that the sandbox keeps. */
export type Charge = Pick<
  Stripe.Charge,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_captured'
  | 'amount_refunded'
  | 'captured'
  | 'created'
  | 'currency'
  | 'description'
  | 'disputed'
  | 'failure_code'
  | 'failure_message'
  | 'livemode'
  | 'metadata'
  | 'paid'
  | 'receipt_email'
  | 'refunded'
> & {
  customer: string | null;
  payment_intent: string;
  payment_method: string;
  status: 'succeeded' | 'failed';
};
