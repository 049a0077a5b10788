import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import type Stripe from 'stripe';
import { SANDBOX_KEYS, type Sandbox, type SandboxOptions, startTestSandbox } from './sandbox.ts';

export const payment = { amount: 72_100, currency: 'usd' } as const;

export const paid = { ...payment, confirm: true, payment_method: 'pm_card_visa' } as const;

export async function startLogged(t: Pick<TestContext, 'after'>, options: SandboxOptions = {}) {
  const lines: string[] = [];
  const started = await startTestSandbox(t, { log: (line) => lines.push(line), ...options });
  return { ...started, lines, browser: browserCalls(started.sandbox) };
}

/** The calls that the page's script makes, with the publishable key. */
function browserCalls({ url }: Sandbox) {
  const call = async (path: string, values?: Record<string, string>) => {
    const response = await fetch(`${url}${path}`, {
      method: values ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${SANDBOX_KEYS.publishableKey}`, Origin: 'http://localhost:3000' },
      body: values ? new URLSearchParams(values) : null,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  /** Pays or sets up with a card, as it is typed. */
  const confirm = async (intent: Stripe.PaymentIntent | Stripe.SetupIntent, number: string) => {
    const method = await call('/v1/payment_methods', cardForm(number));
    const values = { client_secret: intent.client_secret ?? '', payment_method: method.body.id ?? '' };
    return call(`/v1/${intent.object}s/${intent.id}/confirm`, values);
  };
  const authenticate = (
    { object, id, client_secret }: Stripe.PaymentIntent | Stripe.SetupIntent,
    outcome = 'authenticated',
  ) => call(`/sandbox/${object}s/${id}/challenge`, { client_secret: client_secret ?? '', outcome });
  return { call, confirm, authenticate };
}

/** A card as the browser sends it. */
export function cardForm(number: string, cvc = number.length === 15 ? '1234' : '123') {
  const exp_year = String(new Date().getFullYear() + 3);
  const card = { 'card[number]': number, 'card[exp_month]': '12', 'card[exp_year]': exp_year };
  return { type: 'card', ...card, 'card[cvc]': cvc };
}

/**
 * An endpoint that answers deliveries with the given statuses, then with 200. `next` returns the events in turn, and
 * throws for one that the sandbox has not signed.
 */
export async function listen(t: Pick<TestContext, 'after'>, stripe: Stripe, statuses: number[] = []) {
  const server = createServer(async (request, response) => {
    const payload = Buffer.concat(await request.toArray()).toString();
    response.writeHead(statuses.shift() ?? 200).end();
    const signature = String(request.headers['stripe-signature']);
    server.emit('event', stripe.webhooks.constructEvent(payload, signature, SANDBOX_KEYS.webhookSecret));
  }).listen(0, '127.0.0.1');
  const events = on(server, 'event');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const next = async (): Promise<Stripe.Event> => (await events.next()).value[0];
  return { url: `http://127.0.0.1:${address.port}/webhooks/stripe`, next };
}
