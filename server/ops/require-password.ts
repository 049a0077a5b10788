import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler, Response } from 'express';
import { visitorAddress } from '#server/http/visitor-address.ts';
import type { GuessLimit } from './limit-guesses.ts';

export interface Credentials {
  user: string;
  /** Undefined outside production: metrics are then open, on loopback. */
  password: string | undefined;
}

/**
 * HTTP Basic authentication, compared in constant time. After too many wrong passwords an address gets 429, even with
 * the right one; a request without a password only gets the challenge. @see RFC 7617
 */
export function requirePassword({ user, password }: Credentials, guesses: GuessLimit): RequestHandler {
  if (password === undefined) return (_req, _res, next) => next();
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  return async (req, res, next) => {
    const given = req.get('Authorization');
    if (given) {
      const address = visitorAddress(req);
      const waitMs = await guesses.count(address);
      if (waitMs !== undefined) {
        refuseGuess(res, waitMs);
        return;
      }
      if (timingSafeEqual(digest(given), expected)) {
        await guesses.uncount(address);
        next();
        return;
      }
    }
    res.status(401).set('WWW-Authenticate', 'Basic realm="ops", charset="UTF-8"').end();
  };
}

function refuseGuess(res: Response, waitMs: number): void {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  res.status(429).set('Retry-After', String(seconds)).type('text');
  res.send(`There were too many wrong passwords. Please try again in ${seconds} s.\n`);
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
