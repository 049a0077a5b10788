import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Signs what a browser stores, so that nobody else can create it. */
export type Signer = ReturnType<typeof createSigner>;

/**
 * Signs with its own keys, derived from secrets that also serve other purposes.
 * @param secrets the first one signs, all of them are accepted: that is how a secret is rotated
 * @param purpose other purposes have other keys
 */
export function createSigner(secrets: readonly string[], purpose: string) {
  const keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  const [first = Buffer.alloc(0)] = keys;
  const mac = (text: string, key: Buffer): string =>
    createHmac('sha256', key).update(text).digest('base64url');
  return {
    macOf: (text: string): string => mac(text, first),
    isMac: (given: string, text: string): boolean => keys.some((key) => isSame(mac(text, key), given)),
  };
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
