import { useSyncExternalStore } from 'react';

const neverChanges = () => () => {};
const isHydrated = () => true;
const isNotHydrated = () => false;

/** Whether this code runs in the browser: not on the server, nor while the server's HTML is taken over. */
export function useHydrated(): boolean {
  return useSyncExternalStore(neverChanges, isHydrated, isNotHydrated);
}
