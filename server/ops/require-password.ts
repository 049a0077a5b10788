import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestHandler } from 'express';

export interface Credentials {
  user: string;
  /** Undefined outside production: the page is then open, on loopback. */
  password: string | undefined;
}

/** HTTP Basic authentication, compared in constant time. @see RFC 7617 */
export function requirePassword({ user, password }: Credentials): RequestHandler {
  if (password === undefined) return (_req, _res, next) => next();
  const expected = digest(`Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`);
  return (req, res, next) => {
    if (timingSafeEqual(digest(req.get('Authorization') ?? ''), expected)) {
      next();
      return;
    }
    res.status(401).set('WWW-Authenticate', 'Basic realm="ops", charset="UTF-8"').end();
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
