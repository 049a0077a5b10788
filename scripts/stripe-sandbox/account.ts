import { randomBytes } from 'node:crypto';
import Stripe from 'stripe';
import { resourceMissing } from './answer.ts';
import type {
  BalanceTransaction,
  Decline,
  DeletedCustomer,
  Event,
  HeldCard,
  Kind,
  Kinds,
} from './objects.ts';

/** The request that caused an event. */
export type Cause = { requestId: string | null; idempotencyKey: string | null };

/** The cause of an event that no request caused, such as a dispute. */
export const NO_REQUEST: Cause = { requestId: null, idempotencyKey: null };

type AnyObject = Kinds[Kind];

/** All that the sandbox holds, each kind in the order of creation, and where its events go. */
export class Account {
  readonly #objects = new Map<Kind, Map<string, AnyObject>>();
  /** About a deleted customer Stripe reports only that she was deleted. */
  readonly deleted = new Map<string, DeletedCustomer>();
  /** What the bank does with the card of a payment method, by its id. */
  readonly #cards = new Map<string, HeldCard>();
  /** The declines ordered for the next charges of a customer or a payment method, by its id. */
  readonly nextDeclines = new Map<string, Decline[]>();
  /** The changes of the balance that no payout holds yet, the oldest first. */
  unpaid: BalanceTransaction[] = [];
  /** The payout that holds a change of the balance, by the ids of both: the change itself does not name it. */
  readonly payoutOf = new Map<string, string>();
  /** The business time in seconds, as `created` has it. */
  readonly nowSeconds: () => number;
  readonly #send: (event: Event) => void;

  constructor(nowSeconds: () => number, send: (event: Event) => void) {
    this.nowSeconds = nowSeconds;
    this.#send = send;
  }

  /** Reports an event, named as Stripe names it. https://docs.stripe.com/api/events/types */
  publish(type: string, object: object, { requestId, idempotencyKey }: Cause): void {
    const event = this.save({
      ...{ id: newId('evt'), object: 'event', api_version: Stripe.API_VERSION, created: this.nowSeconds() },
      ...{ data: { object }, request: { id: requestId, idempotency_key: idempotencyKey }, type },
    });
    this.#send(event);
  }

  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#of(kind).values()].filter((object) => isOf(kind, object)).reverse();
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    const object = this.#of(kind).get(id);
    return object && isOf(kind, object) ? object : undefined;
  }

  /** The object of this id, of whatever kind, or what is left of a customer. */
  named(id: string): AnyObject | DeletedCustomer | undefined {
    for (const objects of this.#objects.values()) if (objects.has(id)) return objects.get(id);
    return this.deleted.get(id);
  }

  /** The object of this id, or Stripe's refusal: `param` names the parameter that the id came from. */
  find<K extends Kind>(kind: K, id: string, param?: string): Kinds[K] {
    const object = this.get(kind, id);
    if (!object) throw resourceMissing(kind, id, param);
    return object;
  }

  save<Saved extends AnyObject>(object: Saved): Saved {
    this.#of(object.object).set(object.id, object);
    return object;
  }

  /** Leaves only that the customer was deleted. */
  delete({ id }: Kinds['customer']): DeletedCustomer {
    const deleted = { id, object: 'customer', deleted: true } as const;
    this.#of('customer').delete(id);
    this.deleted.set(id, deleted);
    return deleted;
  }

  holdCard(paymentMethod: string, card: HeldCard): void {
    this.#cards.set(paymentMethod, card);
  }

  cardOf(paymentMethod: string): HeldCard {
    const card = this.#cards.get(paymentMethod);
    if (!card) throw new Error(`No card for ${paymentMethod}`);
    return card;
  }

  #of(kind: Kind): Map<string, AnyObject> {
    const objects = this.#objects.get(kind) ?? new Map<string, AnyObject>();
    this.#objects.set(kind, objects);
    return objects;
  }
}

function isOf<K extends Kind>(kind: K, object: AnyObject): object is Kinds[K] {
  return object.object === kind;
}

/** Random digits and letters, unguessable. */
export const randomToken = (): string => randomBytes(12).toString('hex');

/** An id in Stripe's style, such as `cus_` and 24 random characters. */
export const newId = (prefix: string): string => `${prefix}_${randomToken()}`;
