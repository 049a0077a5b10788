import { createHmac, timingSafeEqual } from 'node:crypto';

/** What proves that this site said something. */
export function macOf(said: string, secret: string): string {
  return createHmac('sha256', secret).update(said).digest('base64url');
}

/** Whether one of the secrets makes this MAC: the first one makes tokens, all of them open. */
export function isMacOf(mac: string, said: string, secrets: readonly string[]): boolean {
  return secrets.some((secret) => isSame(macOf(said, secret), mac));
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  return first.length === second.length && timingSafeEqual(first, second);
}
