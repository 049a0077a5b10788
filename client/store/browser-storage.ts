type Kind = 'local' | 'session';

export function readStored(kind: Kind, key: string): string | undefined {
  return inStorage(kind, (storage) => storage.getItem(key)) ?? undefined;
}

export function writeStored(kind: Kind, key: string, text: string | undefined): void {
  inStorage(kind, (storage) => {
    if (text === undefined) storage.removeItem(key);
    else storage.setItem(key, text);
  });
}

export function inStorage<Value>(kind: Kind, use: (storage: Storage) => Value): Value | undefined {
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
