import { REGISTERED_STORAGE_KEY } from '#shared/head/registered.ts';
import { inStorage } from './browser-storage.ts';

/** Marks the page for a visitor who has paid, and the tab for the next load, see shared/head/registered.ts. */
export function markRegistered(registered: boolean): void {
  document.documentElement.toggleAttribute('data-registered', registered);
  inStorage('session', (storage) => {
    if (registered) storage.setItem(REGISTERED_STORAGE_KEY, 'yes');
    else storage.removeItem(REGISTERED_STORAGE_KEY);
  });
}
