import * as v from 'valibot';
import type { Account, Intent } from './account.ts';
import { checkoutSessions } from './checkout.ts';
import { customers, paymentMethods } from './customers.ts';
import {
  confirmIntent,
  intentOperations,
  newIntent,
  newIntentFields,
  report,
  unexpectedState,
  usage,
} from './intents.ts';
import { createRefund, submitEvidence } from './refunds.ts';
import {
  id,
  integer,
  mergeMetadata,
  nothing,
  operation,
  optionalEmail,
  optionalId,
  optionalMetadata,
  phrase,
  type Resource,
  type Resources,
  type Route,
} from './routes.ts';

const newSetup = v.strictObject({ ...newIntentFields, usage: v.exactOptional(usage) });

// https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts
const amount = v.pipe(integer, v.minValue(50, 'Amount must be at least $0.50 usd'));

const currency = v.picklist(['usd', 'eur'], 'Invalid currency');

const paymentFields = {
  statement_descriptor_suffix: phrase(18),
  description: phrase(1000),
  receipt_email: optionalEmail,
  ...optionalMetadata,
};

const paymentChanges = v.strictObject({
  ...paymentFields,
  amount: v.exactOptional(amount),
  currency: v.exactOptional(currency),
});

const newPayment = v.strictObject({
  ...newIntentFields,
  ...paymentFields,
  amount,
  currency,
  setup_future_usage: v.exactOptional(usage),
});

const newRefund = v.strictObject({
  amount: v.exactOptional(v.pipe(integer, v.minValue(1))),
  payment_intent: id,
  ...optionalMetadata,
  reason: v.exactOptional(v.literal('requested_by_customer', 'Invalid reason')),
});

const evidence = v.strictObject({ evidence: v.strictObject({ uncategorized_text: v.string() }) });

/** Everything that the sandbox serves: a new kind of object is one more entry. https://docs.stripe.com/api */
export function createResources(account: Account): Resources {
  return {
    balance_transaction: { path: 'balance_transactions', filters: { payout: optionalId } },
    charge: { path: 'charges', filters: { customer: optionalId, payment_intent: optionalId } },
    'checkout.session': checkoutSessions(account),
    customer: customers(account),
    dispute: {
      path: 'disputes',
      filters: { payment_intent: optionalId },
      update: operation(evidence, (given, { id }) =>
        submitEvidence(account, id, given.evidence.uncategorized_text),
      ),
    },
    event: { path: 'events', filters: { types: v.exactOptional(v.array(v.string())) } },
    payment_intent: paymentIntents(account),
    payment_method: paymentMethods(account),
    payout: { path: 'payouts', filters: {} },
    refund: {
      path: 'refunds',
      filters: { charge: optionalId, payment_intent: optionalId },
      create: operation(newRefund, (order) => createRefund(account, order)),
    },
    setup_intent: setupIntents(account),
    webhook_endpoint: { path: 'webhook_endpoints', filters: {} },
  };
}

export const ownAccount: Route = {
  method: 'get',
  path: '/v1/account',
  ...operation(nothing, () => ({
    id: 'acct_sandbox',
    object: 'account',
    charges_enabled: true,
    payouts_enabled: true,
    requirements: { currently_due: [] },
    settings: { payments: { statement_descriptor: 'SANDBOX' } },
  })),
};

function paymentIntents(account: Account): Resource {
  return {
    path: 'payment_intents',
    filters: { customer: optionalId },
    ...intentOperations(account, 'payment_intent'),
    create: operation(newPayment, ({ confirm, ...given }) =>
      begin(account, confirm, {
        object: 'payment_intent',
        amount_received: 0,
        canceled_at: null,
        description: null,
        last_payment_error: null,
        latest_charge: null,
        receipt_email: null,
        statement_descriptor_suffix: null,
        setup_future_usage: null,
        ...given,
        ...newIntent(account, 'pi', given),
      }),
    ),
    update: operation(paymentChanges, ({ metadata: pairs, ...fields }, call) => {
      const intent = account.find('payment_intent', call.id);
      // A cancelled intent takes no changes at all. https://docs.stripe.com/payments/paymentintents/lifecycle
      if (intent.status === 'canceled') throw unexpectedState('update', intent);
      const isFixed = intent.status === 'succeeded' || intent.status === 'processing';
      if (isFixed && (fields.amount ?? fields.currency) !== undefined)
        throw unexpectedState('update the amount of', intent);
      const changes = { ...fields, last_payment_error: null };
      return account.save({ ...intent, ...changes, metadata: mergeMetadata(intent.metadata, pairs) });
    }),
  };
}

function setupIntents(account: Account): Resource {
  return {
    path: 'setup_intents',
    filters: { customer: optionalId },
    ...intentOperations(account, 'setup_intent'),
    create: operation(newSetup, ({ confirm, ...given }) =>
      begin(account, confirm, {
        object: 'setup_intent',
        last_setup_error: null,
        usage: 'off_session',
        ...given,
        ...newIntent(account, 'seti', given),
      }),
    ),
  };
}

function begin(account: Account, isConfirmed: boolean | undefined, intent: Intent): Intent {
  if (intent.customer !== null) account.find('customer', intent.customer, 'customer');
  report(account, 'created', intent);
  return isConfirmed ? confirmIntent(account, intent, {}) : intent;
}
