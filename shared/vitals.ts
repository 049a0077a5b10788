import * as v from 'valibot';

/** The path that takes web-vitals reports (R6.3). */
export const VITALS_PATH = '/vitals';

const names = ['CLS', 'FID', 'FCP', 'INP', 'LCP', 'TTFB'] as const;
const ratings = ['good', 'needs-improvement', 'poor'] as const;

/** A measurement of web-vitals. */
export type VitalName = (typeof names)[number];

/** Ten minutes: whatever took longer was not waited for. */
const MAX_VALUE = 600_000;

const vitalSchema = v.object({
  name: v.picklist(names),
  /** Milliseconds; for CLS a score. */
  value: v.pipe(v.number(), v.minValue(0), v.maxValue(MAX_VALUE)),
  rating: v.picklist(ratings),
});
export type Vital = v.InferOutput<typeof vitalSchema>;

/** The body of `POST /vitals`: what one view of the page measured, and nothing of who viewed it. */
export const vitalsReportSchema = v.object({
  vitals: v.pipe(v.array(vitalSchema), v.minLength(1), v.maxLength(names.length)),
});
export type VitalsReport = v.InferOutput<typeof vitalsReportSchema>;
