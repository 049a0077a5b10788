import type { Charge, Customer, PaymentIntent, StoredPaymentMethod } from './stored-objects.ts';

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

/** All that the sandbox holds, in the order of creation, and where its events go. */
export type Account = {
  charges: Map<string, Charge>;
  customers: Map<string, Customer>;
  paymentMethods: Map<string, StoredPaymentMethod>;
  paymentIntents: Map<string, PaymentIntent>;
  nowSeconds: () => number;
  publish: (type: EventType, object: object, call: ApiCall) => void;
};
