import { inStorage } from '#client/store/browser-storage.ts';
import { REGISTERED_STORAGE_KEY } from '#shared/registered.ts';

/** Marks the page for a visitor who has paid, and the tab for the next load, see shared/registered.ts. */
export function markRegistered(registered: boolean): void {
  document.documentElement.toggleAttribute('data-registered', registered);
  inStorage('session', (storage) => {
    if (registered) storage.setItem(REGISTERED_STORAGE_KEY, 'yes');
    else storage.removeItem(REGISTERED_STORAGE_KEY);
  });
}
