import { randomInt } from 'node:crypto';
import type {
  Charge,
  Customer,
  Decline,
  DeletedCustomer,
  Dispute,
  PaymentIntent,
  Product,
  Refund,
  SetupIntent,
  StoredPaymentMethod,
} from './objects.ts';

/** The source of the sandbox's business time, in milliseconds since the epoch. */
export type Clock = { now: () => number };

/** All that the sandbox holds, in the order of creation, and where its events go. */
export type Account = {
  charges: Map<string, Charge>;
  customers: Map<string, Customer>;
  /** By id: about a deleted customer Stripe reports only that she was deleted. */
  deletedCustomers: Map<string, DeletedCustomer>;
  disputes: Map<string, Dispute>;
  paymentMethods: Map<string, StoredPaymentMethod>;
  paymentIntents: Map<string, PaymentIntent>;
  products: Map<string, Product>;
  refunds: Map<string, Refund>;
  setupIntents: Map<string, SetupIntent>;
  /** The declines ordered for the next charges of a customer or a payment method, by its id. */
  nextDeclines: Map<string, Decline[]>;
  /** The business time in seconds, as `created` has it. */
  nowSeconds: () => number;
  publish: (type: EventType, object: object, cause: Cause) => void;
};

/** The request that caused an event. */
export type Cause = { requestId: string | null; idempotencyKey: string | null };

/** The cause of an event that no request caused, such as a dispute. */
export const NO_REQUEST: Cause = { requestId: null, idempotencyKey: null };

/** A request to the API, as its endpoint sees it. */
export type ApiCall = Cause & {
  keyKind: 'secret' | 'publishable';
  /** The object's id in the path, and its owner's id in the path; '' where the path contains none. */
  id: string;
  ownerId: string;
  /** The form's or query's values, unchecked. */
  parameters: unknown;
  requestId: string;
};

/** One operation of the API: its answer's body, or an ApiError thrown. */
export type Endpoint = (call: ApiCall) => object;

/** What happened, named as Stripe names it. https://docs.stripe.com/api/events/types */
export type EventType =
  | `charge.${'dispute.closed' | 'dispute.created' | 'refunded'}`
  | `customer.${'created' | 'deleted' | 'updated'}`
  | `payment_intent.${'canceled' | 'created' | 'payment_failed' | 'requires_action' | 'succeeded'}`
  | `product.${'created' | 'updated'}`
  | `refund.${'created' | 'failed' | 'updated'}`
  | `setup_intent.${'canceled' | 'created' | 'requires_action' | 'setup_failed' | 'succeeded'}`;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random letters and digits, unguessable. */
export function randomToken(length: number): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
}

type Prefix = 'ch' | 'cus' | 'du' | 'evt' | 'pi' | 'pm' | 'prod' | 're' | 'req' | 'seti';

/** An id in Stripe's style, e.g. `cus_` and 14 random characters. */
export function newObjectId(prefix: Prefix): string {
  return `${prefix}_${randomToken(['cus', 'prod', 'req'].includes(prefix) ? 14 : 24)}`;
}
