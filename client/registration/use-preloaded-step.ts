import { useEffect } from 'react';
import { loadChunk } from '#client/chunks/load-chunk.ts';
import { whenIdle } from '#client/start/when-idle.ts';
import { contactStep, paymentStep } from './steps.ts';

const following = [contactStep, paymentStep];

/**
 * Loads the step after the active one while that is filled in, once it is painted. A failure is told when the step is
 * asked for.
 */
export function usePreloadedStep(activeStep: number): void {
  useEffect(() => {
    const step = following[activeStep];
    if (step) whenIdle(() => loadChunk(step).catch(() => {}));
  }, [activeStep]);
}
