import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';
import { type ErrorBody, resourceMissing } from './answer.ts';

/** Fields of one of Stripe's objects; other objects are named by their ids. */
type Kept<Full, Field extends keyof Full> = { [Name in Field]: Exclude<Full[Name], { object: string }> };

export type BillingDetails = Record<'name' | 'email' | 'phone', string | null> & {
  address: Readonly<Record<string, string | null>> | null;
};

export type Customer = Kept<Stripe.Customer, 'id' | 'object' | 'created' | 'metadata'> & BillingDetails;

export type DeletedCustomer = { id: string; object: 'customer'; deleted: true };

type Card = Kept<
  Stripe.PaymentMethod.Card,
  'brand' | 'exp_month' | 'exp_year' | 'last4' | 'country' | 'funding'
>;

export type PaymentMethod = Kept<Stripe.PaymentMethod, 'id' | 'object' | 'type' | 'created' | 'customer'> & {
  billing_details: BillingDetails;
  card: Card;
};

type ChargeField =
  | ('id' | 'object' | 'amount' | 'amount_refunded' | 'balance_transaction' | 'created' | 'currency')
  | ('customer' | 'disputed' | 'failure_code' | 'metadata' | 'receipt_email' | 'status');

export type Charge = Kept<Stripe.Charge, ChargeField> & {
  billing_details: BillingDetails;
  payment_intent: string;
  payment_method: string;
  payment_method_details: { type: 'card'; card: Card };
};

type RefundField = 'id' | 'object' | 'amount' | 'balance_transaction' | 'created' | 'currency' | 'reason';

export type Refund = Kept<Stripe.Refund, RefundField> &
  Partial<Kept<Stripe.Refund, 'failure_balance_transaction' | 'failure_reason' | 'pending_reason'>> & {
    charge: string;
    metadata: Stripe.Metadata;
    payment_intent: string;
    payment_method: string;
    status: 'canceled' | 'failed' | 'pending' | 'succeeded';
  };

type DisputeField = 'id' | 'object' | 'amount' | 'created' | 'currency' | 'is_charge_refundable' | 'reason';

export type Dispute = Kept<Stripe.Dispute, DisputeField | 'status'> & {
  /** Each withdrawal, then its reinstatement. */
  balance_transactions: readonly BalanceTransaction[];
  charge: string;
  evidence_details: { due_by: number };
  payment_intent: string;
};

/** What the bank advises after a decline. https://docs.stripe.com/declines/card#retrying-issuer-declines */
export type AdviceCode = 'confirm_card_data' | 'do_not_try_again' | 'try_again_later';

export type Decline = {
  code: string;
  message: string;
  decline_code: string | undefined;
  advice_code: AdviceCode | undefined;
};

/** What the bank of a card does; where nothing is said, it pays at once and is never disputed. */
export type Behaviour = {
  /** When the bank requires 3-D Secure, besides every payment at which the cardholder is present. */
  asks?: 'always' | 'unless-set-up';
  /** How the bank declines every charge, after authentication if it requires that. */
  declines?: string;
  /** Whether a card whose charges are declined can be stored nevertheless. */
  storable?: true;
  refunds?: 'pending-first' | 'fail-later';
  /** The status of the dispute that follows every charge. */
  disputes?: 'needs_response' | 'warning_needs_response';
};

type HeldCard = Omit<Behaviour, 'declines'> & {
  decline: Decline | null;
  /** Whether its owner agreed to off-session payments, and authenticated if required. */
  setUp: boolean;
  /** Whether it was used without belonging to a customer, or was detached: it cannot be used again. */
  spent: boolean;
};

export type AttemptError = ErrorBody & { payment_method: PaymentMethod };

export type NextAction =
  | { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_challenge' } }
  | { type: 'redirect_to_url'; redirect_to_url: { url: string; return_url: string } };

type Confirmable = {
  id: string;
  client_secret: string;
  created: number;
  customer: string | null;
  metadata: Stripe.Metadata;
  next_action: NextAction | null;
  payment_method: string | null;
  cancellation_reason: 'abandoned' | 'automatic' | null;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
};

type PaymentField =
  | ('object' | 'amount' | 'amount_received' | 'canceled_at' | 'currency' | 'description' | 'latest_charge')
  | ('receipt_email' | 'setup_future_usage' | 'statement_descriptor_suffix');

export type PaymentIntent = Kept<Stripe.PaymentIntent, PaymentField> &
  Confirmable & { last_payment_error: AttemptError | null };

export type SetupIntent = Kept<Stripe.SetupIntent, 'object' | 'usage'> &
  Confirmable & { last_setup_error: AttemptError | null };

export type Intent = PaymentIntent | SetupIntent;

type SessionField =
  | ('id' | 'object' | 'cancel_url' | 'created' | 'customer' | 'customer_email' | 'expires_at')
  | ('mode' | 'status' | 'url');

export type CheckoutSession = Kept<Stripe.Checkout.Session, SessionField> & {
  metadata: Stripe.Metadata;
  setup_intent: string;
  success_url: string;
};

type ChangeField = 'id' | 'object' | 'amount' | 'available_on' | 'created' | 'currency' | 'fee' | 'net';

/** A change of the account's balance, in cents: what it paid out or gave back is negative. */
export type BalanceTransaction = Kept<Stripe.BalanceTransaction, ChangeField> & {
  reporting_category: 'charge' | 'refund' | 'refund_failure' | 'dispute' | 'dispute_reversal' | 'payout';
  source: string;
};

type PayoutField = 'id' | 'object' | 'amount' | 'arrival_date' | 'automatic' | 'created' | 'currency';

export type Payout = Kept<Stripe.Payout, PayoutField | 'reconciliation_status' | 'status'>;

export type Event = Pick<Stripe.Event, 'id' | 'object' | 'created'> & {
  type: string;
  data: { object: object; previous_attributes?: object };
};

export type WebhookEndpoint = Kept<
  Stripe.WebhookEndpoint,
  'id' | 'object' | 'api_version' | 'created' | 'enabled_events' | 'livemode' | 'status' | 'url'
>;

export type Kinds = {
  balance_transaction: BalanceTransaction;
  charge: Charge;
  'checkout.session': CheckoutSession;
  customer: Customer;
  dispute: Dispute;
  event: Event;
  payment_intent: PaymentIntent;
  payment_method: PaymentMethod;
  payout: Payout;
  refund: Refund;
  setup_intent: SetupIntent;
  webhook_endpoint: WebhookEndpoint;
};

export type Kind = keyof Kinds;

type AnyObject = Kinds[Kind];

const EVENTS_KEPT_S = 30 * 24 * 60 * 60;

export class Account {
  readonly #objects = new Map<string, AnyObject>();
  /** About a deleted customer Stripe reports only that she was deleted. */
  readonly deleted = new Map<string, DeletedCustomer>();
  /** What the bank does with the card of a payment method, by its id. */
  readonly cards = new Map<string, HeldCard>();
  /** The bank's answers ordered for the next charges of a customer or a payment method, by its id. */
  readonly nextCharges = new Map<string, (Decline | 'processing')[]>();
  /** The payment intents that Stripe cancels when their next attempt fails. */
  readonly lastAttempts = new Set<string>();
  /** The customers whose bank asks them at the next payment at which they are present. */
  readonly asksNext = new Set<string>();
  /** The changes of the balance that no payout holds yet, the oldest first. */
  unpaid: BalanceTransaction[] = [];
  /** The payout that holds a change of the balance, by the ids of both: the change itself does not name it. */
  readonly payoutOf = new Map<string, string>();
  url = '';
  readonly nowSeconds: () => number;
  readonly #send: (event: Event) => void;

  constructor(nowSeconds: () => number, send: (event: Event) => void) {
    this.nowSeconds = nowSeconds;
    this.#send = send;
  }

  /** Reports an event, and what it changed as that was before. https://docs.stripe.com/api/events/types */
  publish(type: string, object: object, previous_attributes?: object): void {
    const created = this.nowSeconds();
    const data = { object, ...(previous_attributes && { previous_attributes }) };
    this.#send(this.save({ id: newId('evt'), object: 'event', created, data, type }));
  }

  /** The newest first. Events are there for thirty days only. https://docs.stripe.com/api/events */
  all<K extends Kind>(kind: K): Kinds[K][] {
    const since = kind === 'event' ? this.nowSeconds() - EVENTS_KEPT_S : -Infinity;
    const all = [...this.#objects.values()].filter((object) => isOf(kind, object));
    return all.filter(({ created }) => created >= since).reverse();
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    const object = this.#objects.get(id);
    return object && isOf(kind, object) ? object : undefined;
  }

  named(id: string): AnyObject | DeletedCustomer | undefined {
    return this.#objects.get(id) ?? this.deleted.get(id);
  }

  /** The object of this id, or Stripe's refusal: `param` names the parameter that the id came from. */
  find<K extends Kind>(kind: K, id: string, param?: string): Kinds[K] {
    const object = this.get(kind, id);
    if (!object) throw resourceMissing(kind, id, param);
    return object;
  }

  save<Saved extends AnyObject>(object: Saved): Saved {
    this.#objects.set(object.id, object);
    return object;
  }

  delete(id: string): DeletedCustomer {
    this.#objects.delete(id);
    const deleted = { id, object: 'customer', deleted: true } as const;
    this.deleted.set(id, deleted);
    return deleted;
  }

  cardOf(paymentMethod: string): HeldCard {
    const card = this.cards.get(paymentMethod);
    if (!card) throw new Error(`No card for ${paymentMethod}`);
    return card;
  }
}

function isOf<K extends Kind>(kind: K, object: AnyObject): object is Kinds[K] {
  return object.object === kind;
}

export const randomToken = (): string => randomBytes(12).toString('hex');

export const newId = (prefix: string): string => `${prefix}_${randomToken()}`;
