import type { RequestHandler } from 'express';

const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** Lets pages of this machine call the API, as Stripe lets every page. */
export const allowLoopbackOrigins: RequestHandler = (request, response, next) => {
  const origin = request.get('origin');
  response.vary('Origin');
  if (origin === undefined || !LOOPBACK.test(origin)) return next();
  response.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, Idempotency-Key, Stripe-Version',
    'Access-Control-Expose-Headers': 'Request-Id, Idempotent-Replayed',
    'Access-Control-Max-Age': '600',
  });
  if (request.method === 'OPTIONS') response.status(204).end();
  else next();
};
