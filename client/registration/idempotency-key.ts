const KEY_BYTES = 16;

/** A new registration's key: 32 random hexadecimal digits, in any browsing context. */
export function makeIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
