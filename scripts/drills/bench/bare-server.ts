import { readFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';

/**
 * A program: the least that Node can do. `bare-server.ts FILE STRIPE_API_BASE` answers a GET with the file, as brotli
 * HTML. For a POST it makes the calls to Stripe that a registration makes, one after the other on keep-alive
 * connections: it creates a customer and a PaymentIntent under keys derived from the request's. For a GET with a cookie,
 * it makes the reads of the page of one registration.
 */
const [file = '', stripe = ''] = process.argv.slice(2);
const page = await readFile(file);
const agent = new Agent({ keepAlive: true });
const authorization = { Authorization: `Bearer ${SANDBOX_KEYS.secretKey}` };

function call(path: string, headers: Record<string, string> = {}, body?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const asked = request(new URL(path, stripe), {
      method,
      agent,
      headers: { ...authorization, ...headers },
    });
    asked.on('error', reject);
    asked.on('response', async (answer) => resolve(Buffer.concat(await answer.toArray()).toString()));
    asked.end(body);
  });
}

function make(path: string, key: string, form: Record<string, string>): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Idempotency-Key': key };
  return call(path, headers, new URLSearchParams(form).toString());
}

async function register(key: string, details: string): Promise<string> {
  const { email } = JSON.parse(details);
  const customer = JSON.parse(await make('/v1/customers', `${key}-customer`, { email }));
  const deposit = { customer: customer.id, amount: '72100', currency: 'usd' };
  return make('/v1/payment_intents', `${key}-intent`, deposit);
}

const EXPANDED = ['customer', 'latest_charge', 'latest_charge.refunds'];

async function readRegistration(deposit: string): Promise<string> {
  const expand = (prefix: string) => EXPANDED.map((path) => `expand[]=${prefix}${path}`).join('&');
  const intent = JSON.parse(await call(`/v1/payment_intents/${deposit}?${expand('')}`));
  const list = `customer=${intent.customer.id}&limit=100&${expand('data.')}`;
  return JSON.stringify(JSON.parse(await call(`/v1/payment_intents?${list}`)));
}

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Encoding': 'br',
  'Content-Length': page.length,
};
const server = createServer(async (req, res) => {
  const [deposit] = /pi_\w+/.exec(req.headers.cookie ?? '') ?? [];
  if (req.method === 'POST') {
    const details = Buffer.concat(await req.toArray()).toString();
    res.setHeader('Content-Type', 'application/json');
    res.end(await register(String(req.headers['idempotency-key']), details));
  } else if (deposit) res.end(await readRegistration(deposit));
  else res.writeHead(200, headers).end(page);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address?.port}/` });
});
process.on('disconnect', () => process.exit());
