import { loadChunk } from '#client/loading/load-chunk.ts';
import type { AppStore } from '#client/store/store.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';

const vitals = { id: 'report-vitals', load: () => import('./report-vitals.ts') };
const tracking = { id: 'track-visitor', load: () => import('./track-visitor.tsx') };

const LATEST_MS = 1_500;
const WITHOUT_IDLE_MS = 200;

/**
 * Once the page has loaded and the browser is idle: measures web vitals (R6.3) and, where there is a pixel, asks whether the
 * visit may be measured (R6.1). Without the code for web vitals nothing is missing on the page.
 */
export function startReporting(store: AppStore): void {
  const start = (): void => {
    loadChunk(vitals).then(
      ({ reportVitals }) => reportVitals(),
      () => {},
    );
    if (store.getState().site.metaPixelId !== null) void askConsent(store);
  };
  addEventListener('load', () => {
    // Safari has no `requestIdleCallback`.
    if ('requestIdleCallback' in window) requestIdleCallback(start, { timeout: LATEST_MS });
    else setTimeout(start, WITHOUT_IDLE_MS);
  });
}

/** If its code fails to load, the privacy panel says so and offers a retry: consent given earlier can always be withdrawn. */
async function askConsent(store: AppStore): Promise<void> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  try {
    const { trackVisitor } = await loadChunk(tracking);
    // The pressed button is removed: move focus to its container.
    if (place?.contains(document.activeElement)) place.focus();
    place?.replaceChildren();
    trackVisitor(store);
  } catch {
    place?.querySelector('[role="status"]')?.remove();
    place?.querySelector('[hidden]')?.removeAttribute('hidden');
    place?.querySelector('button')?.addEventListener('click', () => void askConsent(store), { once: true });
  }
}
