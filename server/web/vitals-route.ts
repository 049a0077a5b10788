import { type IRouter, json, type RequestHandler } from 'express';
import { Histogram, type Registry } from 'prom-client';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import * as v from 'valibot';
import { messages } from '#shared/registration.ts';
import { VITALS_PATH, type Vital, type VitalName, vitalsReportSchema } from '#shared/vitals.ts';
import { AppError } from './app-error.ts';
import { secondsOf } from './limiter.ts';
import { requireSameOrigin } from './request-guards.ts';
import { visitorAddress } from './visitor-address.ts';

interface Measure {
  help: string;
  /** The upper bounds of good and of not yet poor values; each ends a bucket. */
  bounds: readonly [good: number, poor: number];
  buckets: number[];
}

/** In seconds, but for the score. The bounds are the published ones. @see https://web.dev/articles/vitals */
const MEASURES: Record<VitalName, Measure> = {
  CLS: {
    help: 'Cumulative layout shift of a view, a score',
    bounds: [0.1, 0.25],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1],
  },
  FID: {
    help: 'Delay of the first input',
    bounds: [0.1, 0.3],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  },
  INP: {
    help: 'Time from an input to the next paint, the slowest of a view',
    bounds: [0.2, 0.5],
    buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2],
  },
  FCP: {
    help: 'Time to the first contentful paint',
    bounds: [1.8, 3],
    buckets: [0.5, 1, 1.8, 2.4, 3, 5, 10],
  },
  LCP: {
    help: 'Time to the largest contentful paint',
    bounds: [2.5, 4],
    buckets: [0.5, 1, 1.5, 2, 2.5, 4, 6, 10],
  },
  TTFB: {
    help: 'Time to the first byte',
    bounds: [0.8, 1.8],
    buckets: [0.1, 0.2, 0.4, 0.8, 1.2, 1.8, 3, 5],
  },
};

/** Adds a histogram for each web vital, and returns the function that records a value (R6.3). */
function addVitalsMetrics(registry: Registry): (vital: Vital) => void {
  const histograms = new Map(
    Object.entries(MEASURES).map(([vital, { help, buckets }]) => {
      const name = `web_vitals_${vital.toLowerCase()}${vital === 'CLS' ? '' : '_seconds'}`;
      return [vital, new Histogram({ name, help, buckets, labelNames: ['rating'], registers: [registry] })];
    }),
  );
  return ({ name, value }) => {
    const measured = name === 'CLS' ? value : value / 1000;
    histograms.get(name)?.observe({ rating: rate(measured, MEASURES[name].bounds) }, measured);
  };
}

function rate(value: number, [good, poor]: Measure['bounds']): 'good' | 'needs-improvement' | 'poor' {
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}

interface VitalsDependencies {
  metrics: Registry;
  publicUrl: string;
}

/** `POST /vitals`: adds the measurements of a page view to the metrics; nothing of it is stored or logged. */
export function addVitalsRoute(app: IRouter, { metrics, publicUrl }: VitalsDependencies): void {
  const record = addVitalsMetrics(metrics);
  const take: RequestHandler = (req, res) => {
    const report = v.safeParse(vitalsReportSchema, req.body);
    if (!report.success)
      throw new AppError({ code: 'invalid_request', status: 400, message: messages.checkDetails });
    report.output.vitals.forEach(record);
    res.status(204).end();
  };
  app.post(VITALS_PATH, requireSameOrigin(publicUrl), limitByAddress(), json({ limit: '1kb' }), take);
}

/** Of one address in a minute. */
const MOST_REPORTS = { points: 60, duration: 60 };

/** Counted by each process separately: requests that get past the limit are only some samples too many. */
function limitByAddress(): RequestHandler {
  const limiter = new RateLimiterMemory(MOST_REPORTS);
  return async (req, _res, next) => {
    await limiter.consume(visitorAddress(req)).catch((refused: unknown) => {
      if (!(refused instanceof RateLimiterRes)) throw refused;
      const message = 'There were too many reports';
      throw new AppError({ code: 'too_many_reports', status: 429, message, retryAfterS: secondsOf(refused) });
    });
    next();
  };
}
