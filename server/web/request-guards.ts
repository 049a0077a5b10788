import type { Request, RequestHandler } from 'express';
import { AppError } from './app-error.ts';

/**
 * Lets these methods through and refuses all others with 405 and an `Allow` header that lists these.
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-15.5.6
 */
export function allow(...methods: readonly string[]): RequestHandler {
  return (req, res, next) => {
    if (methods.includes(req.method)) {
      next();
      return;
    }
    res.set('Allow', methods.join(', '));
    const message = 'This address does not accept this method';
    next(new AppError({ code: 'method_not_allowed', status: 405, message }));
  };
}

/**
 * Lets only JSON and empty bodies through: a page of another site can send forms and text without a preflight request,
 * but no JSON.
 */
export const requireJson: RequestHandler = (req, _res, next) => {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  const empty = encoding === undefined && Number(length ?? 0) === 0;
  const isFine = empty || req.is('json');
  const message = 'Only JSON is accepted here';
  next(isFine ? undefined : new AppError({ code: 'not_json', status: 415, message }));
};

/** Stripe documents no size: 50 metadata values of 500 characters may be the largest part. */
const WEBHOOK_BYTES = 256 * 1024;

/**
 * Reads the bytes of a webhook, which its signature covers, into one buffer: Express keeps each part that comes, and a body
 * in parts of one byte takes 250 times as much then.
 */
export const webhookBody: RequestHandler = async (req, res, next) => {
  if (!req.is('json')) {
    next();
    return;
  }
  const body = Buffer.allocUnsafeSlow(WEBHOOK_BYTES);
  let size = 0;
  try {
    for await (const part of req.iterator({ destroyOnReturn: false })) {
      if (size + part.length > WEBHOOK_BYTES)
        throw new AppError({ code: 'too_large', status: 413, message: 'This request is too large' });
      size += part.copy(body, size);
    }
  } catch (error) {
    // Otherwise Node would go on reading until the body is complete.
    res.set('Connection', 'close');
    throw req.errored
      ? new AppError({ code: 'bad_request', status: 400, message: 'The request was aborted' })
      : error;
  }
  req.body = body.subarray(0, size);
  next();
};

/** What `webhookBody` has read; a body that is not JSON is empty. */
export function bytesOf(req: Request): Buffer {
  const body: unknown = req.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/**
 * Refuses requests from pages of other sites, by the headers that no page can forge. A request without either
 * header does not come from a current browser; routes that rely on a cookie check a token as well.
 * @param allowNullOrigin treats `Origin: null` as no origin: that is what browsers without `Sec-Fetch-Site` send with
 *   forms of a page whose policy is `no-referrer`
 * @param requireHeader also refuses requests without either header
 * @see https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function requireSameOrigin(
  publicUrl?: string,
  { allowNullOrigin = false, requireHeader = false } = {},
): RequestHandler {
  const ownOrigin = publicUrl && new URL(publicUrl).origin;
  return (req, _res, next) => {
    const site = req.get('Sec-Fetch-Site');
    const sent = req.get('Origin');
    const origin = allowNullOrigin && sent === 'null' ? undefined : sent;
    const own = site
      ? site === 'same-origin'
      : origin
        ? isOwn(origin, ownOrigin, req.get('Host'))
        : !requireHeader;
    const message = 'This can only be sent from the page itself';
    next(own ? undefined : new AppError({ code: 'cross_site', status: 403, message }));
  };
}

/** The public origin, or the host that the request was sent to: localhost and 127.0.0.1 are the same machine. */
function isOwn(origin: string, ownOrigin: string | undefined, host: string | undefined): boolean {
  return origin === ownOrigin || (URL.canParse(origin) && new URL(origin).host === host);
}
