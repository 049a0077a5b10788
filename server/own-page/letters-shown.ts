import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import type { Message } from '#server/letters/messages.ts';
import type { MailQueue } from '#server/letters/queue.ts';
import { type LetterName, lettersDue, letterTable, REGISTRATION_LETTERS } from '#server/letters/table.ts';
import type { EndedLetter, RegistrationRecord } from '#server/registration/registration.ts';
import type { OwnPageLetter } from '#shared/content/own-page-view.ts';

const BEFORE_PAYING: readonly LetterName[] = ['registration-received', 'unfinished'];

/** The letters that her page lists once they are sent or owed: those to her since she has paid the deposit. */
const shownLetters = REGISTRATION_LETTERS.filter(
  (name) => letterTable[name].to === undefined && !BEFORE_PAYING.includes(name),
);
const isShown = (name: string): name is LetterName => shownLetters.some((one) => one === name);

function subjectOf(
  { kind, version }: Pick<EndedLetter, 'kind' | 'version'>,
  messages: readonly Message[],
): string | undefined {
  if (kind === 'message') return messages.find(({ message }) => message === version)?.subject;
  return isShown(kind) ? letterTable[kind].name : undefined;
}

/** What was sent to her since the place is hers, each letter with its last copy, by its date. */
export function sentTo(record: RegistrationRecord, messages: readonly Message[]) {
  const { handedOver, endedLetters } = record;
  const isCopied = ({ kind, version }: EndedLetter, index: number): boolean =>
    endedLetters.slice(index + 1).some((one) => one.kind === kind && one.version === version);
  return endedLetters.flatMap((letter, index) => {
    const { id, state, at } = letter;
    const subject = subjectOf(letter, messages);
    const isHers = state === 'sent' && (!handedOver || at >= handedOver.at);
    if (subject === undefined || !isHers || isCopied(letter, index)) return [];
    return [{ kind: letter.kind, subject, at, id }];
  });
}

export async function lettersShown(
  record: RegistrationRecord,
  now: Date,
  announced: AnnouncedToAll,
  mailQueue: Pick<MailQueue, 'stateOf'>,
  messages: readonly Message[],
): Promise<OwnPageLetter[]> {
  const due = lettersDue(record, now, announced).filter(({ kind }) => isShown(kind));
  const sent = sentTo(record, messages).map((letter): OwnPageLetter => ({ ...letter, state: 'sent' }));
  const owed = due.map(async (letter): Promise<OwnPageLetter> => {
    const state = await mailQueue.stateOf(letter);
    return { kind: letter.kind, subject: subjectOf(letter, messages) ?? '', state };
  });
  return [...sent, ...(await Promise.all(owed))];
}
