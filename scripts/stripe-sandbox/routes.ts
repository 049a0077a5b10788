import type { Account, Endpoint } from './account.ts';
import { chargeEndpoints } from './charges.ts';
import { customerEndpoints } from './customers.ts';
import { disputeEndpoints } from './disputes.ts';
import { type Answers, many, one, withExpansion } from './expand.ts';
import { paymentConfirmationEndpoints } from './payment-confirmation.ts';
import { paymentIntentEndpoints } from './payment-intents.ts';
import { paymentMethodEndpoints } from './payment-methods.ts';
import { productEndpoints } from './products.ts';
import { refundEndpoints } from './refunds.ts';
import type { Route } from './request-handler.ts';
import { setupIntentEndpoints } from './setup-intents.ts';

/**
 * The part of Stripe's API that the sandbox implements, and the sandbox's own answers to 3-D Secure
 * challenges.
 */
export function createRoutes(account: Account): Route[] {
  const charges = chargeEndpoints(account);
  const customers = customerEndpoints(account);
  const disputes = disputeEndpoints(account);
  const methods = paymentMethodEndpoints(account);
  const intents = paymentIntentEndpoints(account);
  const confirmation = paymentConfirmationEndpoints(account);
  const products = productEndpoints(account);
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
    add('DELETE', '/v1/customers/:id', one('customer'), customers.remove),
    add('GET', '/v1/customers/:ownerId/payment_methods', many('payment_method'), methods.listOfCustomer),
    add(
      'GET',
      '/v1/customers/:ownerId/payment_methods/:id',
      one('payment_method'),
      methods.retrieveOfCustomer,
    ),
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
    add('POST', '/v1/charges/:id', one('charge'), charges.update),
    add('POST', '/v1/products', one('product'), products.create),
    add('GET', '/v1/products/:id', one('product'), products.retrieve),
    add('POST', '/v1/products/:id', one('product'), products.update),
    add('POST', '/v1/refunds', one('refund'), refunds.create),
    add('GET', '/v1/refunds', many('refund'), refunds.list),
    add('GET', '/v1/refunds/:id', one('refund'), refunds.retrieve),
    add('POST', '/v1/refunds/:id', one('refund'), refunds.update),
    add('GET', '/v1/disputes', many('dispute'), disputes.list),
    add('GET', '/v1/disputes/:id', one('dispute'), disputes.retrieve),
  ];
}

const fromBrowser = (route: Route): Route => ({ ...route, browser: true });
