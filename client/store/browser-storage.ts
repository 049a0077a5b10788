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
