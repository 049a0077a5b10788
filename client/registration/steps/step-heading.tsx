import type { RefObject } from 'react';
import { stepOf } from '#shared/content/registration.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';

interface StepHeadingProps {
  ref: RefObject<HTMLHeadingElement | null>;
  /** Counted from 0. */
  step: number;
}

/** Heads a step, from its first moment: it does not wait for the step's form. */
export function StepHeading({ ref, step }: StepHeadingProps) {
  return (
    <h3 ref={ref} className="step-heading" tabIndex={-1}>
      {stepOf(step + 1, registrationSteps.length)}{' '}
      <span className="visually-hidden">{registrationSteps[step]?.label}</span>
    </h3>
  );
}
