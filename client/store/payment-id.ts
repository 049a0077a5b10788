import type { RegistrationData } from './registration-data.ts';

/** The id of a registration's payment, which is no secret; undefined before there is one. */
export function paymentIdOf({ paymentIntentClientSecret }: RegistrationData): string | undefined {
  return paymentIntentClientSecret?.split('_secret_')[0];
}
