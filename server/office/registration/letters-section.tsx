import { actsOf, letterWordsOf } from '#server/acts/letter-acts.ts';
import type { FoundJob } from '#server/acts/mail-jobs.ts';
import type { Situation } from '#server/acts/registration-act.ts';
import { sentAt, timelineOf } from '#server/acts/timeline.ts';
import { moment, sentence, WAITING_LETTERS } from '#server/acts/words.ts';
import { isFirstLetter } from '#server/letters/registration-letters.ts';
import {
  LETTER_NAMES,
  type LetterName,
  letterTable,
  openLetters,
  resendName,
} from '#server/letters/table.ts';
import { Moment, PressForm, Section } from '#server/office/parts.tsx';
import { officePaths } from '#server/office/paths.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';

interface LettersProps {
  situation: Situation;
  token: string;
  isAway: boolean;
}

/** Her letters: the state of each, and what can be done about it. */
export function LettersSection({ situation, token, isAway }: LettersProps) {
  const letters = shownLetters(situation);
  return (
    <Section className="registration-section" id="letters" title="Messages">
      {isAway && (
        <p>
          The queue of messages does not answer: what waits or failed cannot be told now. What is on record is
          below.
        </p>
      )}
      {letters.length === 0 ? (
        <p>There are none.</p>
      ) : (
        <ul className="letter-list">
          {letters.map((letter) => (
            <li key={letter.id} className={letter.isFailed ? 'letter letter--failed' : 'letter'}>
              <LetterLine letter={letter} />
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

/** One letter about a registration, as its page shows it. */
type ShownLetter = ReturnType<typeof shownLetter>;

/** Her letters: those on the queue, the newest first; then older ones, whose jobs are gone. */
function shownLetters(situation: Situation): readonly ShownLetter[] {
  const { letters, messages } = situation;
  const known = new Set(letters.map(({ letter }) => letter && resendName(letter)));
  const kinds = LETTER_NAMES.filter((kind) => kind !== 'message').map((kind) => ({ kind, version: '' }));
  const written = messages.map(({ message: version }) => ({ kind: 'message' as const, version }));
  const older = [...kinds, ...written].flatMap((letter): ShownLetter[] => {
    const name = resendName(letter);
    const became = known.has(name) ? undefined : endWords(letter, situation);
    if (!became) return [];
    const words = letterWordsOf(letter, messages);
    const unknown = { to: undefined, reason: undefined };
    return [{ id: name, words, became: [became], isFailed: false, acts: [], ...unknown }];
  });
  return [...letters.map((found) => shownLetter(found, situation)), ...older];
}

function shownLetter(found: FoundJob, situation: Situation) {
  const { job, letter, state } = found;
  const to = letter && (letterTable[letter.kind].to === 'office' ? 'the office' : letter.address);
  const asked = letter?.askedBy === undefined ? [] : [`Asked for by ${letter.askedBy}.`];
  const reason = state === 'failed' || state === 'delayed' ? job.failedReason : undefined;
  return {
    /** The id of its job, or its name if the job is gone. */
    id: job.id ?? '',
    words: letterWordsOf(letter, situation.messages),
    /** To whom, if that is on record. */
    to,
    /** Its state, as a sentence or two. */
    became: [becameOf(found, situation.record), ...asked],
    /** The answer of a mail server that refused it. */
    reason,
    isFailed: state === 'failed',
    /** What can be done about it: the act, and the field that names it. */
    acts: actsOf(found, situation),
  };
}

function becameOf({ job, letter, state, nextTryAt }: FoundJob, record: RegistrationRecord): string {
  switch (state) {
    case 'sent':
      return `Sent on ${moment(sentAt({ job, letter }), record)}.`;
    case 'failed':
      return `Failed on ${moment(new Date(job.finishedOn ?? job.timestamp), record)}: ${failureWords(job.failedReason)}`;
    case 'delayed':
      return nextTryAt
        ? `Waits until ${moment(nextTryAt, record)} for its next try: ${failureWords(job.failedReason)}`
        : 'Waits for its next try.';
    case 'sending':
      return 'Is being sent right now.';
    case 'waiting':
      return `Waits for its turn since ${moment(new Date(job.timestamp), record)}.`;
  }
}

/** The failure in words, by the reply code of the mail server: https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1 */
function failureWords(reason: string | undefined): string {
  if (/\b5\d\d\b/.test(reason ?? ''))
    return 'the mail server of the address refused it for good. Is the address right?';
  if (/\b4\d\d\b/.test(reason ?? '')) return 'the mail server of the address did not take it yet.';
  return 'it could not be handed to a mail server.';
}

function endWords(
  letter: { kind: LetterName; version: string },
  { record, now }: Situation,
): string | undefined {
  const [open] = openLetters(letter.kind, record, now);
  if (open && record.letterWaits && isFirstLetter(open)) return WAITING_LETTERS;
  if (open) return 'Owed, and not on the queue yet: the site puts it there automatically.';
  const last = record.endedLetters.findLast((one) => resendName(one) === resendName(letter));
  if (!last) return undefined;
  const at = moment(last.at, record);
  return last.state === 'sent' ? `Sent on ${at}.` : `Dismissed on ${at}: it was not sent.`;
}

export function TimelineSection({ record, letters, messages }: Situation) {
  return (
    <Section className="registration-section" id="timeline" title="What happened">
      <ol className="timeline">
        {timelineOf(record, letters, messages).map(({ at, what, isNote }) => (
          <li key={`${at.getTime()} ${what}`} className={isNote && 'timeline-note'}>
            <Moment at={at} record={record} /> <span>{sentence(what)}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
