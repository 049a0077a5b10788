import { inStorage } from '#client/store/browser-storage.ts';

const STORAGE_KEY = 'registration-key';
const KEY_BYTES = 16;

/**
 * The key of the registration that this browser has under way, in whichever tab: 32 random hexadecimal digits. Two tabs
 * that send the same details thereby make one registration (R4.5).
 */
export function registrationKey(): string {
  const kept = readKey();
  if (kept) return kept;
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  const key = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  inStorage('local', (storage) => storage.setItem(STORAGE_KEY, key));
  return key;
}

/** A key for another registration than that of `used`, which is over or somebody else's. */
export function renewRegistrationKey(used: string | undefined): string {
  forgetRegistrationKey(used);
  return registrationKey();
}

/** Forgets a key whose registration is over; one that another tab made since stays. */
export function forgetRegistrationKey(used: string | undefined): void {
  if (readKey() === used) inStorage('local', (storage) => storage.removeItem(STORAGE_KEY));
}

function readKey(): string | null | undefined {
  return inStorage('local', (storage) => storage.getItem(STORAGE_KEY));
}
