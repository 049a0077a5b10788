import { on } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type Stripe from 'stripe';
import { SANDBOX_KEYS, type Sandbox, type SandboxOptions, startTestSandbox } from './sandbox.ts';

/** A sandbox for one test: closed after it, its log kept in memory. */
export async function startLoggedSandbox(t: TestContext, options: SandboxOptions = {}) {
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
  const pay = async (intent: Stripe.PaymentIntent, number: string) => {
    const method = await call('/v1/payment_methods', cardForm(number));
    return call(`/v1/payment_intents/${intent.id}/confirm`, {
      client_secret: intent.client_secret ?? '',
      payment_method: method.body.id ?? '',
    });
  };
  return { call, pay };
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

/** An endpoint that answers deliveries with the given statuses, then with 200, and hands each one out. */
export async function startWebhookEndpoint(t: TestContext, statuses: number[] = []) {
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

/** The creation of an intent by a client without retries of its own, unlike the SDK, that can be made to give up. */
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

/** Whether an answer of the SDK repeats that to an earlier request. */
export function isReplay(answered: { lastResponse: { headers: Record<string, string> } }): boolean {
  return answered.lastResponse.headers['idempotent-replayed'] === 'true';
}
