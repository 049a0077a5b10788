import { createHash } from 'node:crypto';

/** A short digest of an e-mail address, whatever its case, to compare it without storing it. */
export function addressDigest(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 8);
}
