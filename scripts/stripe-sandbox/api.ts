import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import Stripe from 'stripe';
import { type Account, newId } from './account.ts';
import {
  IdempotencyKeys,
  type Intercept,
  notBegun,
  type Outcome,
  outcomeOf,
  outcomeUnder,
  refusal,
} from './answer.ts';
import { payOut } from './balance.ts';
import { addClock, type SandboxClock } from './clock.ts';
import { addHostedPages } from './hosted.ts';
import { createResources, ownAccount } from './resources.ts';
import { type Call, type Route, routesOf } from './routes.ts';

type AppOptions = {
  account: Account;
  clock: SandboxClock;
  intercept: Intercept;
  keys: { secretKey: string; publishableKey: string };
  log: (line: string) => void;
};

export async function createSandboxApp(options: AppOptions): Promise<express.Express> {
  const { account, clock, log } = options;
  browserScript ??= bundleBrowserScript();
  const script = await browserScript;
  const app = express();
  app.use((_request, _response, next) => {
    payOut(account);
    next();
  });
  app.disable('x-powered-by').disable('etag').set('query parser', 'extended');
  app.use(identifyAndLog(log));
  app.get('/stripe.js', (_request, response) => {
    response.set({ 'Cache-Control': 'no-store', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    response.type('text/javascript').send(script);
  });
  app.use(allowAllOrigins, express.urlencoded({ extended: true }));
  addClock(app, clock);
  addHostedPages(app, account);
  const idempotency = new IdempotencyKeys(clock);
  for (const route of [ownAccount, ...routesOf(account, createResources(account))]) {
    app[route.method](route.path, serve(route, idempotency, options));
  }
  app.use((request) => {
    throw refusal(404, `Unrecognized request URL (${request.method}: ${request.path}).`);
  });
  const answerError: ErrorRequestHandler = (error: unknown, _request, response, _next) => {
    send(response, notBegun(error));
  };
  app.use(answerError);
  return app;
}

/** The query is left out of the log: it may hold an e-mail address or a client secret. */
function identifyAndLog(log: (line: string) => void): RequestHandler {
  return (request, response, next) => {
    const { method, path } = request;
    const requestId = newId('req');
    response.set({ 'Request-Id': requestId, 'Stripe-Version': Stripe.API_VERSION });
    response.once('close', () => {
      const replayed = response.hasHeader('Idempotent-Replayed') ? ' replayed' : '';
      const status = response.writableFinished ? response.statusCode : 'unanswered';
      log(`${method} ${path} ${status} ${requestId}${replayed}`);
    });
    next();
  };
}

const allowAllOrigins: RequestHandler = (request, response, next) => {
  response.set({
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Authorization',
  });
  if (request.method === 'OPTIONS') response.status(204).end();
  else next();
};

function serve(route: Route, idempotency: IdempotencyKeys, options: AppOptions): RequestHandler {
  return async (request, response) => {
    const call = readCall(request, route, options);
    const { method, path } = request;
    const { idempotencyKey, keyKind, parameters } = call;
    const execute = async () => {
      try {
        const fault = await options.intercept({ method, path, keyKind, parameters });
        const outcome = outcomeUnder(fault, () => outcomeOf(() => route.run(call)));
        return { fault, outcome, isReplay: false };
      } catch (error) {
        return { fault: undefined, outcome: notBegun(error), isReplay: false };
      }
    };
    const key = `${keyKind} ${idempotencyKey}`;
    const { fault, outcome, isReplay } =
      idempotencyKey === null ? await execute() : await idempotency.run({ key, path, parameters }, execute);
    if (isReplay) response.set('Idempotent-Replayed', 'true');
    if (idempotencyKey !== null && outcome.status >= 500 && outcome.keep)
      response.set('Stripe-Should-Retry', 'false');
    if (fault?.kind === 'reset') {
      request.socket.resetAndDestroy();
      return;
    }
    if (fault?.kind === 'late-answer') await fault.until;
    send(response, outcome);
  };
}

function readCall(request: Request, route: Route, options: AppOptions): Call {
  const keyKind = authenticate(request.get('authorization'), options.keys);
  if (keyKind === 'publishable' && !route.browser) {
    const message = 'This API call cannot be made with a publishable API key. Please use a secret API key.';
    throw refusal(403, message, { code: 'secret_key_required' });
  }
  const posted = request.method === 'POST';
  return {
    keyKind,
    id: String(request.params.id ?? ''),
    parameters: posted ? (request.body ?? {}) : request.query,
    idempotencyKey: (posted ? request.get('idempotency-key') : undefined) ?? null,
  };
}

function authenticate(header: string | undefined, keys: AppOptions['keys']): Call['keyKind'] {
  const key = /^bearer (\S+)$/i.exec(header ?? '')?.[1];
  if (key === keys.secretKey) return 'secret';
  if (key === keys.publishableKey) return 'publishable';
  throw refusal(401, key === undefined ? 'You did not provide an API key.' : 'Invalid API Key provided.');
}

function send(response: Response, { status, body, headers = {} }: Outcome): void {
  response.set(headers).status(status).type('application/json').send(body);
}

let browserScript: Promise<string> | undefined;

/** Built once for each process. */
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
