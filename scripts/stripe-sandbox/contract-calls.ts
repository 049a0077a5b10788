import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';

/** An account to be held to the contract: one at Stripe, in test mode, or a sandbox. */
export type Host = {
  stripe: Stripe;
  /** Lets a refund of the card 5126 fail; at Stripe it does so by itself. */
  failRefund: (id: string) => void;
};

type Connected = Pick<Host, 'stripe'>;

export const CENTS = 5_000;
export const CARD_ONLY = {
  amount: CENTS,
  currency: 'usd',
  allowed_payment_method_types: ['card'],
} satisfies Stripe.PaymentIntentCreateParams;

/** How a stored card is charged while its owner is not present. */
export const withoutHer = {
  off_session: true,
  payment_method_options: { card: { stored_credential_usage: 'installment' } },
} as const;

export async function pay(host: Connected, payment_method: string) {
  const { id } = await host.stripe.paymentIntents.create({ ...CARD_ONLY, confirm: true, payment_method });
  return { payment_intent: id, charge: await chargeOf(host, id) };
}

export async function chargeOf({ stripe }: Connected, payment_intent: string): Promise<Stripe.Charge> {
  const [charge] = (await stripe.charges.list({ payment_intent })).data;
  if (!charge) throw new Error(`${payment_intent} has no charge`);
  return charge;
}

/** A customer with a stored card, and an open payment of hers, which is confirmed while she is absent. */
export async function storeCard({ stripe }: Connected, card = 'pm_card_visa') {
  const { id: customer } = await stripe.customers.create({ name: 'Ada Long' });
  const { id: payment_method } = await stripe.paymentMethods.attach(card, { customer });
  const { id: intent } = await stripe.paymentIntents.create({ ...CARD_ONLY, customer });
  const confirm = (changes: Stripe.PaymentIntentConfirmParams = {}, options: Stripe.RequestOptions = {}) =>
    stripe.paymentIntents.confirm(intent, { payment_method, ...withoutHer, ...changes }, options);
  return { customer, payment_method, intent, confirm };
}

export async function detachCard(host: Connected) {
  const stored = await storeCard(host);
  await host.stripe.paymentMethods.detach(stored.payment_method);
  return stored;
}

/** How a call is refused: status, type, code and parameter. */
export async function refusalOf(call: Promise<unknown>) {
  const { statusCode, rawType, code, param } = await stripeError(call);
  return [statusCode, rawType, code ?? null, param ?? null];
}

export async function stripeError(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error('The call was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

/** Reads, for a minute, until what Stripe does some time later is there. */
export async function eventually<Value>(read: () => Promise<Value>, isThere: (value: Value) => boolean) {
  for (let left = 60; ; left -= 1) {
    const value = await read();
    if (isThere(value) || left === 0) return value;
    await delay(1_000);
  }
}

/** Whether an event about this object comes. */
export async function isTold({ stripe }: Connected, type: string, id: string): Promise<boolean> {
  const tells = ({ data }: Stripe.ApiList<Stripe.Event>) =>
    data.some(({ data: { object } }) => 'id' in object && object.id === id);
  return tells(await eventually(() => stripe.events.list({ types: [type], limit: 20 }), tells));
}

/** Refunds a payment by this card. */
export async function refund(host: Connected, card: string) {
  const { payment_intent } = await pay(host, card);
  const made = await host.stripe.refunds.create({ payment_intent });
  const refunded = async () => (await chargeOf(host, payment_intent)).amount_refunded;
  return { made, refunded };
}

/** A payment by a card that is disputed. */
export async function dispute(host: Connected, card: string) {
  const { disputes } = host.stripe;
  const { payment_intent } = await pay(host, card);
  const list = async () => (await disputes.list({ payment_intent })).data;
  const [opened] = await eventually(list, ({ length }) => length > 0);
  if (!opened) throw new Error(`${payment_intent} is not disputed`);
  const { id } = opened;
  return {
    payment_intent,
    opened,
    submit: (uncategorized_text: string) => disputes.update(id, { evidence: { uncategorized_text } }),
    reach: (status: string) =>
      eventually(
        () => disputes.retrieve(id),
        (one) => one.status === status,
      ),
    isDisputed: async () => (await chargeOf(host, payment_intent)).disputed,
  };
}

/** What a dispute has moved so far, and whether its charge can be refunded. */
export const courseOf = (one: Stripe.Dispute) => [
  one.status,
  one.balance_transactions.map(({ reporting_category, amount }) => [reporting_category, amount]),
  one.is_charge_refundable,
];
