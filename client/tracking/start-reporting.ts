import { loadChunk, untilLoaded } from '#client/loading/load-chunk.ts';
import { whenIdle } from '#client/loading/when-idle.ts';
import type { AppStore } from '#client/store/store.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';

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

/**
 * Loads the code that asks for consent. If loading fails, the privacy panel says so and offers a retry, so
 * that consent given earlier can always be withdrawn.
 */
async function loadConsent<Module>(load: () => Promise<Module>): Promise<Module> {
  const place = document.getElementById(CONSENT_CHOICE_ID);
  const loaded = await untilLoaded(load, () => {
    place?.querySelector('[role="status"]')?.remove();
    place?.querySelector('[hidden]')?.removeAttribute('hidden');
  });
  // The pressed button is removed: move focus to its container.
  if (place?.contains(document.activeElement)) place.focus();
  place?.replaceChildren();
  return loaded;
}
