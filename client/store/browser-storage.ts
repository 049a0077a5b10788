/** Uses one of the browser's storages; undefined where the visitor has forbidden it. */
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
