import { createHash } from 'node:crypto';

/**
 * Names a registration at Stripe and in Redis, by its idempotency key's digest: whoever has the key itself, or a
 * payment's client secret, opens the registration.
 */
export function registrationName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
