import { createHmac, timingSafeEqual } from 'node:crypto';

/** The MAC that proves that a text comes from this site. */
export function macOf(said: string, secret: string): string {
  return createHmac('sha256', secret).update(said).digest('base64url');
}

/** Whether this MAC was made with one of the secrets. The first secret signs; all of them are accepted. */
export function isMacOf(mac: string, said: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => isSame(macOf(said, secret), mac));
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
