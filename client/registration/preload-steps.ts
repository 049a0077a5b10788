import { type Chunk, loadChunk } from '#client/chunks/load-chunk.ts';
import { onApproach } from '#client/start/on-approach.ts';
import type { AppStore } from '#client/store/store.ts';
import { REGISTER_SECTION_ID } from '#shared/page.ts';
import { contactStep, paymentStep } from './steps.ts';

/** Loads each step before it is asked for: the first when a visitor comes near, the next while she fills that in. */
export function preloadSteps(store: AppStore): void {
  if (!store.getState().site.registrationOpen) return;
  const approach = new AbortController();
  const approached = (): void => {
    approach.abort();
    preload(contactStep);
  };
  onApproach(REGISTER_SECTION_ID, approached, approach.signal);
  const unsubscribe = store.subscribe(() => {
    if (store.getState().stepper.activeStep !== 1) return;
    unsubscribe();
    preload(paymentStep);
  });
}

/** A failure is told when the step is asked for. */
function preload(chunk: Chunk<unknown>): void {
  loadChunk(chunk).catch(() => {});
}
