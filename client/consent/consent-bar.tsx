import { useState } from 'react';
import { type Consent, consentSet, selectConsent } from '#client/store/consent-slice.ts';
import { useAppDispatch, useAppSelector } from '#client/store/hooks.ts';
import { consentCopy } from '#shared/content/consent.ts';
import { ConsentAnswers } from './consent-answers.tsx';
import { returnFocus } from './consent-focus.ts';
import { PrivacyButton } from './privacy-button.tsx';

/** Asks, without blocking the page, whether the visit may be measured. Disappears once answered. */
export function ConsentBar() {
  const consent = useAppSelector(selectConsent);
  const dispatch = useAppDispatch();
  const [answered, setAnswered] = useState(false);
  const answer = (given: Consent) => {
    setAnswered(true);
    dispatch(consentSet(given));
  };
  return (
    <aside className="consent" aria-label={consentCopy.label}>
      <p role="status" className="visually-hidden">
        {answered ? consentCopy.remembered : ''}
      </p>
      {consent === 'unasked' && (
        <div className="consent-bar" ref={returnFocus}>
          <p>
            {consentCopy.text} <PrivacyButton>{consentCopy.more}</PrivacyButton>
          </p>
          <ConsentAnswers onAnswer={answer} />
        </div>
      )}
    </aside>
  );
}
