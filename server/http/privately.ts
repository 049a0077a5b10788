import type { RequestHandler } from 'express';
import { keptByNobody } from './cache-policy.ts';

/** What is never kept, indexed, or told to other sites: who is registered, and under which address. */
export const privately: RequestHandler = (_req, res, next) => {
  res.set({ ...keptByNobody, 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  next();
};
