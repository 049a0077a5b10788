import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

type Key = string | Buffer;

/** Proves that texts come from this site. */
export type Seal = ReturnType<typeof createSeal>;

/** @param keys the first one signs, all of them are accepted: that is how a secret is rotated */
export function createSeal(keys: readonly Key[]) {
  const [first = ''] = keys;
  const mac = (text: string, key: Key): string => createHmac('sha256', key).update(text).digest('base64url');
  const macOf = (text: string): string => mac(text, first);
  const isMac = (given: string, text: string): boolean => keys.some((key) => isSame(mac(text, key), given));
  return {
    macOf,
    isMac,
    /** A token: the text, a dot, and the MAC of both the text and a context that the token does not contain. */
    seal: (text: string, context = ''): string => `${text}.${macOf(context + text)}`,
    /** The text of a token that was sealed in the same context; undefined for what is no such token. */
    open(token: string, context = ''): string | undefined {
      const end = token.lastIndexOf('.');
      const text = token.slice(0, end);
      return end > 0 && isMac(token.slice(end + 1), context + text) ? text : undefined;
    },
  };
}

/** Keys for one purpose, from secrets that also serve others. */
export function keysFor(purpose: string, secrets: readonly string[]): Buffer[] {
  return secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
}

/** Compares in constant time, so that the duration reveals nothing but the lengths. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const SHORT = 8;

/** A short digest, to compare texts without storing them. */
export function shortDigest(text: string): string {
  return sha256Of(text).slice(0, SHORT);
}

/** The same of an e-mail address, in whichever case it is written. */
export function addressDigest(email: string): string {
  return shortDigest(email.toLowerCase());
}
