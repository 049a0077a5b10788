import type { RequestHandler } from 'express';
import { AppError } from '#server/http/app-error.ts';
import { send } from '#server/http/representation.ts';
import type { PageCache } from './page-cache.ts';

/**
 * Answers with the page that is due: streamed to the visitor whose request causes its render, from memory to all
 * others. A streamed answer is not cached: it may turn out to be incomplete.
 */
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
    if (!representation) {
      const message = 'This page can be sent as brotli, as gzip or uncompressed';
      throw new AppError({ code: 'not_acceptable', status: 406, message });
    }
    send(req, res, representation);
  };
}
