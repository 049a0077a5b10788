import assert from 'node:assert/strict';
import Stripe from 'stripe';

/** The one payment that the sandbox holds as paid, as far as the visitor's browser had a say in it. */
export async function onlyPaidIntent(sandboxUrl: string) {
  const stripe = connectToSandbox(sandboxUrl);
  const { data } = await stripe.paymentIntents.list();
  assert.equal(data.length, 1);
  const [intent] = data;
  assert.equal(intent?.status, 'succeeded');
  assert.ok(typeof intent?.payment_method === 'string');
  const { billing_details } = await stripe.paymentMethods.retrieve(intent.payment_method);
  const { name, email, phone, address } = billing_details;
  const { amount, receipt_email, setup_future_usage } = intent;
  return { amount, receipt_email, setup_future_usage, billing_details: { name, email, phone, address } };
}

/** How many customers and payments the sandbox holds for an address. */
export async function countPaymentsOf(email: string, sandboxUrl: string) {
  const stripe = connectToSandbox(sandboxUrl);
  const customers = await stripe.customers.list({ email });
  const intents = await stripe.paymentIntents.list({ limit: 100 });
  const ofEmail = intents.data.filter(({ receipt_email }) => receipt_email === email);
  return { customers: customers.data.length, intents: ofEmail.length };
}

function connectToSandbox(sandboxUrl: string): Stripe {
  const { hostname, port } = new URL(sandboxUrl);
  return new Stripe('sk_test_sandbox', { host: hostname, port, protocol: 'http', telemetry: false });
}
