import { createHmac } from 'node:crypto';
import type { RegistrationKey } from '#server/payments/payments.ts';
import { comparableContact } from '#server/record/registrations.ts';
import type { Contact } from '#shared/registration.ts';
import type { TakenOffer } from './taking.ts';

/** How long the same call counts as the same registration. */
const WINDOW_MS = 10 * 60 * 1000;

interface Details extends Contact {
  package: string;
  somebodyElse: boolean;
}

function hmacOf(secret: string, content: readonly unknown[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(content)).digest('hex');
}

/** The key of a registration with an offer: it is the same in whichever browser the offer is accepted. */
export function keyOfOffer(secret: string, { waitingId, until }: TakenOffer): RegistrationKey {
  return { value: hmacOf(secret, ['offer-key', waitingId, until.toISOString()]) };
}

/**
 * Makes the key of a registration from its details, the visitor's address and ten minutes of time, for callers who send
 * no Idempotency-Key (specification, section 7): the same call repeated is the same registration. Without the secret,
 * nobody can make another visitor's key; the same details from another address give another key.
 * @param secret known to this site alone
 */
export function keysOfDetails(secret: string, now: () => Date) {
  return (details: Details, address: string): RegistrationKey => {
    const content = [...comparableContact(details), details.package, details.somebodyElse, address];
    const keyOf = (window: number) => hmacOf(secret, ['registration-key', ...content, window]);
    const window = Math.floor(now().getTime() / WINDOW_MS);
    return { value: keyOf(window), before: keyOf(window - 1) };
  };
}
