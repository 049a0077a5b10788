import type { OwnPageLetter, OwnPageView } from '#shared/content/own-page-view.ts';
import { ownPageWords } from '#shared/content/own-page-words.ts';
import { ownPagePaths } from '#shared/own-page.ts';
import { Section } from './parts.tsx';

const words = ownPageWords.letters;

/** The state of each letter to her, with a button to resend where that is possible. */
export function LettersSection({ view }: { view: OwnPageView }) {
  const { letters, mayAct, token, registrant } = view;
  if (letters.length === 0) return null;
  return (
    <Section className="place-letters" id="letters" title={words.title}>
      <p>{words.to(registrant.email)}</p>
      <ul className="letter-list">
        {letters.map((letter) => (
          <li key={letter.kind}>
            <p>
              {letter.subject}{' '}
              <span className={`letter-state letter-state--${letter.state}`}>
                {words.states[letter.state]}
              </span>
            </p>
            {mayAct && letter.again && <SendAgain letter={letter} token={token} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

function SendAgain({ letter: { kind, subject }, token }: { letter: OwnPageLetter; token: string }) {
  return (
    <form method="post" action={ownPagePaths.letter}>
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="kind" value={kind} />
      <button type="submit" className="button button--quiet" aria-label={words.againWhat(subject)}>
        {words.again}
      </button>
    </form>
  );
}
