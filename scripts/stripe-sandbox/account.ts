import { randomInt } from 'node:crypto';
import type Stripe from 'stripe';
import type { ErrorBody } from './answer.ts';
import type { CardBehaviour } from './test-cards.ts';

/** Where the sandbox takes the business time from, in milliseconds since the epoch. */
export type Clock = { now: () => number };

/** All that the sandbox holds, in the order of creation, and where its events go. */
export type Account = {
  charges: Map<string, Charge>;
  customers: Map<string, Customer>;
  paymentMethods: Map<string, StoredPaymentMethod>;
  paymentIntents: Map<string, PaymentIntent>;
  /** The business time in seconds, as `created` has it. */
  nowSeconds: () => number;
  publish: (type: EventType, object: object, call: ApiCall) => void;
};

/** A request to the API, as its endpoint sees it. */
export type ApiCall = {
  keyKind: 'secret' | 'publishable';
  /** The object id in the path, '' where the path holds none. */
  id: string;
  /** The form's or query's values, unchecked. */
  parameters: unknown;
  requestId: string;
  idempotencyKey: string | null;
};

/** One operation of the API: its answer's body, or an ApiError thrown. */
export type Endpoint = (call: ApiCall) => object;

/** What happened, named as Stripe names it. https://docs.stripe.com/api/events/types */
export type EventType =
  | 'customer.created'
  | 'customer.updated'
  | 'payment_intent.canceled'
  | 'payment_intent.created'
  | 'payment_intent.payment_failed'
  | 'payment_intent.requires_action'
  | 'payment_intent.succeeded';

type Address = Record<'line1' | 'line2' | 'city' | 'state' | 'postal_code' | 'country', string | null>;

/** The fields of Stripe's Customer that the sandbox keeps. */
export type Customer = Pick<
  Stripe.Customer,
  'id' | 'object' | 'created' | 'description' | 'email' | 'livemode' | 'metadata'
> & { name: string | null; phone: string | null; address: Address | null };

export type BillingDetails = {
  name: string | null;
  email: string | null;
  phone: string | null;
  address: Address | null;
};

type StripeCard = Stripe.PaymentMethod.Card;

/** The fields of Stripe's PaymentMethod that the sandbox keeps. */
export type PaymentMethod = Pick<
  Stripe.PaymentMethod,
  'id' | 'object' | 'created' | 'livemode' | 'metadata'
> & {
  type: 'card';
  customer: string | null;
  billing_details: BillingDetails;
  card: Pick<
    StripeCard,
    'brand' | 'display_brand' | 'exp_month' | 'exp_year' | 'fingerprint' | 'funding' | 'last4' | 'country'
  >;
};

/** A payment method and what its card does when it is charged. The number itself is never kept. */
export type StoredPaymentMethod = { paymentMethod: PaymentMethod; behaviour: CardBehaviour };

type ChargeFields =
  | ('id' | 'object' | 'amount' | 'amount_captured' | 'amount_refunded' | 'captured' | 'created' | 'currency')
  | ('description' | 'disputed' | 'failure_code' | 'failure_message' | 'livemode' | 'metadata' | 'paid')
  | ('receipt_email' | 'refunded');

/** The fields of Stripe's Charge that the sandbox keeps. */
export type Charge = Pick<Stripe.Charge, ChargeFields> & {
  customer: string | null;
  payment_intent: string;
  payment_method: string;
  status: 'succeeded' | 'failed';
};

type IntentFields =
  | ('id' | 'object' | 'amount' | 'amount_capturable' | 'amount_received' | 'canceled_at')
  | ('cancellation_reason' | 'capture_method' | 'confirmation_method' | 'created' | 'currency')
  | ('description' | 'livemode' | 'metadata' | 'payment_method_types' | 'receipt_email')
  | ('setup_future_usage' | 'status');

/** The fields of Stripe's PaymentIntent that the sandbox keeps. */
export type PaymentIntent = Pick<Stripe.PaymentIntent, IntentFields> & {
  allowed_payment_method_types: string[] | null;
  client_secret: string;
  customer: string | null;
  last_payment_error: LastPaymentError | null;
  latest_charge: string | null;
  next_action: { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_challenge' } } | null;
  payment_method: string | null;
};

export type LastPaymentError = ErrorBody & { payment_method?: PaymentMethod };

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits, unguessable. */
export function randomToken(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

/** An id in Stripe's style, e.g. `cus_` and 14 random characters. */
export function newObjectId(prefix: 'cus' | 'pi' | 'pm' | 'ch' | 'evt' | 'req'): string {
  return `${prefix}_${randomToken(prefix === 'cus' || prefix === 'req' ? 14 : 24)}`;
}
