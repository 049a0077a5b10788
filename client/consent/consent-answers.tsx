import type { Consent } from '#client/store/consent-slice.ts';
import { consentCopy } from '#shared/content/consent.ts';

interface ConsentAnswersProps {
  onAnswer: (answer: Consent) => void;
}

/** The two answers, shown until she gives one: equally prominent buttons, neither preselected. */
export function ConsentAnswers({ onAnswer }: ConsentAnswersProps) {
  return (
    <div className="consent-answers">
      {(['denied', 'granted'] as const).map((answer) => (
        <button key={answer} type="button" className="button button--quiet" onClick={() => onAnswer(answer)}>
          {consentCopy[answer]}
        </button>
      ))}
    </div>
  );
}
