import { once } from 'node:events';
import { createServer } from 'node:http';
import express, { type RequestHandler } from 'express';
import Stripe from 'stripe';
import type { Account } from './account.ts';
import { answerError, answerUnknownUrl } from './answer.ts';
import { createApi } from './api.ts';
import { bundleBrowserScript } from './browser-bundle.ts';
import type { Intercept } from './fault.ts';
import { newObjectId } from './object-id.ts';
import { renderSandboxPage, SANDBOX_PAGE_POLICY } from './sandbox-page.ts';
import { REDELIVERY_DELAYS_MS, Webhooks } from './webhooks.ts';

/** How the sandbox is set up. */
export type SandboxOptions = {
  /** 0 for any free port. */
  port: number;
  /** The address to listen at, 127.0.0.1 when left out. */
  host?: string;
  /** Where events are delivered; without it they are dropped until `setWebhookUrl` is called. */
  webhookUrl?: string;
  webhookSecret: string;
  secretKey: string;
  publishableKey: string;
  /** Takes one plain line for each request and each webhook attempt, free of personal and card data. */
  log?: (line: string) => void;
  /** The time in milliseconds since the epoch. */
  now?: () => number;
  /** The waits before redeliveries of a webhook; the last one repeats. */
  redeliveryDelaysMs?: readonly number[];
  /** Called before an API request is carried out: to hold it up, or to say what goes wrong with it. */
  intercept?: Intercept;
};

/** A running sandbox. */
export type Sandbox = {
  /** The origin, without a slash at the end. */
  url: string;
  host: string;
  port: number;
  setWebhookUrl(url: string): void;
  /** Stops listening and delivering. Resolves when nothing is open any more. */
  close(): Promise<void>;
};

/** Starts a development stand-in for Stripe: API, webhooks and the page's script. */
export async function startSandbox(options: SandboxOptions): Promise<Sandbox> {
  const { host = '127.0.0.1', log = () => {}, now = Date.now } = options;
  const webhooks = new Webhooks({
    url: options.webhookUrl,
    secret: options.webhookSecret,
    apiVersion: Stripe.API_VERSION,
    redeliveryDelaysMs: options.redeliveryDelaysMs ?? REDELIVERY_DELAYS_MS,
    now,
    log,
  });
  const account: Account = {
    charges: new Map(),
    customers: new Map(),
    paymentMethods: new Map(),
    paymentIntents: new Map(),
    nowSeconds: () => Math.floor(now() / 1000),
    publish: (type, object, call) => webhooks.publish(type, object, call),
  };
  const app = createApp(account, await bundleBrowserScript(), { ...options, log, now });
  const server = createServer(app).listen(options.port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port');
  return {
    url: `http://${host}:${address.port}`,
    host,
    port: address.port,
    setWebhookUrl: (url) => webhooks.setUrl(url),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, webhooks.close()]);
    },
  };
}

type AppOptions = SandboxOptions & { log: (line: string) => void; now: () => number };

function createApp(account: Account, browserScript: string, options: AppOptions): express.Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'extended');
  app.use(identifyAndLog(options.log));
  app.get('/stripe.js', (_request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    response.type('text/javascript').send(browserScript);
  });
  app.get('/', (_request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': SANDBOX_PAGE_POLICY });
    response.type('html').send(renderSandboxPage(account));
  });
  const { secretKey, publishableKey, intercept = () => undefined, now } = options;
  const keys = { secretKey, publishableKey };
  app.use(createApi({ account, keys, apiVersion: Stripe.API_VERSION, intercept, now }));
  app.use(answerUnknownUrl, answerError);
  return app;
}

/** The query is left out of the log: it may hold an e-mail address or a client secret. */
function identifyAndLog(log: (line: string) => void): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const requestId = newObjectId('req');
    response.set({ 'Request-Id': requestId, 'Stripe-Version': Stripe.API_VERSION });
    response.once('close', () => {
      const replayed = response.hasHeader('Idempotent-Replayed') ? ' replayed' : '';
      const status = response.writableFinished ? response.statusCode : 'unanswered';
      log(`${method} ${path} ${status} ${requestId}${replayed}`);
    });
    next();
  };
}
