import { Histogram, type Registry } from 'prom-client';
import type { Vital, VitalName } from '#shared/vitals.ts';

interface Measure {
  metric: string;
  help: string;
  /** Milliseconds become seconds; a score stays what it is. */
  perUnit: number;
  /** The upper bounds of good and of not yet poor values; each ends a bucket. */
  bounds: readonly [good: number, poor: number];
  buckets: number[];
}

/** The bounds are the published ones. @see https://web.dev/articles/vitals */
const MEASURES: Record<VitalName, Measure> = {
  CLS: {
    metric: 'web_vitals_cls',
    help: 'Cumulative layout shift of a view, a score',
    perUnit: 1,
    bounds: [0.1, 0.25],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1],
  },
  FID: {
    metric: 'web_vitals_fid_seconds',
    help: 'Delay of the first input',
    perUnit: 1000,
    bounds: [0.1, 0.3],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1],
  },
  INP: {
    metric: 'web_vitals_inp_seconds',
    help: 'Time from an input to the next paint, the slowest of a view',
    perUnit: 1000,
    bounds: [0.2, 0.5],
    buckets: [0.05, 0.1, 0.2, 0.3, 0.5, 1, 2],
  },
  FCP: {
    metric: 'web_vitals_fcp_seconds',
    help: 'Time to the first contentful paint',
    perUnit: 1000,
    bounds: [1.8, 3],
    buckets: [0.5, 1, 1.8, 2.4, 3, 5, 10],
  },
  LCP: {
    metric: 'web_vitals_lcp_seconds',
    help: 'Time to the largest contentful paint',
    perUnit: 1000,
    bounds: [2.5, 4],
    buckets: [0.5, 1, 1.5, 2, 2.5, 4, 6, 10],
  },
  TTFB: {
    metric: 'web_vitals_ttfb_seconds',
    help: 'Time to the first byte',
    perUnit: 1000,
    bounds: [0.8, 1.8],
    buckets: [0.1, 0.2, 0.4, 0.8, 1.2, 1.8, 3, 5],
  },
};

/** Adds a histogram for each web vital, and returns the function that records a value (R6.3). */
export function addVitalsMetrics(registry: Registry): (vital: Vital) => void {
  const histogram = (name: VitalName) => {
    const { metric, help, buckets } = MEASURES[name];
    return new Histogram({ name: metric, help, buckets, labelNames: ['rating'], registers: [registry] });
  };
  const histograms: Record<VitalName, Histogram<'rating'>> = {
    CLS: histogram('CLS'),
    FID: histogram('FID'),
    FCP: histogram('FCP'),
    INP: histogram('INP'),
    LCP: histogram('LCP'),
    TTFB: histogram('TTFB'),
  };
  return ({ name, value }) => {
    const { perUnit, bounds } = MEASURES[name];
    const measured = value / perUnit;
    histograms[name].observe({ rating: rate(measured, bounds) }, measured);
  };
}

function rate(value: number, [good, poor]: Measure['bounds']): 'good' | 'needs-improvement' | 'poor' {
  if (value <= good) return 'good';
  return value <= poor ? 'needs-improvement' : 'poor';
}
