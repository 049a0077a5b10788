import { type ComponentType, useEffect } from 'react';
import { type Chunk, loadChunk } from '#client/loading/load-chunk.ts';

type Step = Chunk<{ default: ComponentType }>;

/** The steps that are loaded, with their forms, when they are needed. */
export const contactStep: Step = { id: 'contact-step', load: () => import('./contact-step.tsx') };
export const paymentStep: Step = { id: 'payment-step', load: () => import('./payment-step.tsx') };

/** Shown instead of the steps while the retreat is full. */
export const waitingList: Step = {
  id: 'waiting-list',
  load: () => import('#client/registration/waiting/waiting-list.tsx'),
};

const following = [contactStep, paymentStep];

/** Preloads the step after the active one. A failure is ignored here, and shown when the step is opened. */
export function usePreloadedStep(activeStep: number): void {
  useEffect(() => {
    const step = following[activeStep];
    if (step) loadChunk(step).catch(() => {});
  }, [activeStep]);
}
