import { type Metric, onCLS, onFCP, onFID, onINP, onLCP, onTTFB } from 'web-vitals';
import { VITALS_PATH, type Vital, type VitalsReport } from '#shared/vitals.ts';

const MEASURES = [onCLS, onFCP, onFID, onINP, onLCP, onTTFB];

/** Measures this page view, and reports to the site when the page is hidden, each value once (R6.3). */
export function reportVitals(): void {
  const waiting = new Map<string, Vital>();
  const sent = new Set<string>();
  const take = ({ id, name, value }: Metric): void => {
    if (!sent.has(id)) waiting.set(id, { name, value: Math.round(value * 10_000) / 10_000 });
  };
  const send = (): void => {
    if (waiting.size === 0) return;
    const report: VitalsReport = { vitals: [...waiting.values()] };
    for (const id of waiting.keys()) sent.add(id);
    waiting.clear();
    // A browser can be set to have no beacons.
    navigator.sendBeacon?.(VITALS_PATH, new Blob([JSON.stringify(report)], { type: 'application/json' }));
  };
  for (const measure of MEASURES) measure(take);
  // Added after web-vitals' own listeners, which finalize the values when the page is hidden.
  window.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') send();
  });
}
