import { randomBytes } from 'node:crypto';
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

type AnyObject = Kinds[Kind];

/** All that the sandbox holds, in the order of creation, and where its events go. */
export class Account {
  readonly #objects = new Map<string, AnyObject>();
  /** About a deleted customer Stripe reports only that she was deleted. */
  readonly deleted = new Map<string, DeletedCustomer>();
  /** What the bank does with the card of a payment method, by its id. */
  readonly #cards = new Map<string, HeldCard>();
  /** The declines ordered for the next charges of a customer or a payment method, by its id. */
  readonly nextDeclines = new Map<string, Decline[]>();
  /** The number of the card in the wallets of all visitors' devices; undefined while they have no wallet. */
  walletCard: string | undefined;
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
  publish(type: string, object: object): void {
    const event = this.save({
      id: newId('evt'),
      object: 'event',
      created: this.nowSeconds(),
      data: { object },
      type,
    });
    this.#send(event);
  }

  /** The newest first. */
  all<K extends Kind>(kind: K): Kinds[K][] {
    return [...this.#objects.values()].filter((object) => isOf(kind, object)).reverse();
  }

  get<K extends Kind>(kind: K, id: string): Kinds[K] | undefined {
    const object = this.#objects.get(id);
    return object && isOf(kind, object) ? object : undefined;
  }

  /** The object of this id, of whatever kind, or what is left of a customer. */
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

  /** Leaves only that the customer was deleted. */
  delete({ id }: Kinds['customer']): DeletedCustomer {
    const deleted = { id, object: 'customer', deleted: true } as const;
    this.#objects.delete(id);
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
}

function isOf<K extends Kind>(kind: K, object: AnyObject): object is Kinds[K] {
  return object.object === kind;
}

/** Random digits and letters, unguessable. */
export const randomToken = (): string => randomBytes(12).toString('hex');

/** An id in Stripe's style, such as `cus_` and 24 random characters. */
export const newId = (prefix: string): string => `${prefix}_${randomToken()}`;
