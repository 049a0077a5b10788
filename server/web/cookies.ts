import type { Request, Response } from 'express';

/** A cookie that no script can read. Browsers accept the prefix only for the whole host, without a domain, and secure. */
export function cookieOf(name: string, isSecure: boolean, path = '/') {
  const fullName = isSecure && path === '/' ? `__Host-${name}` : name;
  const attributes = { httpOnly: true, sameSite: 'lax', secure: isSecure, path } as const;
  return {
    read: (req: Request) => sentCookie(req, fullName),
    set(res: Response, text: string, maxAgeMs: number): void {
      res.cookie(fullName, text, { ...attributes, maxAge: maxAgeMs });
    },
    clear(res: Response): void {
      res.clearCookie(fullName, attributes);
    },
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc6265#section-4.2 */
function sentCookie(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

const MARK = 'cookie-set';

/**
 * Redirects to a page that needs the cookie set with this answer: there, `isMarked` tells that a missing cookie was not
 * kept by the browser, and the page says so instead of sending her back to where she came from.
 */
export function redirectMarked(res: Response, path: string): void {
  const [page = '', fragment] = path.split('#');
  const marked = `${page}${page.includes('?') ? '&' : '?'}${MARK}`;
  res.redirect(303, fragment === undefined ? marked : `${marked}#${fragment}`);
}

/** Whether `redirectMarked` led here. With the cookie, the page redirects to its address without the mark. */
export function isMarked(req: Request): boolean {
  return MARK in req.query;
}
