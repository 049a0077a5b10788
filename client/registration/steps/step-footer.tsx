import { type ReactNode, useEffect, useRef } from 'react';
import { back, selectActiveStep, skip } from '#client/store/stepper-slice.ts';
import { useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { registrationSteps } from '#shared/content/registration-steps.ts';
import { StartOver, useStartOver } from './start-over.tsx';
import { TurnNotice } from './turn-notice.tsx';

interface StepFooterProps {
  submitting?: boolean;
  /** What the last button does where there is no form to submit. */
  onNext?: () => void;
  /** Replaces the label of the last step's button. */
  finishLabel?: string | undefined;
  /** Replaces the default action of starting over, which is `keepPayment`. */
  onStartOver?: () => void;
}

/**
 * Back, Skip on optional steps, and the form's submit: `Next`, or `Finish` on the last step (R2.3). From the
 * second step on, also `Start over`.
 */
export function StepFooter({ submitting = false, onNext, onStartOver, finishLabel }: StepFooterProps) {
  const dispatch = useAppDispatch();
  const { keepPayment } = useStartOver();
  const activeStep = useAppSelector(selectActiveStep);
  const last = activeStep === registrationSteps.length - 1;
  const { back: backLabel, skip: skipLabel, next, finish } = registrationCopy;
  return (
    <>
      <SubmitFooter submitting={submitting} label={last ? (finishLabel ?? finish) : next} onPress={onNext}>
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
      </SubmitFooter>
      {activeStep > 0 && <StartOver disabled={submitting} onStartOver={onStartOver ?? keepPayment} />}
    </>
  );
}

interface SubmitFooterProps {
  submitting: boolean;
  label: string;
  /** What the button does where there is no form to submit. */
  onPress?: (() => void) | undefined;
  /** Buttons before it. */
  children?: ReactNode;
}

/** The end of a form: what it is doing, and its submit button. */
export function SubmitFooter({ submitting, label, onPress, children }: SubmitFooterProps) {
  const submitRef = useFocusAfterSubmit(submitting);
  return (
    <>
      <TurnNotice submitting={submitting} />
      <div className="step-footer">
        {children}
        <p className="step-footer__status" role="status">
          {submitting ? registrationCopy.submitting : ''}
        </p>
        <button
          ref={submitRef}
          type={onPress ? 'button' : 'submit'}
          className="button"
          disabled={submitting}
          onClick={onPress}
        >
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
