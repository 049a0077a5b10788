import { type IRouter, json, type RequestHandler } from 'express';
import type { Registry } from 'prom-client';
import * as v from 'valibot';
import { AppError } from '#server/http/app-error.ts';
import { requireSameOrigin } from '#server/http/require-same-origin.ts';
import { visitorAddress } from '#server/http/visitor-address.ts';
import { type Limit, limiterInMemory } from '#server/limits/limiter.ts';
import { messages } from '#shared/registration.ts';
import { VITALS_PATH, vitalsReportSchema } from '#shared/vitals.ts';
import { addVitalsMetrics } from './vitals-metrics.ts';

/** Reports that one address may send in a minute: an office's worth of visitors. */
const REPORTS: Limit = { name: 'vitals-reports', most: 60, windowS: 60 };

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

/** Counted by each process separately: requests that get past the limit are only some samples too many. */
function limitByAddress(): RequestHandler {
  const limiter = limiterInMemory();
  return async (req, _res, next) => {
    const refusal = await limiter.take([{ limit: REPORTS, of: visitorAddress(req) }]);
    if (!refusal) return next();
    const retryAfterS = Math.max(1, Math.ceil(refusal.waitMs / 1000));
    const message = 'There were too many reports';
    next(new AppError({ code: 'too_many_reports', status: 429, message, retryAfterS }));
  };
}
