import { Agent, createServer, request } from 'node:http';

/**
 * The least that a registration can do: `bare-registration.ts PORT STRIPE_API_BASE` makes the calls to Stripe that a
 * registration makes, one after the other on keep-alive connections: it searches for customers with the
 * e-mail address, then creates a customer and a PaymentIntent under keys derived from the request's. For a
 * GET with a cookie, it makes the reads of the page of one registration.
 */
const [port, stripe = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const authorization = { Authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}` };

function call(
  path: string,
  { headers, body }: { headers?: Record<string, string>; body?: string } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, stripe), {
      method: body === undefined ? 'GET' : 'POST',
      agent,
      headers: { ...authorization, ...headers },
    });
    asked.on('error', reject);
    asked.on('response', async (answer) => {
      resolve(Buffer.concat(await answer.toArray()).toString());
    });
    asked.end(body);
  });
}

function make(path: string, key: string, form: Record<string, string>): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Idempotency-Key': key };
  return call(path, { headers, body: new URLSearchParams(form).toString() });
}

const EXPANDED = ['customer', 'latest_charge', 'latest_charge.refunds'];

async function readRegistration(deposit: string): Promise<string> {
  const expand = (prefix: string) => EXPANDED.map((path) => `expand[]=${prefix}${path}`).join('&');
  const intent = JSON.parse(await call(`/v1/payment_intents/${deposit}?${expand('')}`));
  const list = `customer=${intent.customer.id}&limit=100&${expand('data.')}`;
  return JSON.stringify(JSON.parse(await call(`/v1/payment_intents?${list}`)));
}

createServer(async (req, res) => {
  if (req.method !== 'POST') {
    const [deposit] = /pi_\w+/.exec(req.headers.cookie ?? '') ?? [];
    res.end(deposit && (await readRegistration(deposit)));
    return;
  }
  const key = req.headers['idempotency-key'];
  const { email } = JSON.parse(Buffer.concat(await req.toArray()).toString());
  await call(`/v1/customers?${new URLSearchParams({ email, limit: '100' })}`);
  const customer = JSON.parse(await make('/v1/customers', `${key}-customer`, { email }));
  const intent = await make('/v1/payment_intents', `${key}-intent`, {
    customer: customer.id,
    amount: '72100',
    currency: 'usd',
  });
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(intent);
}).listen(Number(port), '127.0.0.1');
