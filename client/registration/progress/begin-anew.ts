import { renewRegistrationKey } from '#client/registration/payment/registration-key.ts';
import type { RegistrationData } from '#client/store/registration-data.ts';

/**
 * What a registration goes on with when its payment is over, or somebody else's: another key, and no payment yet. The
 * details stay.
 */
export function beginAnew({ idempotencyKey }: RegistrationData): RegistrationData {
  return {
    idempotencyKey: renewRegistrationKey(idempotencyKey),
    paymentIntentClientSecret: undefined,
    amountCents: undefined,
    unanswered: undefined,
    confirmationUnheard: undefined,
  };
}
