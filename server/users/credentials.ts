import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import type { ConfiguredUser, PasswordHash } from '#server/config/users.ts';
import type { Limiter } from '#server/http/limiter.ts';
import { typedNumber } from '#shared/typed-text.ts';

/** The parameters that OWASP recommends: 32 MiB and about a quarter of a second for each hash. */
const STRENGTH = { cost: 2 ** 15, blockSize: 8, parallel: 3 };
type Strength = typeof STRENGTH;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await hashOf(password, STRENGTH, salt, HASH_BYTES);
  return { ...STRENGTH, salt: salt.toString('base64url'), hash: hash.toString('base64url') };
}

/**
 * Compares passwords with their hashes, one at a time: each takes much memory and one of Node's four threads, which
 * also read files and resolve names.
 * @param like a hash with the parameters that most users have: the password of an unknown user is compared
 *   with such a hash
 */
export function createPasswords(like: Strength = STRENGTH) {
  const { cost, blockSize, parallel } = like;
  const [salt, hash] = [SALT_BYTES, HASH_BYTES].map((bytes) => randomBytes(bytes).toString('base64url'));
  const dummyHash: PasswordHash = { cost, blockSize, parallel, salt: salt ?? '', hash: hash ?? '' };
  let isRunning = false;
  const waiting: Record<'first' | 'others', (() => void)[]> = { first: [], others: [] };
  return {
    /**
     * Without a hash, because there is no such user, it takes just as long to return false.
     * @param first goes before all that wait and do not have it, so that strangers cannot hold up who is known
     */
    async isRight(typed: string, password = dummyHash, { first = false } = {}): Promise<boolean> {
      const queue = first ? waiting.first : waiting.others;
      if (isRunning) await new Promise<void>((resolve) => queue.push(resolve));
      isRunning = true;
      try {
        const expected = Buffer.from(password.hash, 'base64url');
        const salt = Buffer.from(password.salt, 'base64url');
        return timingSafeEqual(await hashOf(typed, password, salt, expected.length), expected);
      } finally {
        const next = waiting.first.shift() ?? waiting.others.shift();
        if (next) next();
        else isRunning = false;
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

/** The default parameters of authenticators. */
const PERIOD_S = 30;
const DIGITS = 6;

/** Clocks of phones differ from ours: the previous code and the next one are accepted too. */
const WINDOW = 1;

const SECRET_BYTES = 20;

export function newCodeSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The configuration of an authenticator, as the URL in a QR code. */
export function authenticatorAddress(issuer: string, user: string, secret: string): string {
  return new TOTP({ issuer, label: user, secret, period: PERIOD_S, digits: DIGITS }).toString();
}

/**
 * The codes of users who have an authenticator.
 * @param limiter notes the steps of accepted codes, so that no replica accepts one twice
 */
export function createCodes(limiter: Pick<Limiter, 'takeOnce'>, time: () => Date) {
  return {
    /**
     * Whether this code is valid for the user, and later than each that was accepted before.
     * @see https://www.rfc-editor.org/rfc/rfc6238#section-5.2
     */
    async accept({ name, totp }: ConfiguredUser, typed: string): Promise<boolean> {
      if (totp === undefined) return true;
      const token = typedNumber(typed).replaceAll(/\s/g, '');
      const timestamp = time().getTime();
      const authenticator = new TOTP({ secret: totp, period: PERIOD_S, digits: DIGITS });
      const steps = /^\d{6}$/.test(token)
        ? authenticator.validate({ token, timestamp, window: WINDOW })
        : null;
      if (steps === null) return false;
      const step = authenticator.counter({ timestamp }) + steps;
      const note = (one: number) => limiter.takeOnce(['code-steps', `${name}:${one}`]);
      // First the earlier ones that may still be in the window: none is accepted once this one is.
      for (let earlier = step - 2 * WINDOW; earlier < step; earlier += 1) await note(earlier);
      return note(step);
    },
  };
}
