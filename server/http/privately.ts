import type { RequestHandler } from 'express';

/** For pages that must not be indexed and whose URL other sites must not learn: it shows who is registered. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};
