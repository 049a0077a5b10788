import type Stripe from 'stripe';
import type { Account, ApiCall } from './account.ts';
import { ApiError, type ErrorBody, resourceMissing } from './api-error.ts';
import type { PaymentMethod } from './payment-methods.ts';

type StripeFields = Pick<
  Stripe.PaymentIntent,
  | 'id'
  | 'object'
  | 'amount'
  | 'amount_capturable'
  | 'amount_received'
  | 'canceled_at'
  | 'cancellation_reason'
  | 'capture_method'
  | 'confirmation_method'
  | 'created'
  | 'currency'
  | 'description'
  | 'livemode'
  | 'metadata'
  | 'payment_method_types'
  | 'receipt_email'
  | 'setup_future_usage'
  | 'status'
>;

/** The fields of Stripe's PaymentIntent that the sandbox keeps. */
export type PaymentIntent = StripeFields & {
  allowed_payment_method_types: string[] | null;
  client_secret: string;
  customer: string | null;
  last_payment_error: LastPaymentError | null;
  latest_charge: string | null;
  next_action: { type: 'use_stripe_sdk'; use_stripe_sdk: { type: 'three_d_secure_challenge' } } | null;
  payment_method: string | null;
};

type LastPaymentError = ErrorBody & { payment_method?: PaymentMethod };

/** The intent as a caller may see it: a publishable key gets neither customer nor metadata. */
export function viewPaymentIntent(intent: PaymentIntent, keyKind: ApiCall['keyKind']): object {
  if (keyKind === 'secret') return intent;
  const {
    allowed_payment_method_types,
    amount_capturable,
    amount_received,
    customer,
    latest_charge,
    metadata,
    ...visible
  } = intent;
  return { ...visible, last_payment_error: viewError(intent.last_payment_error, keyKind) };
}

/** A payment error as a caller may see it. */
export function viewError(error: LastPaymentError | null, keyKind: ApiCall['keyKind']): ErrorBody | null {
  if (error?.payment_method === undefined || keyKind === 'secret') return error;
  return { ...error, payment_method: { ...error.payment_method, customer: null, metadata: {} } };
}

/** The intent whose id is in the path; a publishable key must know its client secret. */
export function findPaymentIntent(
  account: Account,
  call: ApiCall,
  clientSecret: string | undefined,
): PaymentIntent {
  const intent = account.paymentIntents.get(call.id);
  if (!intent) throw resourceMissing('payment_intent', call.id);
  if (clientSecret === undefined && call.keyKind === 'secret') return intent;
  if (clientSecret === undefined) {
    throw new ApiError(400, {
      type: 'invalid_request_error',
      code: 'parameter_missing',
      param: 'client_secret',
      message: 'Missing required param: client_secret.',
    });
  }
  if (clientSecret !== intent.client_secret) {
    throw new ApiError(400, {
      type: 'invalid_request_error',
      code: 'payment_intent_invalid_parameter',
      param: 'client_secret',
      message:
        'The client_secret provided does not match the client_secret associated with the PaymentIntent.',
    });
  }
  return intent;
}

/** Keeps a changed intent and returns it. */
export function savePaymentIntent(
  account: Account,
  intent: PaymentIntent,
  changes: Partial<PaymentIntent>,
): PaymentIntent {
  const changed = { ...intent, ...changes };
  account.paymentIntents.set(changed.id, changed);
  return changed;
}
