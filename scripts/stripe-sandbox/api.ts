import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express, { type RequestHandler } from 'express';
import { type Account, newObjectId } from './account.ts';
import { answerError, answerUnknownUrl } from './answer.ts';
import { type Bank, playBank } from './bank.ts';
import { moveClock, type SandboxClock } from './clock.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { createHandler, type HandlerOptions } from './request-handler.ts';
import { createRoutes } from './routes.ts';
import { type NextMoment, renderSandboxPage, SANDBOX_PAGE_POLICY } from './sandbox-page.ts';
import { type Throttle, throttleCalls } from './throttle.ts';

type AppOptions = HandlerOptions & {
  account: Account;
  bank: Bank;
  clock: SandboxClock;
  nextMoment: NextMoment;
  throttle: Throttle | undefined;
  log: (line: string) => void;
};

/**
 * The part of Stripe's API that the sandbox implements, the script for the shop's page, and the sandbox's own
 * page.
 */
export async function createSandboxApp(options: AppOptions): Promise<express.Express> {
  const { account, apiVersion, bank, clock, nextMoment, throttle, log } = options;
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
  app.post('/sandbox/clock', onlyFromOwnPage, moveClock(clock));
  app.post('/sandbox/bank', onlyFromOwnPage, playBank(bank));
  if (throttle) app.use(throttleCalls(throttle));
  const idempotency = new IdempotencyKeys(clock);
  for (const route of createRoutes(account)) {
    const handler = createHandler(route, idempotency, options);
    if (route.method === 'GET') app.get(route.path, handler);
    else if (route.method === 'DELETE') app.delete(route.path, handler);
    else app.post(route.path, handler);
  }
  app.use(answerUnknownUrl, answerError);
  return app;
}

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

/** Refuses requests from any page other than the sandbox's own. */
const onlyFromOwnPage: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  if (origin === undefined || origin === `http://${request.get('host')}`) return next();
  response.status(403).type('text').send('Only the page of the sandbox may do this\n');
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
