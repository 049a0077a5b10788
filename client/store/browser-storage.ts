/** Uses one of the browser's storages; returns undefined where storage is blocked. */
export function inStorage<Value>(
  kind: 'local' | 'session',
  use: (storage: Storage) => Value,
): Value | undefined {
  try {
    return use(kind === 'local' ? localStorage : sessionStorage);
  } catch {
    return undefined;
  }
}

/** Calls back when a value in local storage changes in another tab, and when the page comes from the back-forward cache. */
export function followStored(storageKey: string, onChange: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === storageKey || key === null) onChange();
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) onChange();
  });
}
