import assert from 'node:assert/strict';
import type Stripe from 'stripe';
import { connect } from '#scripts/stripe-sandbox/sandbox.ts';

/** The only payment of an address, which is paid, as far as the visitor's browser had a say in it. */
export async function paidIntentOf(address: string, sandboxUrl: string) {
  const stripe = connectToSandbox(sandboxUrl);
  const intent = await stripe.paymentIntents.retrieve(await intentIdOf(address, sandboxUrl));
  assert.equal(intent.status, 'succeeded');
  assert.ok(typeof intent.payment_method === 'string');
  const { billing_details } = await stripe.paymentMethods.retrieve(intent.payment_method);
  const { name, email, phone, address: billingAddress } = billing_details;
  const { amount, receipt_email, setup_future_usage } = intent;
  const details = { name, email, phone, address: billingAddress };
  return { amount, receipt_email, setup_future_usage, billing_details: details };
}

/** How many customers, payments and charges, paid and declined, the sandbox holds for an address. */
export async function countPaymentsOf(email: string, sandboxUrl: string) {
  const stripe = connectToSandbox(sandboxUrl);
  const customers = await stripe.customers.list({ email: email.toLowerCase() });
  const ofEmail = await intentsOf(email, stripe);
  const charges = await Promise.all(
    ofEmail.map(({ id }) => stripe.charges.list({ payment_intent: id, limit: 100 })),
  );
  const statuses = charges.flatMap(({ data }) => data.map(({ status }) => status));
  return {
    customers: customers.data.length,
    intents: ofEmail.length,
    paid: statuses.filter((status) => status === 'succeeded').length,
    declined: statuses.filter((status) => status === 'failed').length,
  };
}

/** Has the sandbox cancel the payment of an address, as the office does in Stripe's dashboard. */
export async function cancelPaymentOf(email: string, sandboxUrl: string): Promise<void> {
  await connectToSandbox(sandboxUrl).paymentIntents.cancel(await intentIdOf(email, sandboxUrl));
}

/** Has the sandbox charge another amount, in US cents, for the payment of an address. */
export async function chargeInstead(email: string, amountCents: number, sandboxUrl: string): Promise<void> {
  const stripe = connectToSandbox(sandboxUrl);
  const metadata = { amount: String(amountCents) };
  await stripe.paymentIntents.update(await intentIdOf(email, sandboxUrl), { amount: amountCents, metadata });
}

/** The id of the only payment of an address. */
export async function intentIdOf(email: string, sandboxUrl: string): Promise<string> {
  const [intent, ...others] = await intentsOf(email, connectToSandbox(sandboxUrl));
  assert.ok(intent && others.length === 0, `${email} has ${others.length} other payments`);
  return intent.id;
}

async function intentsOf(email: string, stripe: Stripe): Promise<Stripe.PaymentIntent[]> {
  const intents = await stripe.paymentIntents.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 });
  return intents.filter(({ receipt_email }) => receipt_email === email);
}

/** One customer, one payment, one charge: a registration that was paid, however it came about. */
export const ONCE = { customers: 1, intents: 1, paid: 1, declined: 0 };

/** The same before it is paid. */
export const UNPAID = { ...ONCE, paid: 0 };

/** Connects to the sandbox with the secret key. */
export function connectToSandbox(sandboxUrl: string): Stripe {
  const { hostname, port } = new URL(sandboxUrl);
  return connect({ host: hostname, port: Number(port) });
}
