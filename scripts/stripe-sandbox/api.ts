import express from 'express';
import type { Account, Endpoint } from './account.ts';
import { chargeEndpoints } from './charges.ts';
import { allowLoopbackOrigins } from './cross-origin.ts';
import { customerEndpoints } from './customers.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { paymentConfirmationEndpoints } from './payment-confirmation.ts';
import { paymentIntentEndpoints } from './payment-intents.ts';
import { paymentMethodEndpoints } from './payment-methods.ts';
import { createHandler, type HandlerOptions, type Route } from './request-handler.ts';

type ApiOptions = HandlerOptions & { account: Account; now: () => number };

/** The part of Stripe's API that the sandbox speaks, as an Express router. */
export function createApi(options: ApiOptions): express.Router {
  const api = express.Router();
  const idempotency = new IdempotencyKeys(options.now);
  api.use(allowLoopbackOrigins, express.urlencoded({ extended: true }));
  for (const route of routes(options.account)) {
    const handler = createHandler(route, idempotency, options);
    if (route.method === 'GET') api.get(route.path, handler);
    else api.post(route.path, handler);
  }
  return api;
}

function routes(account: Account): Route[] {
  const charges = chargeEndpoints(account);
  const customers = customerEndpoints(account);
  const methods = paymentMethodEndpoints(account);
  const intents = paymentIntentEndpoints(account);
  const confirmation = paymentConfirmationEndpoints(account);
  return [
    post('/v1/customers', customers.create),
    get('/v1/customers', customers.list),
    get('/v1/customers/:id', customers.retrieve),
    post('/v1/customers/:id', customers.update),
    fromBrowser(post('/v1/payment_methods', methods.create)),
    get('/v1/payment_methods/:id', methods.retrieve),
    post('/v1/payment_intents', intents.create),
    get('/v1/payment_intents', intents.list),
    fromBrowser(get('/v1/payment_intents/:id', intents.retrieve)),
    post('/v1/payment_intents/:id', intents.update),
    post('/v1/payment_intents/:id/cancel', intents.cancel),
    fromBrowser(post('/v1/payment_intents/:id/confirm', confirmation.confirm)),
    fromBrowser(post('/sandbox/payment_intents/:id/challenge', confirmation.answerChallenge)),
    get('/v1/charges', charges.list),
    get('/v1/charges/:id', charges.retrieve),
  ];
}

const get = (path: string, endpoint: Endpoint): Route => ({ method: 'GET', path, browser: false, endpoint });
const post = (path: string, endpoint: Endpoint): Route => ({
  method: 'POST',
  path,
  browser: false,
  endpoint,
});
const fromBrowser = (route: Route): Route => ({ ...route, browser: true });
