import { type ComponentType, useEffect } from 'react';
import { type Chunk, loadChunk } from '#client/loading/load-chunk.ts';

type Step = Chunk<{ default: ComponentType }>;

/** The steps that arrive with their forms when they are needed. */
export const contactStep: Step = { id: 'contact-step', load: () => import('./contact-step.tsx') };
export const paymentStep: Step = { id: 'payment-step', load: () => import('./payment-step.tsx') };

/** In their place while the retreat is full. */
export const waitingList: Step = {
  id: 'waiting-list',
  load: () => import('#client/registration/waiting/waiting-list.tsx'),
};

const following = [contactStep, paymentStep];

/**
 * Loads the step after the active one while that is filled in. A failure is told when the step is asked for.
 */
export function usePreloadedStep(activeStep: number): void {
  useEffect(() => {
    const step = following[activeStep];
    if (step) loadChunk(step).catch(() => {});
  }, [activeStep]);
}
