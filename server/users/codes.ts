import { Secret, TOTP } from 'otpauth';
import type { ConfiguredUser } from '#server/config/users.ts';
import type { ShortNotes } from './short-notes.ts';

/** The default parameters of authenticators. */
const PERIOD_S = 30;
const DIGITS = 6;

/** Clocks of phones differ from ours: the previous code and the next one are accepted too. */
const WINDOW = 1;

/** A code is accepted while its step is in the window. */
const ACCEPTED_FOR_MS = (2 * WINDOW + 1) * PERIOD_S * 1000;

const SECRET_BYTES = 20;

/** The secret of a new authenticator, in base32. */
export function newCodeSecret(): string {
  return new Secret({ size: SECRET_BYTES }).base32;
}

/** The configuration of an authenticator, as the URL in a QR code. */
export function authenticatorAddress(issuer: string, user: string, secret: string): string {
  return new TOTP({ issuer, label: user, secret, period: PERIOD_S, digits: DIGITS }).toString();
}

/**
 * The codes of users who have an authenticator.
 * @param accepted where accepted codes are noted, so that no replica accepts one twice
 */
export function createCodes(accepted: ShortNotes, time: () => Date) {
  return {
    /** Whether this code is valid for the user, and was not accepted before. */
    async accept({ name, totp }: ConfiguredUser, typed: string): Promise<boolean> {
      if (totp === undefined) return true;
      const token = typed.replaceAll(/\s/g, '');
      const timestamp = time().getTime();
      const authenticator = new TOTP({ secret: totp, period: PERIOD_S, digits: DIGITS });
      const steps = /^\d{6}$/.test(token)
        ? authenticator.validate({ token, timestamp, window: WINDOW })
        : null;
      if (steps === null) return false;
      const step = authenticator.counter({ timestamp }) + steps;
      return accepted.note(`${name}:${step}`, ACCEPTED_FOR_MS);
    },
  };
}
