/** More keys than there are in use, and few enough to keep. */
const MOST_KEPT = 200;

/**
 * A function that makes what belongs to a key once, and then keeps it. Budget: mails, 0.8 of bare nodemailer.
 */
export function oncePer<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const kept = new Map<Key, Value>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= MOST_KEPT) kept.clear();
    const value = make(key);
    kept.set(key, value);
    return value;
  };
}
