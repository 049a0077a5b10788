import type { RequestHandler } from 'express';
import { ApiError } from './answer.ts';

/** How many calls an account may make. https://docs.stripe.com/rate-limits */
export type Throttle = {
  /** Calls of all kinds in one second. */
  callsPerSecond: number;
};

/**
 * Answers 429 to calls beyond the limit, as Stripe does: nothing is done, and nothing is saved for the
 * idempotency key. The limit is a bucket of one second's calls that fills evenly. Requests of a browser are
 * not counted.
 */
export function throttleCalls({ callsPerSecond }: Throttle): RequestHandler {
  let left = callsPerSecond;
  let filledMs = performance.now();
  return (request, _response, next) => {
    if (!request.path.startsWith('/v1/') || request.get('origin') !== undefined) return next();
    const nowMs = performance.now();
    left = Math.min(callsPerSecond, left + ((nowMs - filledMs) / 1000) * callsPerSecond);
    filledMs = nowMs;
    if (left < 1) throw rateLimited();
    left -= 1;
    next();
  };
}

/** Stripe's refusal of too many requests. */
export function rateLimited(): ApiError {
  return new ApiError(429, {
    type: 'invalid_request_error',
    code: 'rate_limit',
    message:
      'Request rate limit exceeded. Learn more about rate limits here https://stripe.com/docs/rate-limits.',
  });
}
