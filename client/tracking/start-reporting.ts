import { loadConsent } from '#client/consent/consent-arrival.ts';
import { loadChunk } from '#client/loading/load-chunk.ts';
import { whenIdle } from '#client/loading/when-idle.ts';
import type { AppStore } from '#client/store/store.ts';

const vitals = { id: 'report-vitals', load: () => import('./report-vitals.ts') };
const tracking = { id: 'track-visitor', load: () => import('./track-visitor.tsx') };

/**
 * Once the page is idle: measures web vitals (R6.3) and, where there is a pixel, asks whether the visit may
 * be measured (R6.1). If the code for web vitals fails to load, nothing is shown; for the consent question,
 * the privacy panel offers a retry.
 */
export function startReporting(store: AppStore): void {
  whenIdle(() => {
    loadChunk(vitals).then(({ reportVitals }) => reportVitals(), ignore);
    if (store.getState().site.metaPixelId === null) return;
    loadConsent(() => loadChunk(tracking)).then(({ trackVisitor }) => trackVisitor(store));
  });
}

function ignore(): void {}
