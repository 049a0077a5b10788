import type { Situation } from '#server/acts/registration-act.ts';
import { PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { type ShownLetter, shownLetters } from './shown-letters.ts';

interface LettersProps {
  situation: Situation;
  token: string;
  isAway: boolean;
  mayAct: boolean;
}

/** Her letters: the state of each, and what can be done about it. */
export function LettersSection({ situation, token, isAway, mayAct }: LettersProps) {
  const letters = shownLetters(situation);
  return (
    <Section className="registration-section" id="letters" title="Letters">
      {isAway && (
        <p>
          The queue of letters does not answer: what waits or failed cannot be told now. What is on record at
          Stripe is below.
        </p>
      )}
      {letters.length === 0 ? (
        <p>There are none.</p>
      ) : (
        <ul className="letter-list">
          {letters.map((letter) => (
            <li key={letter.id} className={letter.isFailed ? 'letter letter--failed' : 'letter'}>
              <LetterLine letter={letter} />
              {mayAct && (
                <div className="letter-acts">
                  {letter.acts.map((one) => (
                    <PressForm
                      key={one.act}
                      action={officePaths.act(situation.record.id, one.act)}
                      token={token}
                      hidden={{ [one.field]: one.value }}
                    >
                      <button type="submit" className="button button--quiet">
                        {BUTTONS[one.act]}
                        <span className="visually-hidden"> “{letter.words}”</span>
                      </button>
                    </PressForm>
                  ))}
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

const BUTTONS: Readonly<Record<string, string>> = {
  resend: 'Send again',
  retry: 'Try again now',
  dismiss: 'Dismiss',
};

function LetterLine({ letter: { words, to, became, reason } }: { letter: ShownLetter }) {
  return (
    <div>
      <h3>{words}</h3>
      <p>
        {to && <>To {to}. </>}
        {became.join(' ')}
      </p>
      {reason && <p className="registration-fine">The answer was: {reason}</p>}
    </div>
  );
}
