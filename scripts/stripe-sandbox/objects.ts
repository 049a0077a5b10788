import type Stripe from 'stripe';
import type { ErrorBody } from './answer.ts';

type Address = Record<'line1' | 'line2' | 'city' | 'state' | 'postal_code' | 'country', string | null>;

/** The fields of Stripe's Customer that the sandbox keeps. */
export type Customer = Pick<
  Stripe.Customer,
  'id' | 'object' | 'created' | 'description' | 'email' | 'livemode' | 'metadata'
> & { name: string | null; phone: string | null; address: Address | null };

/** The fields of Stripe's Product that the sandbox keeps. */
export type Product = Pick<
  Stripe.Product,
  'id' | 'object' | 'active' | 'created' | 'description' | 'livemode' | 'metadata' | 'name' | 'updated'
>;
/** What Stripe answers for a customer that was deleted. */
export type DeletedCustomer = { id: string; object: 'customer'; deleted: true };

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

/** What the bank advises after a decline. https://docs.stripe.com/declines/card#retrying-issuer-declines */
export type AdviceCode = 'confirm_card_data' | 'do_not_try_again' | 'try_again_later';

/** Why a card is declined: in Stripe's words for the cardholder, in the bank's codes for the merchant. */
export type Decline = {
  code: string;
  declineCode?: string;
  message: string;
  adviceCode?: AdviceCode;
  /** Two digits of the card network. */
  networkAdviceCode?: string;
  networkDeclineCode?: string;
};

/** What the bank of a card does. */
export type CardBehaviour = {
  /**
   * When the bank requires 3-D Secure. `always`: for every payment. `unless-set-up`: for every payment,
   * except off-session payments with a card that was set up for them. `on-session`: for all payments that are
   * not off-session.
   */
  authentication: 'never' | 'always' | 'unless-set-up' | 'on-session';
  /** How the bank declines every charge, after authentication if it requires that. */
  decline: Decline | null;
  /** Whether a card whose charges are declined can be stored nevertheless. */
  attaches: boolean;
  refund: 'at-once' | 'pending-first' | 'fails-later';
  /** Why every charge is disputed, right after it. */
  dispute: DisputeReason | null;
};

/** A payment method and what its bank does. The number itself is never stored. */
export type StoredPaymentMethod = {
  paymentMethod: PaymentMethod;
  behaviour: CardBehaviour;
  /** Whether its owner agreed to off-session payments, and authenticated if required. */
  setUpForOffSession: boolean;
  /**
   * Whether it was used without belonging to a customer, or was detached from its customer: it cannot be used
   * again.
   */
  spent: boolean;
};

type ChargeFields =
  | ('id' | 'object' | 'amount' | 'amount_captured' | 'amount_refunded' | 'captured' | 'created' | 'currency')
  | ('description' | 'disputed' | 'failure_code' | 'failure_message' | 'livemode' | 'metadata' | 'outcome')
  | ('paid' | 'receipt_email' | 'refunded');

/** The fields of Stripe's Charge that the sandbox keeps. */
export type Charge = Pick<Stripe.Charge, ChargeFields> & {
  billing_details: BillingDetails;
  customer: string | null;
  payment_intent: string;
  payment_method: string;
  payment_method_details: { type: 'card'; card: Omit<PaymentMethod['card'], 'display_brand'> };
  status: 'succeeded' | 'failed';
};

type RefundFields = 'id' | 'object' | 'amount' | 'created' | 'currency' | 'failure_reason' | 'receipt_number';

/** The fields of Stripe's Refund that the sandbox keeps. */
export type Refund = Pick<Stripe.Refund, RefundFields> & {
  charge: string;
  customer: string | null;
  metadata: Record<string, string>;
  payment_intent: string;
  payment_method: string;
  pending_reason?: 'processing';
  reason: 'duplicate' | 'fraudulent' | 'requested_by_customer' | null;
  status: 'failed' | 'pending' | 'succeeded';
};

type DisputeFields =
  | 'id'
  | 'object'
  | 'amount'
  | 'balance_transactions'
  | 'created'
  | 'currency'
  | 'metadata';

/** The fields of Stripe's Dispute that the sandbox keeps. */
export type Dispute = Pick<Stripe.Dispute, DisputeFields | 'is_charge_refundable' | 'livemode'> & {
  charge: string;
  payment_intent: string;
  reason: DisputeReason;
  status: 'needs_response' | 'won' | 'lost';
};

export type DisputeReason = 'fraudulent' | 'product_not_received';

type IntentFields =
  | ('id' | 'object' | 'amount' | 'amount_capturable' | 'amount_received' | 'canceled_at')
  | ('cancellation_reason' | 'capture_method' | 'confirmation_method' | 'created' | 'currency')
  | ('description' | 'livemode' | 'metadata' | 'payment_method_types' | 'receipt_email')
  | ('setup_future_usage' | 'status');

/** What payment intents and setup intents have in common. */
type Confirmable = {
  allowed_payment_method_types: string[] | null;
  client_secret: string;
  customer: string | null;
  next_action: { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_challenge' } } | null;
  payment_method: string | null;
};

/** The fields of Stripe's PaymentIntent that the sandbox keeps. */
export type PaymentIntent = Pick<Stripe.PaymentIntent, IntentFields> &
  Confirmable & { last_payment_error: AttemptError | null; latest_charge: string | null };

type SetupFields =
  | ('id' | 'object' | 'cancellation_reason' | 'created' | 'description' | 'livemode')
  | ('payment_method_types' | 'status');

/** The fields of Stripe's SetupIntent that the sandbox keeps. */
export type SetupIntent = Pick<Stripe.SetupIntent, SetupFields> &
  Confirmable & {
    last_setup_error: AttemptError | null;
    metadata: Record<string, string>;
    usage: 'off_session' | 'on_session';
  };

/** Why the last attempt to pay or to store a card failed. */
export type AttemptError = ErrorBody & { payment_method?: PaymentMethod };
