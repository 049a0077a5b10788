import type { Account, ApiCall, Cause } from './account.ts';
import { ApiError, unexpectedState } from './answer.ts';
import { resolvePaymentMethod } from './cards.ts';
import { declineError } from './declines.ts';
import type { AttemptError, SetupIntent, StoredPaymentMethod } from './objects.ts';
import { authenticationFailure } from './payment-attempt.ts';
import { viewError } from './payment-intent.ts';
import { attachTo, checkOwner } from './payment-methods.ts';

/** The intent as a caller may see it: a publishable key gets neither customer nor metadata. */
export function viewSetupIntent(
  intent: SetupIntent,
  keyKind: ApiCall['keyKind'],
): { object: 'setup_intent'; [field: string]: unknown } {
  if (keyKind === 'secret') return intent;
  const { allowed_payment_method_types, customer, metadata, ...visible } = intent;
  return { ...visible, last_setup_error: viewError(intent.last_setup_error, keyKind) };
}

/**
 * Stores the card of an intent, or of the call. If the attempt fails, throws its card error, with the
 * intent's state after it. https://docs.stripe.com/api/setup_intents/confirm
 */
export function confirmSetup(
  account: Account,
  intent: SetupIntent,
  requested: string | undefined,
  call: ApiCall,
): object {
  const stored = chooseCard(account, intent, requested, call);
  const { decline, attaches, authentication } = stored.behaviour;
  const payment_method = stored.paymentMethod.id;
  const confirmed: SetupIntent = { ...intent, payment_method, last_setup_error: null, next_action: null };
  if (authentication !== 'never') {
    const waiting = save(account, confirmed, {
      status: 'requires_action',
      next_action: { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_challenge' } },
    });
    account.publish('setup_intent.requires_action', waiting, call);
    return viewSetupIntent(waiting, call.keyKind);
  }
  if (!decline || attaches) return viewSetupIntent(succeed(account, confirmed, stored, call), call.keyKind);
  const failed = fail(account, confirmed, declineError(decline, stored), call);
  const error = viewError(failed.last_setup_error, call.keyKind);
  throw new ApiError(402, {
    type: 'card_error',
    message: decline.message,
    ...error,
    setup_intent: viewSetupIntent(failed, call.keyKind),
  });
}

/** Ends a 3-D Secure challenge. */
export function answerSetupChallenge(
  account: Account,
  intent: SetupIntent,
  outcome: 'authenticated' | 'failed',
  call: ApiCall,
): object {
  if (intent.status !== 'requires_action' || intent.payment_method === null) {
    throw unexpectedState(
      `This SetupIntent has a status of ${intent.status}: no challenge is open.`,
      viewSetupIntent(intent, call.keyKind),
    );
  }
  const stored = resolvePaymentMethod(account, intent.payment_method);
  const { decline, attaches } = stored.behaviour;
  const settle = () => {
    if (outcome === 'failed')
      return fail(account, intent, authenticationFailure(intent.object, stored), call);
    if (decline && !attaches) return fail(account, intent, declineError(decline, stored), call);
    return succeed(account, intent, stored, call);
  };
  return viewSetupIntent(settle(), call.keyKind);
}

/**
 * The card that an intent has to store. If there is none, or it may not be stored, throws what Stripe
 * answers.
 */
export function chooseCard(
  account: Account,
  intent: SetupIntent,
  requested: string | undefined,
  call: ApiCall,
): StoredPaymentMethod {
  const refuse = (reason: string) =>
    unexpectedState(
      `You cannot confirm this SetupIntent because ${reason}.`,
      viewSetupIntent(intent, call.keyKind),
    );
  const id = requested ?? intent.payment_method;
  if (id === null) {
    throw refuse(
      "it's missing a payment method. You can either update the SetupIntent with a payment method and then confirm it again, or confirm it again directly with a payment method or ConfirmationToken",
    );
  }
  if (intent.status === 'succeeded') throw refuse('it has already succeeded');
  if (intent.status === 'canceled') throw refuse('it has been canceled');
  const stored = resolvePaymentMethod(account, id);
  checkOwner(stored, intent, call);
  return stored;
}

/** Attaches the card to the intent's customer. https://docs.stripe.com/payments/save-and-reuse */
function succeed(
  account: Account,
  intent: SetupIntent,
  stored: StoredPaymentMethod,
  cause: Cause,
): SetupIntent {
  if (intent.customer !== null) attachTo(stored, intent.customer);
  if (intent.usage === 'off_session') stored.setUpForOffSession = true;
  const done = save(account, intent, { status: 'succeeded', next_action: null });
  account.publish('setup_intent.succeeded', done, cause);
  return done;
}

function fail(account: Account, intent: SetupIntent, error: AttemptError, cause: Cause): SetupIntent {
  const failed = save(account, intent, {
    status: 'requires_payment_method',
    payment_method: null,
    last_setup_error: error,
    next_action: null,
  });
  account.publish('setup_intent.setup_failed', failed, cause);
  return failed;
}

function save(account: Account, intent: SetupIntent, changes: Partial<SetupIntent>): SetupIntent {
  const changed = { ...intent, ...changes };
  account.setupIntents.set(changed.id, changed);
  return changed;
}
