import * as v from 'valibot';
import { allAnnounced } from '#server/letters/announced-letters.ts';
import { laterLetterNow } from '#server/letters/letters-due.ts';
import { letterTable } from '#server/letters/table.ts';
import { isWelcome } from '#server/letters/welcome.ts';
import {
  isKeptLetter,
  isLaterMail,
  isMessageName,
  KEPT_MAIL_KINDS,
  type KeptLetter,
  type KeptMailKind,
  letterName,
  type MailKind,
  mailRules,
  messageIdOf,
} from '#server/mail/job.ts';
import { isUnreachable } from '#server/record/bounce-mark.ts';
import type { Choice } from './act.ts';
import { dismissMail, resendMail, retryMail } from './change-mails.ts';
import type { FoundJob, MailState } from './mail-jobs.ts';
import { type RegistrationAct, registrationAct, type Situation } from './registration-act.ts';

const KIND = v.custom<KeptLetter>(isKeptLetter, 'Please choose a letter');
const LETTER = v.pipe(v.string(), v.nonEmpty('Please choose a letter'));

const RETRIED: readonly MailState[] = ['failed', 'delayed'];
const DISMISSED: readonly MailState[] = ['failed', 'delayed', 'waiting'];

export const letterActs = [
  registrationAct({
    id: 'resend',
    heading: 'Send a letter again',
    sentence:
      'Sends a letter once more that was sent, to her present address, if what it says still applies.',
    group: 'letters',
    fields: {
      kind: {
        takes: KIND,
        label: 'Letter',
        choices: (situation) =>
          resendable(situation).map((value) => ({ value, words: wordsOf(value, situation) })),
      },
    },
    whyNot: (situation) =>
      resendable(situation).length > 0 ? undefined : 'No letter was sent whose contents still apply.',
    run: (context, id, given, asked) => resendMail(context, id, given.kind, asked),
    confirm: (given, _told, situation) => `Send “${wordsOf(given.kind, situation)}” again`,
  }),
  actOnLetter({
    id: 'retry',
    heading: 'Try a letter again now',
    sentence: 'Tries a letter at once that failed, or that waits for its next try.',
    states: RETRIED,
    none: 'No letter failed, or waits for another try.',
    change: retryMail,
    confirm: (letter) => `Try “${letter}” again now`,
  }),
  actOnLetter({
    id: 'dismiss',
    heading: 'Dismiss a letter',
    sentence: 'Takes a letter that failed or waits off the queue for good: it is not sent.',
    states: DISMISSED,
    none: 'No letter failed, or waits.',
    change: dismissMail,
    confirm: (letter) => `Dismiss “${letter}”: it is not sent`,
  }),
];

interface OnLetter extends Pick<RegistrationAct, 'id' | 'heading' | 'sentence'> {
  /** The letters of which one is chosen. */
  states: readonly MailState[];
  /** What is said where there are none. */
  none: string;
  change: typeof retryMail;
  confirm(letter: string): string;
}

/** Makes an act on one letter that is on the queue. */
function actOnLetter({ states, none, change, confirm, ...spec }: OnLetter) {
  return registrationAct({
    ...spec,
    group: 'letters',
    fields: {
      letter: { takes: LETTER, label: 'Letter', choices: (situation) => lettersIn(situation, states) },
    },
    whyNot: (situation) => (lettersIn(situation, states).length > 0 ? undefined : none),
    run: (context, _id, given, asked) => change(context, given.letter, asked),
    confirm: (given, _told, situation) => confirm(nameOf(given.letter, situation)),
  });
}

export function actsOf(
  { job, letter: about, state }: FoundJob,
  situation: Situation,
): { act: string; field: string; value: string }[] {
  const kind = about && letterName(about);
  const letter = { field: 'letter', value: job.id ?? '' };
  const possible = [
    ...(RETRIED.includes(state) ? ['retry'] : []),
    ...(DISMISSED.includes(state) ? ['dismiss'] : []),
  ];
  if (possible.length > 0) return possible.map((act) => ({ act, ...letter }));
  if (state !== 'sent' || !v.is(KIND, kind) || !canResend(kind, situation)) return [];
  return [{ act: 'resend', field: 'kind', value: kind }];
}

/** The letters that were sent, and still apply. */
function resendable(situation: Situation): KeptLetter[] {
  const written = situation.messages.map(({ message }) => letterName({ kind: 'message', version: message }));
  return [...KEPT_MAIL_KINDS, ...written.filter(isKeptLetter)].filter((name) => canResend(name, situation));
}

function canResend(kind: KeptLetter, { record, now, letters }: Situation): boolean {
  const [last] = letters.filter(({ letter }) => letter && letterName(letter) === kind);
  if (last && last.state !== 'sent') return false;
  if (record.forgottenAt) return false;
  if (isMessageName(kind)) {
    const isEnded = record.endedLetters.some((one) => letterName(one) === kind && one.state === 'sent');
    return (last !== undefined || isEnded) && !isUnreachable(record);
  }
  const isSent = last !== undefined || record.letters[kind] === 'sent';
  return isSent && applies(kind, { record, now });
}

function applies(kind: KeptMailKind, { record, now }: Pick<Situation, 'record' | 'now'>): boolean {
  if (isLaterMail(kind))
    return laterLetterNow(kind, record, now, allAnnounced(record.edition, now)) !== undefined;
  if (kind === 'welcome') return record.deposit === 'paid' && isWelcome(record, now);
  if (mailRules[kind].to === 'registrant' && isUnreachable(record)) return false;
  const appliesWhile: readonly string[] = mailRules[kind].appliesWhile;
  return appliesWhile.includes(record.deposit);
}

function lettersIn({ letters, messages }: Situation, states: readonly MailState[]): Choice[] {
  return letters
    .filter(({ state }) => states.includes(state))
    .map(({ job, letter, state }) => ({
      value: job.id ?? '',
      words: `${letterWordsOf(letter, messages)} (${state === 'delayed' ? 'waits for its next try' : state})`,
    }));
}

function nameOf(id: string, { letters, messages }: Situation): string {
  return letterWordsOf(letters.find(({ job }) => job.id === id)?.letter, messages);
}

function wordsOf(name: KeptLetter, { messages }: Pick<Situation, 'messages'>): string {
  if (!isMessageName(name)) return letterTable[name].name;
  return letterWordsOf({ kind: 'message', version: messageIdOf(name) }, messages);
}

/** The name of a letter; of one that the office wrote, its subject. */
export function letterWordsOf(
  letter: { kind: MailKind; version: string } | undefined,
  messages: Situation['messages'],
): string {
  if (!letter) return 'A letter that is not on record';
  const { kind, version } = letter;
  const written = kind === 'message' ? messages.find(({ message }) => message === version) : undefined;
  return written?.subject ?? letterTable[kind].name;
}
