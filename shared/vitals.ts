import * as v from 'valibot';

export const VITALS_PATH = '/vitals';

const times = ['FID', 'FCP', 'INP', 'LCP', 'TTFB'] as const;

export type VitalName = 'CLS' | (typeof times)[number];

const MAX_MS = 120_000;

/** A layout shift score of 1 is the whole screen moving by its own height. */
const MAX_SCORE = 100;

const upTo = (most: number) => v.pipe(v.number(), v.minValue(0), v.maxValue(most));

const vitalSchema = v.variant('name', [
  v.object({ name: v.literal('CLS'), value: upTo(MAX_SCORE) }),
  v.object({ name: v.picklist(times), value: upTo(MAX_MS) }),
]);
export type Vital = v.InferOutput<typeof vitalSchema>;

const areDistinct = (vitals: Vital[]) => new Set(vitals.map(({ name }) => name)).size === vitals.length;

/**
 * The body of `POST /vitals`: the measurements of one page view, with nothing that identifies the visitor.
 */
export const vitalsReportSchema = v.object({
  vitals: v.pipe(v.array(vitalSchema), v.minLength(1), v.check(areDistinct)),
});
export type VitalsReport = v.InferOutput<typeof vitalsReportSchema>;
