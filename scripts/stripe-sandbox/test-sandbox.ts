import assert from 'node:assert/strict';
import { on } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import Stripe from 'stripe';
import { SANDBOX_KEYS, type Sandbox, type SandboxOptions, startTestSandbox } from './sandbox.ts';

/** A sandbox for one test, closed after it, with its log in memory. */
export async function startLoggedSandbox(t: Pick<TestContext, 'after'>, options: SandboxOptions = {}) {
  const lines: string[] = [];
  const started = await startTestSandbox(t, { log: (line) => lines.push(line), ...options });
  return { ...started, lines, browser: browserCalls(started.sandbox) };
}

/** The calls that the page's script makes, with the publishable key. */
function browserCalls(sandbox: Sandbox) {
  const call = async (path: string, values?: Record<string, string>) => {
    const response = await fetch(`${sandbox.url}${path}`, {
      method: values ? 'POST' : 'GET',
      headers: { Authorization: `Bearer ${SANDBOX_KEYS.publishableKey}`, Origin: 'http://localhost:3000' },
      body: values ? new URLSearchParams(values) : null,
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
  };
  const confirm = async (path: string, clientSecret: string | null, number: string) => {
    const method = await call('/v1/payment_methods', cardForm(number));
    return call(path, { client_secret: clientSecret ?? '', payment_method: method.body.id ?? '' });
  };
  const pay = ({ id, client_secret }: Stripe.PaymentIntent, number: string) =>
    confirm(`/v1/payment_intents/${id}/confirm`, client_secret, number);
  const setUp = ({ id, client_secret }: Stripe.SetupIntent, number: string) =>
    confirm(`/v1/setup_intents/${id}/confirm`, client_secret, number);
  const authenticate = (
    { object, id, client_secret }: Stripe.PaymentIntent | Stripe.SetupIntent,
    outcome: 'authenticated' | 'failed' = 'authenticated',
  ) => call(`/sandbox/${object}s/${id}/challenge`, { client_secret: client_secret ?? '', outcome });
  return { call, pay, setUp, authenticate };
}

/** The card error that a call of the SDK fails with. */
export async function cardError(failing: Promise<unknown>): Promise<Stripe.errors.StripeCardError> {
  const error = await failing.catch((reason: unknown) => reason);
  assert.ok(error instanceof Stripe.errors.StripeCardError);
  return error;
}

/** A card as the browser sends it. */
export function cardForm(
  number: string,
  cvc = number.length === 15 ? '1234' : '123',
): Record<string, string> {
  return {
    type: 'card',
    'card[number]': number,
    'card[exp_month]': '12',
    'card[exp_year]': String(new Date().getFullYear() + 3),
    'card[cvc]': cvc,
  };
}

/** A delivery as the webhook endpoint of a test receives it. */
export type Delivery = { headers: IncomingHttpHeaders; payload: string };

/** The event of a delivery. Throws if the sandbox has not signed it. */
export function verifyEvent(stripe: Stripe, { headers, payload }: Delivery): Stripe.Event {
  const signature = headers['stripe-signature'] ?? '';
  return stripe.webhooks.constructEvent(payload, signature, SANDBOX_KEYS.webhookSecret);
}

/** An endpoint that answers deliveries with the given statuses, then with 200, and hands each one out. */
export async function startWebhookEndpoint(t: Pick<TestContext, 'after'>, statuses: number[] = []) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(statuses.shift() ?? 200).end();
    const payload = Buffer.concat(chunks).toString('utf8');
    server.emit('delivery', { headers: request.headers, payload } satisfies Delivery);
  });
  const deliveries = on(server, 'delivery');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const next = async (): Promise<Delivery> => (await deliveries.next()).value[0];
  return { url: `http://127.0.0.1:${port}/webhooks/stripe`, next };
}

/**
 * Creates an intent with a client that, unlike the SDK, does not retry by itself, and that can be aborted.
 */
export function createIntentOnce(
  sandbox: Sandbox,
  idempotencyKey: string,
  signal: AbortSignal | null = null,
): Promise<Response> {
  return fetch(`${sandbox.url}/v1/payment_intents`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${SANDBOX_KEYS.secretKey}`, 'Idempotency-Key': idempotencyKey },
    body: new URLSearchParams({ amount: '72100', currency: 'usd' }),
    signal,
  });
}

/** Whether an answer to the SDK is a replay of the answer to an earlier request. */
export function isReplay(answered: { lastResponse: { headers: Record<string, string> } }): boolean {
  return answered.lastResponse.headers['idempotent-replayed'] === 'true';
}
