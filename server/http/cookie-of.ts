import type { Request } from 'express';

/**
 * The value of a cookie that was sent along.
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-4.2
 */
export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.get('Cookie') ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}
