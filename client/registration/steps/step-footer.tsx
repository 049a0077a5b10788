import { type ReactNode, useEffect, useId, useRef } from 'react';
import { forgetRegistrationKey } from '#client/registration/payment/registration-key.ts';
import {
  back,
  merge,
  reset,
  selectActiveStep,
  selectRegistration,
  skip,
} from '#client/store/stepper-slice.ts';
import { type RootState, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { registrationCopy, registrationSteps } from '#shared/content/registration.ts';

interface StepFooterProps {
  submitting?: boolean;
  /** What the last button does where there is no form to submit; the step's own button is the loud one. */
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
  const last = activeStep === registrationSteps.length - 1;
  const { back: backLabel, skip: skipLabel, next, finish } = registrationCopy;
  return (
    <>
      <SubmitFooter submitting={submitting} label={last ? finish : next} onPress={onNext}>
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
  onPress?: (() => void) | undefined;
  children?: ReactNode;
}

export function SubmitFooter({ submitting, label, onPress, children }: SubmitFooterProps) {
  const submitRef = useFocusAfterSubmit(submitting);
  return (
    <div className="step-footer">
      {children}
      <p className="step-footer__status" role="status">
        {submitting ? registrationCopy.submitting : ''}
      </p>
      <button
        ref={submitRef}
        id="register-submit"
        type={onPress ? 'button' : 'submit'}
        className={onPress ? 'button button--quiet' : 'button'}
        disabled={submitting}
        onClick={onPress}
      >
        {label}
      </button>
    </div>
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

const copy = registrationCopy.startingOver;

function StartOver({ disabled, onStartOver }: { disabled: boolean; onStartOver: () => void }) {
  const mayLose = useAppSelector(hasEntered);
  const question = useRef<HTMLDialogElement>(null);
  const id = useId();
  const close = () => question.current?.close();
  return (
    <>
      <button
        type="button"
        className="text-button start-over"
        disabled={disabled}
        onClick={() => (mayLose ? question.current?.showModal() : onStartOver())}
      >
        {registrationCopy.startOver}
      </button>
      <dialog
        ref={question}
        className="start-over-question"
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-text`}
      >
        <h3 id={`${id}-title`}>{copy.title}</h3>
        <p id={`${id}-text`}>{copy.text}</p>
        <div className="start-over-question__answers">
          <button type="button" className="button" onClick={close}>
            {copy.no}
          </button>
          <button
            type="button"
            className="button button--quiet"
            onClick={() => {
              close();
              onStartOver();
            }}
          >
            {copy.yes}
          </button>
        </div>
      </dialog>
    </>
  );
}

function hasEntered({ stepper, form }: RootState): boolean {
  return stepper.data.email !== undefined || Object.values(form?.contact?.values ?? {}).some(Boolean);
}

export function useStartOver() {
  const dispatch = useAppDispatch();
  const { idempotencyKey, paymentIntentClientSecret, amountCents, confirmationUnheard } =
    useAppSelector(selectRegistration);
  return {
    /**
     * Forgets what was typed but keeps an open payment, which the next registration uses: with a second
     * payment, a late answer of the bank could lead to both being charged.
     */
    keepPayment() {
      dispatch(reset());
      dispatch(merge({ idempotencyKey, paymentIntentClientSecret, amountCents, confirmationUnheard }));
    },
    forgetAll() {
      forgetRegistrationKey(idempotencyKey);
      dispatch(reset());
    },
  };
}
