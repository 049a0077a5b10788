import type { Account, ApiCall } from './account.ts';
import { ApiError, type ErrorBody, resourceMissing } from './api-error.ts';
import type { LastPaymentError, PaymentIntent } from './stored-objects.ts';

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
