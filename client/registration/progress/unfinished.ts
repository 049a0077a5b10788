import { inStorage } from '#client/store/browser-storage.ts';
import { UNFINISHED_KEPT_DAYS } from '#shared/page.ts';

const PREFIX = 'unfinished-';
const KEPT_MS = UNFINISHED_KEPT_DAYS * 24 * 60 * 60 * 1000;

/** Separates the stored registration from its expiry time before it. */
const SEPARATOR = ' ';

/** Stores a registration that has its payment, as text, so that the reminder's link can restore it. */
export function keepUnfinished(paymentId: string, registration: string): void {
  const kept = `${Date.now() + KEPT_MS}${SEPARATOR}${registration}`;
  inStorage('local', (storage) => storage.setItem(PREFIX + paymentId, kept));
}

/** The registration of a payment, if this browser has it. */
export function readUnfinished(paymentId: string): string | undefined {
  const kept = inStorage('local', (storage) => storage.getItem(PREFIX + paymentId));
  return kept?.slice(kept.indexOf(SEPARATOR) + 1);
}

/** Forgets a registration that was paid or abandoned. */
export function forgetUnfinished(paymentId: string): void {
  inStorage('local', (storage) => storage.removeItem(PREFIX + paymentId));
}

/** Deletes registrations that have expired. */
export function forgetOldUnfinished(): void {
  inStorage('local', (storage) => {
    for (const key of Object.keys(storage)) {
      const current = Number.parseInt(storage.getItem(key) ?? '', 10) > Date.now();
      if (key.startsWith(PREFIX) && !current) storage.removeItem(key);
    }
  });
}
