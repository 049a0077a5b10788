import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';

/** An account to be held to the contract: one at Stripe, in test mode, or a sandbox. */
export type Host = {
  stripe: Stripe;
  /** Lets a refund of the card 5126 fail; at Stripe it does so by itself. */
  failRefund: (id: string) => void;
};

export const CENTS = 5_000;
export const CARD_ONLY = {
  amount: CENTS,
  currency: 'usd',
  allowed_payment_method_types: ['card'],
} satisfies Stripe.PaymentIntentCreateParams;

const ABSENT = {
  off_session: true,
  payment_method_options: { card: { stored_credential_usage: 'installment' } },
} as const;

export async function pay({ stripe }: Host, payment_method: string) {
  const { id } = await stripe.paymentIntents.create({ ...CARD_ONLY, confirm: true, payment_method });
  return { payment_intent: id, charge: await chargeOf(stripe, id) };
}

export async function chargeOf(stripe: Stripe, payment_intent: string): Promise<Stripe.Charge> {
  const [charge] = (await stripe.charges.list({ payment_intent })).data;
  if (!charge) throw new Error(`${payment_intent} has no charge`);
  return charge;
}

/** A customer with a stored card, an open payment of hers, and how it is charged while she is absent. */
export async function storeCard({ stripe }: Host, card = 'pm_card_visa') {
  const { id: customer } = await stripe.customers.create({ name: 'Contract Test' });
  const { id: method } = await stripe.paymentMethods.attach(card, { customer });
  const { id: intent } = await stripe.paymentIntents.create({ ...CARD_ONLY, customer });
  const confirm = (payment_method = method, options: Stripe.RequestOptions = {}) =>
    stripe.paymentIntents.confirm(intent, { payment_method, ...ABSENT }, options);
  return { customer, method, intent, confirm };
}

/** How a call is refused: status, type, code and parameter. */
export async function refusalOf(call: Promise<unknown>) {
  const { statusCode, rawType, code, param } = await errorOf(call);
  return [statusCode, rawType, code ?? null, param ?? null];
}

export async function errorOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error('it was not refused'),
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
export async function isTold({ stripe }: Host, type: string, id: string): Promise<boolean> {
  const tells = ({ data }: Stripe.ApiList<Stripe.Event>) =>
    data.some(({ data: { object } }) => 'id' in object && object.id === id);
  return tells(await eventually(() => stripe.events.list({ types: [type], limit: 20 }), tells));
}

/** Refunds a payment by this card. */
export async function refund(host: Host, card: string) {
  const { payment_intent } = await pay(host, card);
  const { id, status, pending_reason } = await host.stripe.refunds.create({ payment_intent });
  const refunded = async () => (await chargeOf(host.stripe, payment_intent)).amount_refunded;
  return { id, status, pending_reason, refunded };
}

/** A payment by a card that is disputed. */
export async function dispute(host: Host, card: string) {
  const { disputes } = host.stripe;
  const { payment_intent } = await pay(host, card);
  const list = async () => (await disputes.list({ payment_intent })).data;
  const [opened] = await eventually(list, ({ length }) => length > 0);
  if (!opened) throw new Error(`${payment_intent} is not disputed`);
  const reach = (status: string) =>
    eventually(
      () => disputes.retrieve(opened.id),
      (one) => one.status === status,
    );
  const isDisputed = async () => (await chargeOf(host.stripe, payment_intent)).disputed;
  return { payment_intent, opened, reach, isDisputed };
}

/** What a dispute has moved so far, and whether its charge can be refunded. */
export const courseOf = (one: Stripe.Dispute) => [
  one.status,
  one.balance_transactions.map(({ reporting_category, amount }) => [reporting_category, amount]),
  one.is_charge_refundable,
];
