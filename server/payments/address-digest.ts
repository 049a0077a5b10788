import { createHash } from 'node:crypto';

/** A short, case-insensitive digest of an e-mail address, to compare the address without storing it. */
export function addressDigest(email: string): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, 8);
}
