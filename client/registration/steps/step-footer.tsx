import { useEffect, useRef } from 'react';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { back, selectActiveStep, skip } from '#client/store/stepper-slice.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import { StartOver, useStartOver } from './start-over.tsx';
import { TurnNotice } from './turn-notice.tsx';

interface StepFooterProps {
  submitting?: boolean;
  /** What the last button does where there is no form to submit. */
  onNext?: () => void;
  /** Replaces the default action of starting over, which is `keepPayment`. */
  onStartOver?: () => void;
}

/**
 * Back, Skip on optional steps, and the form's submit: `Next`, or `Finish` on the last step (R2.3). From the
 * second step on, also `Start over`.
 */
export function StepFooter({ submitting = false, onNext, onStartOver }: StepFooterProps) {
  const dispatch = useAppDispatch();
  const { keepPayment } = useStartOver();
  const activeStep = useAppSelector(selectActiveStep);
  const submitRef = useFocusAfterSubmit(submitting);
  const last = activeStep === registrationSteps.length - 1;
  const { back: backLabel, skip: skipLabel, next, finish } = registrationCopy;
  return (
    <>
      <TurnNotice submitting={submitting} />
      <div className="step-footer">
        <button
          type="button"
          className="button button--quiet"
          disabled={activeStep === 0 || submitting}
          onClick={() => dispatch(back())}
        >
          {backLabel}
        </button>
        {registrationSteps[activeStep]?.optional && (
          <button
            type="button"
            className="button button--quiet"
            disabled={submitting}
            onClick={() => dispatch(skip())}
          >
            {skipLabel}
          </button>
        )}
        <p className="step-footer__status" role="status">
          {submitting ? registrationCopy.submitting : ''}
        </p>
        <button
          ref={submitRef}
          type={onNext ? 'button' : 'submit'}
          className="button"
          disabled={submitting}
          onClick={onNext}
        >
          {last ? finish : next}
        </button>
      </div>
      {activeStep > 0 && <StartOver disabled={submitting} onStartOver={onStartOver ?? keepPayment} />}
    </>
  );
}

/** The submit button of a form that is not a step, so without Back. */
export function SubmitFooter({ submitting, label }: { submitting: boolean; label: string }) {
  const submitRef = useFocusAfterSubmit(submitting);
  return (
    <>
      <TurnNotice submitting={submitting} />
      <div className="step-footer">
        <p className="step-footer__status" role="status">
          {submitting ? registrationCopy.submitting : ''}
        </p>
        <button ref={submitRef} type="submit" className="button" disabled={submitting}>
          {label}
        </button>
      </div>
    </>
  );
}

/** A button that is disabled during a submit loses focus; this restores it, unless focus has moved. */
function useFocusAfterSubmit(submitting: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  const was = useRef(submitting);
  useEffect(() => {
    if (was.current && !submitting && document.activeElement === document.body) button.current?.focus();
    was.current = submitting;
  }, [submitting]);
  return button;
}
