import { isFirstLetter } from '#server/letters/registration-letters.ts';
import { letterTable, openLetters, REGISTRATION_LETTERS, traitOf } from '#server/letters/table.ts';
import type { Message } from '#server/mail/messages.ts';
import {
  canSendAgain,
  type FoundLetter,
  type LetterState,
  letterName,
  momentOfLetter,
} from '#server/office/commands/letters.ts';
import type { Situation } from '#server/office/commands/situation.ts';
import { PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { moment, WAITING_LETTERS } from '#server/office/words.ts';

export interface LettersShown {
  about: Situation;
  letters: readonly FoundLetter[];
  /** The letters that the office wrote to many, of which she may have had some. */
  messages: readonly Message[];
  /** The queue does not answer. */
  isAway: boolean;
}

/** Her letters: the state of each, and what can be done about it. */
export function LettersSection({
  about,
  letters,
  messages,
  isAway,
  token,
}: LettersShown & { token: string }) {
  const { record, now, announced } = about;
  const open = REGISTRATION_LETTERS.flatMap((kind) => openLetters(kind, record, now, announced));
  const toCome = open.filter(({ id }) => !letters.some((one) => one.id === id));
  return (
    <Section id="letters" title="Messages">
      {isAway && <p>The queue of messages does not answer: what waits or failed cannot be told now.</p>}
      {letters.length + toCome.length === 0 && <p>There are none.</p>}
      <ul className="letter-list">
        {toCome.map((letter) => (
          <li key={letter.id} className="letter">
            <div>
              <h3>{traitOf(letter.kind, 'name')}</h3>
              <p>
                {record.letterWaits && isFirstLetter(letter)
                  ? WAITING_LETTERS
                  : 'Owed, and not on the queue yet: the site puts it there automatically.'}
              </p>
            </div>
          </li>
        ))}
        {letters.map((found) => (
          <li key={found.id} className={found.state === 'failed' ? 'letter letter--failed' : 'letter'}>
            <LetterLine found={found} about={about} name={letterName(found.letter, messages)} />
            <div className="row">
              {commandsOn(found, about).map((command) => (
                <PressForm key={command} action={officePaths.letterAct(found.id, command)} token={token}>
                  <button type="submit" className="button button--quiet">
                    {BUTTONS[command]}
                    <span className="visually-hidden"> “{letterName(found.letter, messages)}”</span>
                  </button>
                </PressForm>
              ))}
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const BUTTONS = { resend: 'Send again', retry: 'Try again now', dismiss: 'Dismiss' } as const;

function commandsOn(
  { state, letter, job }: FoundLetter,
  { record, now }: Situation,
): (keyof typeof BUTTONS)[] {
  if (state === 'failed' || state === 'delayed') return ['retry', 'dismiss'];
  if (state === 'waiting') return job ? ['dismiss'] : [];
  return state === 'sent' && letter && canSendAgain(letter, record, now) ? ['resend'] : [];
}

interface LineProps {
  found: FoundLetter;
  about: Situation;
  name: string;
}

function LetterLine({ found, about: { record }, name }: LineProps) {
  const { letter, job, state, nextTryAt } = found;
  const to = letter && (letterTable[letter.kind].to === 'office' ? 'the office' : letter.address);
  const reason = state === 'failed' || state === 'delayed' ? job?.failedReason : undefined;
  const at = moment(nextTryAt ?? momentOfLetter(found), record);
  return (
    <div>
      <h3>{name}</h3>
      <p>
        {to && <>To {to}. </>}
        {`${BECAME[state]} ${at}${reason === undefined ? '.' : `: ${failureWords(reason)}`}`}
        {letter?.askedBy && ` Asked for by ${letter.askedBy}.`}
      </p>
      {reason && <p className="fine">The answer was: {reason}</p>}
    </div>
  );
}

const BECAME: Readonly<Record<LetterState, string>> = {
  sent: 'Sent on',
  failed: 'Failed on',
  delayed: 'Is tried again on',
  sending: 'Is being sent right now, since',
  waiting: 'Waits for its turn since',
  dismissed: 'Dismissed, so that it was not sent, on',
  dropped: 'Not sent, as it was not due any more, on',
};

/** The failure in words, by the reply code of the mail server: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
function failureWords(reason: string): string {
  if (/\b5\d\d\b/.test(reason))
    return 'the mail server of the address refused it for good. Is the address right?';
  if (/\b4\d\d\b/.test(reason)) return 'the mail server of the address did not take it yet.';
  return 'it could not be handed to a mail server.';
}
