import { type Account, type ApiCall, newObjectId, randomToken } from './account.ts';
import { ApiError, type ErrorBody, resourceMissing } from './answer.ts';
import type { AttemptError, PaymentIntent } from './objects.ts';

/** A new intent that is not stored yet; fields that are not in `fields` have Stripe's defaults. */
export function newPaymentIntent(
  account: Account,
  fields: Partial<PaymentIntent> & Pick<PaymentIntent, 'amount' | 'currency' | 'metadata' | 'status'>,
): PaymentIntent {
  const id = newObjectId('pi');
  return {
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount_capturable: 0,
    amount_received: 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${randomToken(25)}`,
    confirmation_method: 'automatic',
    created: account.nowSeconds(),
    customer: null,
    description: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: false,
    next_action: null,
    payment_method: null,
    payment_method_types: ['card'],
    receipt_email: null,
    setup_future_usage: null,
    ...fields,
  };
}

/** The intent as a caller may see it: a publishable key gets neither customer nor metadata. */
export function viewPaymentIntent(
  intent: PaymentIntent,
  keyKind: ApiCall['keyKind'],
): { object: 'payment_intent'; [field: string]: unknown } {
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

/** The error of an attempt as a caller may see it. */
export function viewError(error: AttemptError | null, keyKind: ApiCall['keyKind']): ErrorBody | null {
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
  checkClientSecret(intent, call, clientSecret);
  return intent;
}

type Secretive = { object: 'payment_intent' | 'setup_intent'; client_secret: string };

/** Refuses a publishable key without the intent's client secret, and any key with a wrong client secret. */
export function checkClientSecret(
  { object, client_secret }: Secretive,
  { keyKind }: ApiCall,
  clientSecret: string | undefined,
): void {
  if (clientSecret === client_secret) return;
  if (clientSecret === undefined) {
    if (keyKind === 'secret') return;
    throw new ApiError(400, {
      type: 'invalid_request_error',
      code: 'parameter_missing',
      param: 'client_secret',
      message: 'Missing required param: client_secret.',
    });
  }
  const name = object === 'payment_intent' ? 'PaymentIntent' : 'SetupIntent';
  throw new ApiError(400, {
    type: 'invalid_request_error',
    code: `${object}_invalid_parameter`,
    param: 'client_secret',
    message: `The client_secret provided does not match the client_secret associated with the ${name}.`,
  });
}

/** Stores a changed intent and returns it. */
export function savePaymentIntent(
  account: Account,
  intent: PaymentIntent,
  changes: Partial<PaymentIntent>,
): PaymentIntent {
  const changed = { ...intent, ...changes };
  account.paymentIntents.set(changed.id, changed);
  return changed;
}
