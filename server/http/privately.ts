import type { RequestHandler } from 'express';

/** What is never kept, indexed, or told to other sites: who is registered, and under which address. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ 'Cache-Control': 'no-store', 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};
