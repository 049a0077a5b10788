import type { Message } from '#server/letters/messages.ts';
import { CommandFields } from '#server/office/commands/command-views.tsx';
import {
  type FoundLetter,
  type LetterNow,
  letterCommands,
  letterName,
} from '#server/office/commands/letters.ts';
import { addNote } from '#server/office/commands/person-commands.ts';
import { Moment, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import { type Situation, timelineWithLetters } from '#server/office/timeline.ts';
import type { SignedIn } from '#server/office/users/user.ts';
import { sentence } from '#server/office/words.ts';

interface TimelineProps {
  about: Situation;
  letters: readonly FoundLetter[];
  /** The letters that the office wrote to many, of which she may have had some. */
  messages: readonly Message[];
  isAway: boolean;
  signedIn: SignedIn;
}

/** Her letters, what was done and what was noted, the newest first, under a form for a note. */
export function TimelineSection({ about, letters, messages, isAway, signedIn }: TimelineProps) {
  const { record, now } = about;
  return (
    <Section id="timeline" title="What happened">
      {addNote.refuses(about) === undefined && (
        <div className="note-form on-screen">
          <CommandFields
            command={addNote}
            about={about}
            signedIn={signedIn}
            action={officePaths.act(record.id, addNote.id)}
            typed={{}}
          />
        </div>
      )}
      {isAway && (
        <p className="need">
          The queue of messages does not answer: what waits or failed cannot be told now.
        </p>
      )}
      <ol className="rows timeline">
        {timelineWithLetters(about, letters, messages)
          .toReversed()
          .map(({ at, what, isNote, letter }) => (
            <li key={`${at.getTime()} ${what}`} className={isNote && 'timeline__note on-screen'}>
              <span className="fine">
                <Moment at={at} record={record} />
              </span>
              <div className="as-written">
                {letter?.state === 'failed' ? (
                  <strong className="error">{sentence(what)}</strong>
                ) : (
                  sentence(what)
                )}
                {letter && <Trouble {...letter} />}
              </div>
              {letter && !isAway && (
                <LetterLinks
                  now={{ found: letter, name: letterName(letter.letter, messages), record, now }}
                />
              )}
            </li>
          ))}
      </ol>
    </Section>
  );
}

/** The failure in words, by the reply code of the mail server: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
export function Trouble({ state, job }: FoundLetter) {
  const reason = job?.failedReason;
  if (!reason || (state !== 'failed' && state !== 'delayed')) return null;
  const why = /\b5\d\d\b/.test(reason)
    ? 'The mail server of the address refused it for good. Is the address right?'
    : /\b4\d\d\b/.test(reason)
      ? 'The mail server of the address did not take it yet.'
      : 'It could not be handed to a mail server.';
  return (
    <p className="on-screen">
      {why} <span className="fine">The answer was: {reason}</span>
    </p>
  );
}

const PRESSES: Readonly<Record<string, string>> = {
  resend: 'Send again',
  retry: 'Try again now',
  dismiss: 'Dismiss',
};

/** The commands have no fields, so each link leads to what will happen. */
export function LetterLinks({ now }: { now: LetterNow }) {
  const possible = letterCommands.filter((command) => command.refuses(now) === undefined);
  if (possible.length === 0) return null;
  return (
    <p className="timeline__links row on-screen">
      {possible.map(({ id, heading }) => (
        <a key={id} className="more" href={officePaths.letterAct(now.found.id, id)}>
          {PRESSES[id] ?? heading}
          <span className="visually-hidden"> “{now.name}”</span>
        </a>
      ))}
    </p>
  );
}
