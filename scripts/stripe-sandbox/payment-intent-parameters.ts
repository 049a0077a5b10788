import * as v from 'valibot';
import { createdFilter, pageParameters } from './list.ts';
import { boolean, clearable, email, integer, metadata, text } from './parameters.ts';

const currency = v.pipe(
  v.string('Invalid currency'),
  v.toLowerCase(),
  v.regex(/^[a-z]{3}$/, 'Invalid currency'),
);
const setupFutureUsage = v.picklist(['off_session', 'on_session'], 'Invalid setup_future_usage');

const sharedParameters = {
  allowed_payment_method_types: v.exactOptional(
    v.array(v.literal('card', 'Invalid payment method type: the sandbox takes cards only')),
  ),
  customer: v.exactOptional(text(255)),
  description: v.exactOptional(clearable(text(1000))),
  metadata: v.exactOptional(metadata),
  payment_method: v.exactOptional(text(255)),
  receipt_email: v.exactOptional(clearable(email)),
};

/** What the creation of an intent takes. */
export const createParameters = v.strictObject({
  ...sharedParameters,
  amount: integer,
  confirm: v.exactOptional(boolean),
  currency,
  off_session: v.exactOptional(boolean),
  return_url: v.exactOptional(v.string()),
  setup_future_usage: v.exactOptional(setupFutureUsage),
});

/** What an update takes; an empty string unsets. */
export const updateParameters = v.strictObject({
  ...sharedParameters,
  amount: v.exactOptional(integer),
  currency: v.exactOptional(currency),
  setup_future_usage: v.exactOptional(
    v.pipe(
      v.union([v.literal(''), setupFutureUsage], 'Invalid setup_future_usage'),
      v.transform((value) => (value === '' ? null : value)),
    ),
  ),
});

/** What a retrieval takes; a publishable key needs the client secret. */
export const retrieveParameters = v.strictObject({
  client_secret: v.exactOptional(text(255)),
});

/** What a list takes. */
export const listParameters = v.strictObject({
  ...pageParameters,
  created: v.exactOptional(createdFilter),
  customer: v.exactOptional(text(255)),
});

/** What a cancellation takes. */
export const cancelParameters = v.strictObject({
  cancellation_reason: v.exactOptional(
    v.picklist(
      ['abandoned', 'duplicate', 'fraudulent', 'requested_by_customer'],
      'Invalid cancellation_reason',
    ),
  ),
});
