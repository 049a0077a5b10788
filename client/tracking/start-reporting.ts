import { loadChunk } from '#client/chunks/load-chunk.ts';
import { whenIdle } from '#client/start/when-idle.ts';
import type { AppStore } from '#client/store/store.ts';

const vitals = { id: 'report-vitals', load: () => import('./report-vitals.ts') };
const tracking = { id: 'track-visitor', load: () => import('./track-visitor.tsx') };

/**
 * Once the page is at rest: measures it (R6.3) and, where there is a pixel, asks whether the visit may be measured
 * (R6.1). A visitor misses nothing when either does not load, so she hears nothing of it.
 */
export function startReporting(store: AppStore): void {
  whenIdle(() => {
    loadChunk(vitals).then(({ reportVitals }) => reportVitals(), ignore);
    if (store.getState().site.metaPixelId === null) return;
    loadChunk(tracking).then(({ trackVisitor }) => trackVisitor(store), ignore);
  });
}

function ignore(): void {}
