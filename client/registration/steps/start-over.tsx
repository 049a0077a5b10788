import { useId, useRef } from 'react';
import { forgetRegistrationKey } from '#client/registration/progress/registration-key.ts';
import { merge, reset, selectRegistration } from '#client/store/stepper-slice.ts';
import { type RootState, useAppDispatch, useAppSelector } from '#client/store/store.ts';
import { registrationCopy } from '#shared/content/registration.ts';

const copy = registrationCopy.startingOver;

/** Abandons the registration; asks for confirmation if entered data would be lost. */
export function StartOver({ disabled, onStartOver }: { disabled: boolean; onStartOver: () => void }) {
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

/** Whether contact details were submitted, or anything is typed into the contact form. */
function hasEntered({ stepper, form }: RootState): boolean {
  return stepper.data.email !== undefined || Object.values(form?.contact?.values ?? {}).some(Boolean);
}

/** The two ways to abandon the registration, in the page and in the browser's storage. */
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
    /** Forgets everything, so that another registration begins. */
    forgetAll() {
      forgetRegistrationKey(idempotencyKey);
      dispatch(reset());
    },
  };
}
