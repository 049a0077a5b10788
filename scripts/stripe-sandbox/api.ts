import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express, { type RequestHandler } from 'express';
import { type Account, type Endpoint, newObjectId } from './account.ts';
import { answerError, answerUnknownUrl } from './answer.ts';
import type { Bank } from './bank.ts';
import { chargeEndpoints } from './charges.ts';
import { moveClock, type SandboxClock } from './clock.ts';
import { customerEndpoints } from './customers.ts';
import { disputeEndpoints } from './disputes.ts';
import { type Answers, many, one, withExpansion } from './expand.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { paymentConfirmationEndpoints } from './payment-confirmation.ts';
import { paymentIntentEndpoints } from './payment-intents.ts';
import { paymentMethodEndpoints } from './payment-methods.ts';
import { refundEndpoints } from './refunds.ts';
import { createHandler, type HandlerOptions, type Route } from './request-handler.ts';
import { type NextMoment, renderSandboxPage, SANDBOX_PAGE_POLICY } from './sandbox-page.ts';
import { setupIntentEndpoints } from './setup-intents.ts';

type AppOptions = HandlerOptions & {
  account: Account;
  bank: Bank;
  clock: SandboxClock;
  nextMoment: NextMoment;
  log: (line: string) => void;
};

/** The part of Stripe's API that the sandbox speaks, the script for the shop's page, and the sandbox's own page. */
export async function createSandboxApp(options: AppOptions): Promise<express.Express> {
  const { account, apiVersion, clock, nextMoment, log } = options;
  browserScript ??= bundleBrowserScript();
  const script = await browserScript;
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', 'extended');
  app.use(identifyAndLog(apiVersion, log));
  app.get('/stripe.js', (_request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    response.type('text/javascript').send(script);
  });
  app.get('/', (_request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Content-Security-Policy': SANDBOX_PAGE_POLICY });
    response.type('html').send(renderSandboxPage(account, new Date(clock.now()), nextMoment));
  });
  app.use(allowLoopbackOrigins, express.urlencoded({ extended: true }));
  app.get('/sandbox/clock', (_request, response) => clock.follow(response));
  app.post('/sandbox/clock', moveClock(clock));
  const idempotency = new IdempotencyKeys(clock);
  for (const route of routes(account)) {
    const handler = createHandler(route, idempotency, options);
    if (route.method === 'GET') app.get(route.path, handler);
    else app.post(route.path, handler);
  }
  app.use(answerUnknownUrl, answerError);
  return app;
}

function routes(account: Account): Route[] {
  const charges = chargeEndpoints(account);
  const customers = customerEndpoints(account);
  const disputes = disputeEndpoints(account);
  const methods = paymentMethodEndpoints(account);
  const intents = paymentIntentEndpoints(account);
  const confirmation = paymentConfirmationEndpoints(account);
  const refunds = refundEndpoints(account);
  const setups = setupIntentEndpoints(account);
  const add = (method: Route['method'], path: string, answers: Answers, endpoint: Endpoint): Route => ({
    method,
    path,
    browser: false,
    endpoint: withExpansion(account, answers, endpoint),
  });
  return [
    add('POST', '/v1/customers', one('customer'), customers.create),
    add('GET', '/v1/customers', many('customer'), customers.list),
    add('GET', '/v1/customers/:id', one('customer'), customers.retrieve),
    add('POST', '/v1/customers/:id', one('customer'), customers.update),
    add('GET', '/v1/customers/:id/payment_methods', many('payment_method'), methods.listOfCustomer),
    fromBrowser(add('POST', '/v1/payment_methods', one('payment_method'), methods.create)),
    add('GET', '/v1/payment_methods', many('payment_method'), methods.list),
    add('GET', '/v1/payment_methods/:id', one('payment_method'), methods.retrieve),
    add('POST', '/v1/payment_methods/:id/attach', one('payment_method'), methods.attach),
    add('POST', '/v1/payment_methods/:id/detach', one('payment_method'), methods.detach),
    add('POST', '/v1/payment_intents', one('payment_intent'), intents.create),
    add('GET', '/v1/payment_intents', many('payment_intent'), intents.list),
    fromBrowser(add('GET', '/v1/payment_intents/:id', one('payment_intent'), intents.retrieve)),
    add('POST', '/v1/payment_intents/:id', one('payment_intent'), intents.update),
    add('POST', '/v1/payment_intents/:id/cancel', one('payment_intent'), intents.cancel),
    fromBrowser(add('POST', '/v1/payment_intents/:id/confirm', one('payment_intent'), confirmation.confirm)),
    fromBrowser(
      add(
        'POST',
        '/sandbox/payment_intents/:id/challenge',
        one('payment_intent'),
        confirmation.answerChallenge,
      ),
    ),
    add('POST', '/v1/setup_intents', one('setup_intent'), setups.create),
    add('GET', '/v1/setup_intents', many('setup_intent'), setups.list),
    fromBrowser(add('GET', '/v1/setup_intents/:id', one('setup_intent'), setups.retrieve)),
    add('POST', '/v1/setup_intents/:id', one('setup_intent'), setups.update),
    add('POST', '/v1/setup_intents/:id/cancel', one('setup_intent'), setups.cancel),
    fromBrowser(add('POST', '/v1/setup_intents/:id/confirm', one('setup_intent'), setups.confirm)),
    fromBrowser(
      add('POST', '/sandbox/setup_intents/:id/challenge', one('setup_intent'), setups.answerChallenge),
    ),
    add('GET', '/v1/charges', many('charge'), charges.list),
    add('GET', '/v1/charges/:id', one('charge'), charges.retrieve),
    add('POST', '/v1/refunds', one('refund'), refunds.create),
    add('GET', '/v1/refunds', many('refund'), refunds.list),
    add('GET', '/v1/refunds/:id', one('refund'), refunds.retrieve),
    add('POST', '/v1/refunds/:id', one('refund'), refunds.update),
    add('GET', '/v1/disputes', many('dispute'), disputes.list),
    add('GET', '/v1/disputes/:id', one('dispute'), disputes.retrieve),
  ];
}

const fromBrowser = (route: Route): Route => ({ ...route, browser: true });

/** The query is left out of the log: it may hold an e-mail address or a client secret. */
function identifyAndLog(apiVersion: string, log: (line: string) => void): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const requestId = newObjectId('req');
    response.set({ 'Request-Id': requestId, 'Stripe-Version': apiVersion });
    response.once('close', () => {
      const replayed = response.hasHeader('Idempotent-Replayed') ? ' replayed' : '';
      const status = response.writableFinished ? response.statusCode : 'unanswered';
      log(`${method} ${path} ${status} ${requestId}${replayed}`);
    });
    next();
  };
}

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Lets pages of this machine call the API, as Stripe lets every page. */
const allowLoopbackOrigins: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  response.vary('Origin');
  if (origin === undefined || !LOOPBACK.test(origin)) return next();
  response.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Stripe-Version',
    'Access-Control-Expose-Headers': 'Request-Id, Idempotent-Replayed',
    'Access-Control-Max-Age': '600',
  });
  if (request.method === 'OPTIONS') response.status(204).end();
  else next();
};

let browserScript: Promise<string> | undefined;

/** The script for the shop's page, from `browser/`; built once for each process. */
async function bundleBrowserScript(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('./browser/stripe.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
  });
  return result.outputFiles[0]?.text ?? '';
}
