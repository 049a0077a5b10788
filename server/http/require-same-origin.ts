import type { RequestHandler } from 'express';
import { AppError } from './app-error.ts';

/**
 * Refuses what another site's page sends, by the headers that no page can forge. A request without either does not come
 * from a current browser: what a cookie opens wants a token besides.
 * @param hidden takes `Origin: null` for no origin: so browsers without `Sec-Fetch-Site` send the forms of a page whose
 *   policy is `no-referrer`
 * @param told refuses what comes without either header
 * @see https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function requireSameOrigin(
  publicUrl?: string,
  { hidden = false, told: mustTell = false } = {},
): RequestHandler {
  const ownOrigin = publicUrl && new URL(publicUrl).origin;
  return (req, _res, next) => {
    const site = req.get('Sec-Fetch-Site');
    const told = req.get('Origin');
    const origin = hidden && told === 'null' ? undefined : told;
    const own = site
      ? site === 'same-origin'
      : origin
        ? isOwn(origin, ownOrigin, req.get('Host'))
        : !mustTell;
    next(own ? undefined : crossSite());
  };
}

/** Beside the public address the one it was reached at: localhost and 127.0.0.1 are one machine. */
function isOwn(origin: string, ownOrigin: string | undefined, host: string | undefined): boolean {
  return origin === ownOrigin || (URL.canParse(origin) && new URL(origin).host === host);
}

function crossSite(): AppError {
  return new AppError({
    code: 'cross_site',
    status: 403,
    message: 'This can only be sent from the page itself',
  });
}
