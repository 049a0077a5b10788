import { readStored, writeStored } from '#client/store/browser-storage.ts';
import type { RegistrationData } from '#client/store/stepper-slice.ts';
import { facts } from '#shared/content/compiled/on-sale.ts';

/** Per edition: a key left over from another edition names a registration for that one. */
const KEY_STORED_AS = `registration-key-${facts.id}`;
const KEY_BYTES = 16;

/**
 * The key of this browser's current registration, shared by all its tabs: 32 random hexadecimal digits. So
 * two tabs that send the same details make one registration (R4.5).
 */
export function registrationKey(): string {
  const kept = readStored('local', KEY_STORED_AS);
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  writeStored('local', KEY_STORED_AS, key);
  return key;
}

/** Deletes the key of a registration that is over; a newer key made by another tab stays. */
export function forgetRegistrationKey(used: string | undefined): void {
  if (readStored('local', KEY_STORED_AS) === used) writeStored('local', KEY_STORED_AS, undefined);
}

/**
 * The changes that give a registration a new key and no payment, when its payment is closed or belongs to
 * somebody else. The details stay.
 */
export function replacePayment({ idempotencyKey }: RegistrationData): RegistrationData {
  forgetRegistrationKey(idempotencyKey);
  return {
    idempotencyKey: registrationKey(),
    paymentIntentClientSecret: undefined,
    amountCents: undefined,
    unanswered: undefined,
    confirmationUnheard: undefined,
  };
}
