import { readFile } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import { SANDBOX_KEYS } from '#scripts/stripe-sandbox/sandbox.ts';

/**
 * A program: the least that Node can do. `bare-server.ts FILE STRIPE_API_BASE` answers a GET with the file, as brotli
 * HTML. For a POST it makes the calls to Stripe that a registration makes, one after the other on keep-alive
 * connections: it creates a customer and a PaymentIntent under keys derived from the request's.
 */
const [file = '', stripe = ''] = process.argv.slice(2);
const page = await readFile(file);
const agent = new Agent({ keepAlive: true });
const authorization = { Authorization: `Bearer ${SANDBOX_KEYS.secretKey}` };

function make(path: string, key: string, form: Record<string, string>): Promise<string> {
  const headers = {
    ...authorization,
    'Content-Type': 'application/x-www-form-urlencoded',
    'Idempotency-Key': key,
  };
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, stripe), { method: 'POST', agent, headers });
    asked.on('error', reject);
    asked.on('response', async (answer) => resolve(Buffer.concat(await answer.toArray()).toString()));
    asked.end(new URLSearchParams(form).toString());
  });
}

async function register(key: string, details: string): Promise<string> {
  const { email } = JSON.parse(details);
  const customer = JSON.parse(await make('/v1/customers', `${key}-customer`, { email }));
  const deposit = { customer: customer.id, amount: '72100', currency: 'usd' };
  return make('/v1/payment_intents', `${key}-intent`, deposit);
}

const headers = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Encoding': 'br',
  'Content-Length': page.length,
};
const server = createServer(async (req, res) => {
  if (req.method === 'POST') {
    const details = Buffer.concat(await req.toArray()).toString();
    res.setHeader('Content-Type', 'application/json');
    res.end(await register(String(req.headers['idempotency-key']), details));
  } else res.writeHead(200, headers).end(page);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') process.send?.({ url: `http://127.0.0.1:${address?.port}/` });
});
process.on('disconnect', () => process.exit());
