import * as v from 'valibot';
import { createdFilter, pageParameters } from './list.ts';
import { boolean, clearable, email, integer, metadata, text } from './parameters.ts';

const id = text(255);

const currency = v.pipe(
  v.string('Invalid currency'),
  v.toLowerCase(),
  v.regex(/^[a-z]{3}$/, 'Invalid currency'),
);

const usage = (name: string) => v.picklist(['off_session', 'on_session'], `Invalid ${name}`);

const allowedTypes = v.array(v.literal('card', 'Invalid payment method type: the sandbox takes cards only'));

const shared = {
  allowed_payment_method_types: v.exactOptional(allowedTypes),
  customer: v.exactOptional(id),
  description: v.exactOptional(clearable(text(1000))),
  metadata: v.exactOptional(metadata),
  payment_method: v.exactOptional(id),
};

const confirmation = {
  client_secret: v.exactOptional(id),
  payment_method: v.exactOptional(id),
  return_url: v.exactOptional(v.string()),
  use_stripe_sdk: v.exactOptional(boolean),
};

const listing = {
  ...pageParameters,
  created: v.exactOptional(createdFilter),
  customer: v.exactOptional(id),
};

/** With a publishable key the client secret is required. */
const retrieve = v.strictObject({ client_secret: v.exactOptional(id) });

const cancelling = <const Reasons extends readonly string[]>(reasons: Reasons) =>
  v.strictObject({
    cancellation_reason: v.exactOptional(v.picklist(reasons, 'Invalid cancellation_reason')),
  });

/**
 * The parameters of the operations on payment intents; '' unsets one.
 * https://docs.stripe.com/api/payment_intents
 */
export const paymentParameters = {
  create: v.strictObject({
    ...shared,
    amount: integer,
    confirm: v.exactOptional(boolean),
    currency,
    off_session: v.exactOptional(boolean),
    receipt_email: v.exactOptional(clearable(email)),
    return_url: v.exactOptional(v.string()),
    setup_future_usage: v.exactOptional(usage('setup_future_usage')),
  }),
  update: v.strictObject({
    ...shared,
    amount: v.exactOptional(integer),
    currency: v.exactOptional(currency),
    receipt_email: v.exactOptional(clearable(email)),
    setup_future_usage: v.exactOptional(
      v.pipe(
        v.union([v.literal(''), usage('setup_future_usage')], 'Invalid setup_future_usage'),
        v.transform((value) => (value === '' ? null : value)),
      ),
    ),
  }),
  confirm: v.strictObject({
    ...confirmation,
    off_session: v.exactOptional(boolean),
    receipt_email: v.exactOptional(clearable(email)),
    setup_future_usage: v.exactOptional(usage('setup_future_usage')),
  }),
  retrieve,
  list: v.strictObject(listing),
  cancel: cancelling(['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer']),
};

/** The parameters of the operations on setup intents. https://docs.stripe.com/api/setup_intents */
export const setupParameters = {
  create: v.strictObject({
    ...shared,
    confirm: v.exactOptional(boolean),
    return_url: v.exactOptional(v.string()),
    usage: v.exactOptional(usage('usage')),
  }),
  update: v.strictObject(shared),
  confirm: v.strictObject(confirmation),
  retrieve,
  list: v.strictObject({ ...listing, payment_method: v.exactOptional(id) }),
  cancel: cancelling(['abandoned', 'duplicate', 'requested_by_customer']),
};

/** How a 3-D Secure challenge ended, as reported by the browser's script. */
export const challengeParameters = v.strictObject({
  client_secret: id,
  outcome: v.picklist(['authenticated', 'failed'], 'Invalid outcome'),
});
