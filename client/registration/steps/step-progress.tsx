import type { RefObject } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import { selectActiveStep, selectStepCompleted } from '#client/store/stepper-slice.ts';
import { registrationCopy, stepOf } from '#shared/content/registration.ts';
import { type RegistrationStep, registrationSteps } from '#shared/content/registration-steps.ts';

/** The three labelled steps; active and completed ones differ in more than colour. */
export function StepProgress() {
  return (
    <ol className="step-progress" aria-label={registrationCopy.progressLabel}>
      {registrationSteps.map((step, index) => (
        <ProgressItem key={step.label} step={step} index={index} />
      ))}
    </ol>
  );
}

function ProgressItem({ step, index }: { step: RegistrationStep; index: number }) {
  const active = useAppSelector(selectActiveStep) === index;
  const completed = useAppSelector((state) => selectStepCompleted(state, index));
  const state = active ? 'active' : completed ? 'completed' : 'open';
  return (
    <li
      className={`step-progress__item step-progress__item--${state}`}
      aria-current={active ? 'step' : undefined}
    >
      <span className="step-progress__marker" aria-hidden="true">
        {!completed && index + 1}
      </span>
      <span>
        {step.label}
        {completed && <span className="visually-hidden"> ({registrationCopy.completedStep})</span>}
      </span>
    </li>
  );
}

interface StepHeadingProps {
  ref: RefObject<HTMLHeadingElement | null>;
  /** Counted from 0. */
  step: number;
}

/** The heading of a step. It is shown at once, before the step's form has loaded. */
export function StepHeading({ ref, step }: StepHeadingProps) {
  return (
    <h3 ref={ref} className={`step-heading step-heading--${step + 1}`} tabIndex={-1}>
      <span>{stepOf(step + 1, registrationSteps.length)}</span>{' '}
      <span className="visually-hidden">{registrationSteps[step]?.label}</span>
    </h3>
  );
}
