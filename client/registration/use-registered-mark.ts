import { useEffect, useRef } from 'react';
import { REGISTERED_STORAGE_KEY } from '#shared/registered.ts';
import { inStorage } from './browser-storage.ts';

/** Marks the page of who has paid, for as long as she sees that, see shared/registered.ts. */
export function useRegisteredMark(registered: boolean): void {
  const was = useRef(false);
  useEffect(() => {
    // A page that was loaded again is marked before it knows what was kept.
    if (registered === was.current) return;
    was.current = registered;
    document.documentElement.toggleAttribute('data-registered', registered);
    inStorage('session', (storage) => {
      if (registered) storage.setItem(REGISTERED_STORAGE_KEY, 'yes');
      else storage.removeItem(REGISTERED_STORAGE_KEY);
    });
  }, [registered]);
}
