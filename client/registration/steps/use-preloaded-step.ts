import { useEffect } from 'react';
import { loadChunk } from '#client/loading/load-chunk.ts';
import { contactStep, paymentStep } from './steps.ts';

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
