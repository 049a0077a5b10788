import { createHash } from 'node:crypto';

/** What makes repeated submits one registration (R4.5). */
export interface RegistrationKey {
  /** The idempotency key: the browser's, or one that the server made of the details. */
  value: string;
  /** For the server's own: what it would have made shortly before. */
  before?: string;
}

/**
 * Names a registration at Stripe and in Redis, by its idempotency key's digest: whoever has the key itself, or a
 * payment's client secret, opens the registration.
 */
export function registrationName(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
