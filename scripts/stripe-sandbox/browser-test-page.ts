import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test as base, type Page } from '@playwright/test';
import { build } from 'esbuild';
import type Stripe from 'stripe';
import { type Sandbox, startTestSandbox } from './sandbox.ts';

/** What happens at the end of a test. */
interface TestEnd {
  after(action: () => unknown): void;
}

/** A page that pays with a sandbox of its own. */
export interface Shop {
  page: Page;
  stripe: Stripe;
  sandbox: Sandbox;
  intent: Stripe.PaymentIntent;
  /** What the page logged as an error or a warning, or threw. */
  problems: readonly string[];
}

/** Playwright's `test` with a payment page at phone width. */
export const test = base.extend<{ script: string; shop: Shop }>({
  /** The page's script. */
  script: ['', { option: true }],
  viewport: { width: 390, height: 700 },
  /** The page, open, with an intent to pay. */
  shop: async ({ page, script }, use) => {
    const actions: (() => unknown)[] = [];
    try {
      await use(await openShop({ after: (action) => void actions.push(action) }, page, script));
    } finally {
      for (const action of actions) await action();
    }
  },
});

const MARKUP = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page.css"></head><body><main><h1>Pay the deposit</h1>
<form id="form"><label for="number">Card number</label><div id="number"></div>
<label for="expiry">Expiry</label><div id="expiry"></div><label for="cvc">Security code</label><div id="cvc"></div>
<button id="pay">Pay</button><output id="result"></output></form></main>
<script src="SANDBOX/stripe.js"></script><script src="/page.js" type="module"></script></body></html>`;

const PAGE_STYLE = `body { font: 16px/1.5 sans-serif; margin: 1rem; } label { display: block; margin-top: 1rem; }
.StripeElement { border: 1px solid #888; border-radius: 6px; padding: 12px; }
.StripeElement--focus { border-color: #4b45c6; } .StripeElement--invalid { border-color: #b00020; }`;

/** Serves the page under a strict content security policy. */
async function startPage(t: TestEnd, sandboxUrl: string, script: string): Promise<string> {
  const bundle = await build({
    stdin: { contents: script, loader: 'jsx', resolveDir: import.meta.dirname },
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"development"' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  });
  const files = new Map([
    ['/', ['text/html', MARKUP.replace('SANDBOX', sandboxUrl)]],
    ['/page.css', ['text/css', PAGE_STYLE]],
    ['/page.js', ['text/javascript', bundle.outputFiles[0]?.text ?? '']],
  ]);
  const server = createServer((request, response) => {
    const [type = 'text/plain', body = ''] =
      files.get(new URL(request.url ?? '/', 'http://page').pathname) ?? [];
    response.setHeader(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self' ${sandboxUrl}; connect-src ${sandboxUrl}; style-src 'self'; base-uri 'none'`,
    );
    response.setHeader('Content-Type', type).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function openShop(t: TestEnd, page: Page, script: string): Promise<Shop> {
  const { sandbox, stripe } = await startTestSandbox(t);
  const customer = await stripe.customers.create({});
  const intent = await stripe.paymentIntents.create({
    amount: 72_100,
    currency: 'usd',
    customer: customer.id,
  });
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`${await startPage(t, sandbox.url, script)}?secret=${intent.client_secret}`);
  await page.locator('#cvc[data-ready]').waitFor();
  return { page, stripe, sandbox, intent, problems };
}

/** The fields, by the names that a screen reader says. */
export const fields = (page: Page) => ({
  number: page.getByLabel('Credit or debit card number'),
  expiry: page.getByLabel('Credit or debit card expiration date'),
  cvc: page.getByLabel('Credit or debit card CVC/CVV'),
});

/** Fills in a card with this number. */
export async function fillCard(page: Page, number: string): Promise<void> {
  const { number: numberField, expiry, cvc } = fields(page);
  await numberField.fill(number);
  await expiry.fill(`12/${(new Date().getFullYear() + 3) % 100}`);
  await cvc.fill(number.length === 15 ? '1234' : '123');
}

/** Fills in a card and submits. */
export async function payWith(page: Page, number: string): Promise<void> {
  await fillCard(page, number);
  await page.getByRole('button', { name: 'Pay' }).click();
}

/** Saves a screenshot of the page when SCREENSHOT_DIR names a folder. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const { SCREENSHOT_DIR: folder } = process.env;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Waits for what the page says about the payment. */
export const result = (page: Page, text: string) => page.locator('#result', { hasText: text }).waitFor();
