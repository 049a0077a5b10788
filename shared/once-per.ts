/** More keys than are used at the same time, but few enough for memory. */
const MAX_ENTRIES = 200;

/** Memoizes `make` by its key. Budget: mails, 0.8 of bare nodemailer. */
export function oncePer<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= MAX_ENTRIES) kept.clear();
    const value = make(key);
    kept.set(key, value);
    return value;
  };
}
