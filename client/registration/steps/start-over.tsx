import { useId, useRef } from 'react';
import { useAppSelector } from '#client/store/hooks.ts';
import type { RootState } from '#client/store/store.ts';
import { registrationCopy } from '#shared/content/registration.ts';

interface StartOverProps {
  disabled: boolean;
  onStartOver: () => void;
}

const copy = registrationCopy.startingOver;

/** Abandons the registration; asks for confirmation if entered data would be lost. */
export function StartOver({ disabled, onStartOver }: StartOverProps) {
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
