import { inStorage } from '#client/store/browser-storage.ts';
import type { Consent } from '#client/store/consent-slice.ts';

const STORAGE_KEY = 'consent';

declare global {
  interface Navigator {
    /** @see https://www.w3.org/TR/gpc/ */
    readonly globalPrivacyControl?: boolean;
  }
}

/**
 * The consent known without asking: the browser's own refusal, which takes precedence, or the stored answer.
 */
export function readConsent(): Consent {
  if (navigator.globalPrivacyControl === true || navigator.doNotTrack === '1') return 'refusedByBrowser';
  const stored = inStorage('local', (storage) => storage.getItem(STORAGE_KEY));
  return stored === 'granted' || stored === 'denied' ? stored : 'unasked';
}

/** Remembers an answer. */
export function storeConsent(consent: Consent): void {
  if (consent !== 'granted' && consent !== 'denied') return;
  inStorage('local', (storage) => storage.setItem(STORAGE_KEY, consent));
}

/**
 * Calls back when the answer changes in another tab, and when this page returns from the back-forward cache.
 */
export function followStoredConsent(onChange: (consent: Consent) => void): void {
  window.addEventListener('storage', ({ key }) => {
    if (key === STORAGE_KEY || key === null) onChange(readConsent());
  });
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) onChange(readConsent());
  });
}
