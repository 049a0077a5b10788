import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHash } from '#server/config/users.ts';

/** The parameters that OWASP recommends: 32 MiB and about a quarter of a second for each hash. */
const STRENGTH = { cost: 2 ** 15, blockSize: 8, parallel: 3 };
type Strength = typeof STRENGTH;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Node has four threads for hashing; the other two stay free for reading files and resolving names. */
const AT_ONCE = 2;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** Hashes a new password. */
export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashOf(password, STRENGTH, salt, HASH_BYTES);
  return { ...STRENGTH, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/** Compares passwords with their hashes, at most two at once: each takes much memory. */
export interface Passwords {
  /** Without a hash, because there is no such user, it takes just as long to return false. */
  isRight(typed: string, hash: PasswordHash | undefined): Promise<boolean>;
}

/**
 * @param like a hash with the parameters that most users have: the password of an unknown user is compared
 *   with such a hash
 */
export function createPasswords(like: Strength = STRENGTH): Passwords {
  const { cost, blockSize, parallel } = like;
  const [salt, hash] = [SALT_BYTES, HASH_BYTES].map((bytes) => randomBytes(bytes).toString('base64url'));
  const dummyHash: PasswordHash = { cost, blockSize, parallel, salt: salt ?? '', hash: hash ?? '' };
  let running = 0;
  const waiting: (() => void)[] = [];
  return {
    async isRight(typed, password = dummyHash) {
      if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        const expected = Buffer.from(password.hash, 'base64url');
        const salt = Buffer.from(password.salt, 'base64url');
        return timingSafeEqual(await hashOf(typed, password, salt, expected.length), expected);
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}

/**
 * The password is normalized, because keyboards may encode the same character in different ways.
 * @see https://pages.nist.gov/800-63-4/sp800-63b.html
 */
function hashOf(password: string, by: Strength, salt: Buffer, bytes: number): Promise<Buffer> {
  const { cost, blockSize, parallel } = by;
  return derive(password.normalize('NFKC'), salt, bytes, {
    cost,
    blockSize,
    parallelization: parallel,
    maxmem: 256 * cost * blockSize,
  });
}
