import type { RequestHandler } from 'express';

/** What is never indexed, or told to other sites: who is registered, and under which address. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};
