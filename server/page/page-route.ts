import type { IRouter, RequestHandler } from 'express';
import { AppError } from '#server/http/app-error.ts';
import { send } from '#server/http/representation.ts';
import type { PageCache } from './page-cache.ts';

/**
 * `GET /`: the page, streamed to the visitor whose request causes its render, from memory to all others. A
 * streamed answer is not cached: it may turn out to be incomplete.
 */
export function addPageRoute(app: IRouter, cache: PageCache): void {
  app.get('/', answerPage(cache));
}

/** Answers with the page that is due. */
export function answerPage(cache: PageCache): RequestHandler {
  return async (req, res) => {
    const page = await cache.finish(() => {
      if (req.method !== 'GET' || res.destroyed) return undefined;
      res.status(200).type('html').vary('Accept-Encoding');
      return res;
    });
    if (res.headersSent || res.destroyed) return;
    const accepted = req.get('Accept-Encoding');
    if (!page.choose(accepted)) await page.whole;
    const representation = page.choose(accepted);
    if (!representation) throw notAcceptable();
    send(req, res, representation);
  };
}

function notAcceptable(): AppError {
  return new AppError({
    code: 'not_acceptable',
    status: 406,
    message: 'This page can be sent as brotli, as gzip or uncompressed',
  });
}
