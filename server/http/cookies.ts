import type { Request, Response } from 'express';

/**
 * The value of a cookie that was sent along.
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-4.2
 */
export function cookieOf(req: Request, name: string): string | undefined {
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
