import { Agent, createServer, request } from 'node:http';

/**
 * The least that a registration can do: `bare-registration.ts PORT STRIPE_API_BASE` answers each request with Stripe's
 * customer and PaymentIntent, one call after the other on kept connections, under keys made of the request's.
 */
const [port, stripe = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });
const headers = {
  Authorization: `Bearer ${process.env.STRIPE_SECRET_KEY}`,
  'Content-Type': 'application/x-www-form-urlencoded',
};

function post(path: string, key: string, form: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(new URL(path, stripe), {
      method: 'POST',
      agent,
      headers: { ...headers, 'Idempotency-Key': key },
    });
    asked.on('error', reject);
    asked.on('response', async (answer) => {
      resolve(Buffer.concat(await answer.toArray()).toString());
    });
    asked.end(new URLSearchParams(form).toString());
  });
}

createServer(async (req, res) => {
  if (req.method !== 'POST') {
    res.end();
    return;
  }
  const key = req.headers['idempotency-key'];
  const { email } = JSON.parse(Buffer.concat(await req.toArray()).toString());
  const customer = JSON.parse(await post('/v1/customers', `${key}-customer`, { email }));
  const intent = await post('/v1/payment_intents', `${key}-intent`, {
    customer: customer.id,
    amount: '72100',
    currency: 'usd',
  });
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(intent);
}).listen(Number(port), '127.0.0.1');
