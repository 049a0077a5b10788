import { useSyncExternalStore } from 'react';

const neverChanges = () => () => {};
const isHydrated = () => true;
const isNotHydrated = () => false;

/** Whether the component is hydrated: false on the server and during hydration. */
export function useHydrated(): boolean {
  return useSyncExternalStore(neverChanges, isHydrated, isNotHydrated);
}
