import { cameBack } from '#server/acts/bounce-words.ts';
import { actsOf, letterWordsOf } from '#server/acts/letter-acts.ts';
import type { FoundJob } from '#server/acts/mail-jobs.ts';
import { moment, WITHHELD_WORDS } from '#server/acts/plain-words.ts';
import type { Situation } from '#server/acts/registration-act.ts';
import { goesToOffice, letterName, MAIL_KINDS, type MailKind } from '#server/mail/job.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';

/** One letter about a registration, as its page shows it. */
export interface ShownLetter {
  /** The id of its job, or its kind if the job is gone. */
  id: string;
  words: string;
  /** To whom, if that is on record. */
  to?: string;
  /** Its state, as a sentence or two. */
  became: readonly string[];
  /** The answer of a mail server that refused it. */
  reason?: string;
  isFailed: boolean;
  /** What can be done about it: the act, and the field that names it. */
  acts: readonly { act: string; field: string; value: string }[];
}

/**
 * Her letters: those on the queue, the newest first; then older ones, whose jobs are
 * gone.
 */
export function shownLetters(situation: Situation): readonly ShownLetter[] {
  const { record, letters, messages } = situation;
  const known = new Set(letters.map(({ letter }) => letter && letterName(letter)));
  const kinds = MAIL_KINDS.filter((kind) => kind !== 'message').map((kind) => ({ kind, version: '' }));
  const written = messages.map(({ message: version }) => ({ kind: 'message' as const, version }));
  const older = [...kinds, ...written].flatMap((letter): ShownLetter[] => {
    const name = letterName(letter);
    const became = known.has(name) ? undefined : endWords(letter, record);
    if (!became) return [];
    const back = cameBack(record, letter);
    const said = back ? [became, back] : [became];
    const words = letterWordsOf(letter, messages);
    return [{ id: name, words, became: said, isFailed: back !== undefined, acts: [] }];
  });
  return [...letters.map((found) => shownLetter(found, situation)), ...older];
}

function shownLetter(found: FoundJob, situation: Situation): ShownLetter {
  const { job, letter, state } = found;
  const to = letter && (goesToOffice(letter) ? 'the office' : letter.address);
  const back =
    letter && state === 'sent' && cameBack(situation.record, { kind: letter.kind, to: letter.address });
  const asked = letter?.askedBy === undefined ? [] : [`Asked for by ${letter.askedBy}.`];
  const reason = state === 'failed' || state === 'delayed' ? job.failedReason : undefined;
  return {
    id: job.id ?? '',
    words: letterWordsOf(letter, situation.messages),
    ...(to && { to }),
    became: [becameOf(found, situation.record), ...(back ? [back] : []), ...asked],
    ...(reason && { reason }),
    isFailed: state === 'failed' || Boolean(back),
    acts: actsOf(found, situation),
  };
}

function becameOf({ job, letter, state, nextTryAt }: FoundJob, record: RegistrationRecord): string {
  switch (state) {
    case 'sent':
      return `Sent on ${moment(sentAt({ job, ...(letter && { letter }) }), record)}.`;
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

/** When a mail server accepted it. */
export function sentAt({ job, letter }: Pick<FoundJob, 'job' | 'letter'>): Date {
  return letter?.endedAt ?? new Date(job.finishedOn ?? job.timestamp);
}

/**
 * The failure in words, by the reply code of the mail server:
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.2.1
 */
function failureWords(reason: string | undefined): string {
  if (/\b5\d\d\b/.test(reason ?? ''))
    return 'the mail server of the address refused it for good. Is the address right?';
  if (/\b4\d\d\b/.test(reason ?? '')) return 'the mail server of the address did not take it yet.';
  return 'it could not be handed to a mail server.';
}

/** How a letter ended whose job is gone. */
function endWords(
  letter: { kind: MailKind; version: string },
  record: RegistrationRecord,
): string | undefined {
  const { kind } = letter;
  const state = kind === 'message' ? '' : (record.letters[kind] ?? '');
  if (state === 'owed') return 'Owed, and not on the queue yet: the site puts it there automatically.';
  if (WITHHELD_WORDS[state]) return WITHHELD_WORDS[state];
  const last = record.endedLetters.findLast((one) => letterName(one) === letterName(letter));
  if (!last) return undefined;
  const at = moment(last.at, record);
  return last.state === 'sent' ? `Sent on ${at}.` : `Dismissed on ${at}: it was not sent.`;
}
