import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { Secret, TOTP } from 'otpauth';
import type { ConfiguredUser, PasswordHash } from '#server/config/users.ts';
import type { Limiter } from '#server/web/limiter.ts';
import { typedNumber } from '#shared/typed-text.ts';

/** The parameters that OWASP recommends: 32 MiB and about a quarter of a second for each hash. */
const STRENGTH = { cost: 2 ** 15, blockSize: 8, parallel: 3 };

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

const random = (bytes: number): string => randomBytes(bytes).toString('base64url');

export async function hashPassword(password: string): Promise<PasswordHash> {
  const settings = { ...STRENGTH, salt: random(SALT_BYTES) };
  const hash = await hashOf(password, settings, HASH_BYTES);
  return { ...settings, hash: hash.toString('base64url') };
}

/**
 * NFKC, because keyboards may encode the same character in different ways.
 * @see https://pages.nist.gov/800-63-4/sp800-63b.html
 */
function hashOf(password: string, settings: Omit<PasswordHash, 'hash'>, bytes: number): Promise<Buffer> {
  const { cost, blockSize, parallel: parallelization, salt } = settings;
  const options = { cost, blockSize, parallelization, maxmem: 256 * cost * blockSize };
  return derive(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), bytes, options);
}

/**
 * Compares passwords with hashes, one at a time: each takes much memory and one of Node's four threads, which also read
 * files and resolve names.
 * @param like a hash as strong as those of most users
 */
export function createPasswordCheck(like: Omit<PasswordHash, 'salt' | 'hash'> = STRENGTH) {
  const nobody: PasswordHash = { ...like, salt: random(SALT_BYTES), hash: random(HASH_BYTES) };
  const waiting: Record<'first' | 'others', (() => void)[]> = { first: [], others: [] };
  let isRunning = false;
  /**
   * Without a hash, because there is no such user, it takes just as long to return false.
   * @param first goes before all others, so that strangers cannot hold up a user whose browser is known
   */
  return async (typed: string, password = nobody, { first = false } = {}): Promise<boolean> => {
    const queue = first ? waiting.first : waiting.others;
    if (isRunning) await new Promise<void>((resolve) => queue.push(resolve));
    isRunning = true;
    try {
      const expected = Buffer.from(password.hash, 'base64url');
      return timingSafeEqual(await hashOf(typed, password, expected.length), expected);
    } finally {
      const next = waiting.first.shift() ?? waiting.others.shift();
      if (next) next();
      else isRunning = false;
    }
  };
}

/** Clocks of phones differ from ours by a period: the previous code and the next one are accepted too. */
const WINDOW = 1;

export const newCodeSecret = (): string => new Secret({ size: 20 }).base32;

/** The configuration of an authenticator, as the URL in a QR code. */
export function authenticatorAddress(issuer: string, label: string, secret: string): string {
  return new TOTP({ issuer, label, secret }).toString();
}

/**
 * Whether a code is valid for the user, and later than each that was accepted before; any is, without an authenticator.
 * @param limiter notes the steps of accepted codes, so that no replica accepts one twice
 * @see https://www.rfc-editor.org/rfc/rfc6238#section-5.2
 */
export async function acceptCode(
  limiter: Pick<Limiter, 'takeOnce'>,
  { name, totp: secret }: ConfiguredUser,
  typed: string,
  at: Date,
): Promise<boolean> {
  if (secret === undefined) return true;
  const token = typedNumber(typed).replaceAll(/\s/g, '');
  const timestamp = at.getTime();
  const authenticator = new TOTP({ secret });
  const steps = /^\d{6}$/.test(token) ? authenticator.validate({ token, timestamp, window: WINDOW }) : null;
  if (steps === null) return false;
  const step = authenticator.counter({ timestamp }) + steps;
  const note = (one: number) => limiter.takeOnce(['code-steps', `${name}:${one}`]);
  // First the earlier ones that may still be in the window: none is accepted once this one is.
  for (let earlier = step - 2 * WINDOW; earlier < step; earlier += 1) await note(earlier);
  return note(step);
}
