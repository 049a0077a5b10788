import { type Consent, consentSet, selectConsent } from '#client/store/consent-slice.ts';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { SegmentedControl } from '#client/ui/segmented-control.tsx';
import { consentCopy } from '#shared/content/consent.ts';
import { CONSENT_CHOICE_ID } from '#shared/page.ts';
import { ConsentAnswers } from './consent-answers.tsx';

const answers = [
  { value: 'denied', label: consentCopy.denied },
  { value: 'granted', label: consentCopy.granted },
] as const;

/** Lets her see and change her consent to being measured at any time; empty where nothing is measured. */
export function ConsentChoice() {
  const consent = useAppSelector(selectConsent);
  const dispatch = useAppDispatch();
  if (consent === undefined) return null;
  const { title, ...words } = consentCopy.choice;
  const answer = (given: Consent) => dispatch(consentSet(given));
  const answerFirst = (given: Consent) => {
    // The buttons are removed: move focus to their container.
    document.getElementById(CONSENT_CHOICE_ID)?.focus();
    answer(given);
  };
  return (
    <section className="consent-choice" aria-label={title}>
      <p role="status">{words[consent]}</p>
      {consent === 'unasked' && <ConsentAnswers onAnswer={answerFirst} />}
      {(consent === 'granted' || consent === 'denied') && (
        <SegmentedControl<Consent>
          legend={consentCopy.label}
          name="consent"
          segments={answers}
          value={consent}
          onChange={answer}
        />
      )}
    </section>
  );
}
