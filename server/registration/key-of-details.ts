import { createHmac } from 'node:crypto';
import type { RegistrationKey } from '#server/payments/payments.ts';
import { comparableContact } from '#server/record/registrations.ts';
import type { Contact } from '#shared/registration.ts';

/** How long the same call counts as the same registration. */
const WINDOW_MS = 10 * 60 * 1000;

interface Details extends Contact {
  package: string;
  somebodyElse: boolean;
}

/** Makes the key for a call without an Idempotency-Key. */
export type KeyOfDetails = (details: Details, address: string) => RegistrationKey;

/** The key of a registration with an offer: it is the same in whichever browser the offer is accepted. */
export function keyOfOffer(
  secret: string,
  { waitingId, until }: { waitingId: string; until: Date },
): RegistrationKey {
  const content = JSON.stringify(['offer-key', waitingId, until.toISOString()]);
  return { value: createHmac('sha256', secret).update(content).digest('hex') };
}

/**
 * Makes the key of a registration from its details, the visitor's address and ten minutes of time, for callers who send
 * no Idempotency-Key (specification, section 7): the same call repeated is the same registration. Without the secret,
 * nobody can make another visitor's key; the same details from another address give another key.
 * @param secret known to this site alone
 */
export function keysOfDetails(secret: string, now: () => Date): KeyOfDetails {
  return (details, address) => {
    const { package: packageId, somebodyElse } = details;
    const content = [...comparableContact(details), packageId, somebodyElse, address];
    const keyOf = (window: number): string =>
      createHmac('sha256', secret)
        .update(JSON.stringify(['registration-key', ...content, window]))
        .digest('hex');
    const window = Math.floor(now().getTime() / WINDOW_MS);
    return { value: keyOf(window), before: keyOf(window - 1) };
  };
}
