import * as v from 'valibot';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import {
  canBeResent,
  isLetterName,
  type LetterName,
  lastEnd,
  lettersNow,
  letterTable,
  messageNamed,
  REGISTRATION_LETTERS,
  resendName,
} from '#server/letters/table.ts';
import { copyId, type RecordedLetter } from '#server/mail/letter-log.ts';
import { queueLetters } from '#server/mail/queue.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { findMail } from '#server/worker/outbox.ts';
import {
  type ActContext,
  type Asked,
  actsAbout,
  type Choice,
  carryOut,
  impossible,
  Refusal,
  type Told,
  type Tried,
} from './act.ts';
import { type FoundJob, findJob, jobsIn, jobsOfMail, type MailState, mailStateOf } from './mail-jobs.ts';
import { type RegistrationAct, registrationAct, type Situation } from './registration-act.ts';

const KIND = v.custom<string>(canBeResent, 'Please choose a message');
const LETTER = v.pipe(v.string(), v.nonEmpty('Please choose a message'));

const RETRIED: readonly MailState[] = ['failed', 'delayed'];
const DISMISSED: readonly MailState[] = ['failed', 'delayed', 'waiting'];

export const letterActs = [
  registrationAct({
    id: 'resend',
    heading: 'Send a message again',
    sentence:
      'Sends a message once more that was sent, to her present address, if what it says still applies.',
    group: 'letters',
    fields: {
      kind: {
        takes: KIND,
        label: 'Message',
        choices: (situation) =>
          resendable(situation).map((value) => ({ value, words: wordsOf(value, situation) })),
      },
    },
    whyNot: (situation) =>
      resendable(situation).length > 0 ? undefined : 'No message was sent whose contents still apply.',
    run: (context, id, given, asked) => resendMail(context, id, given.kind, asked),
    confirm: (given, _told, situation) => `Send “${wordsOf(given.kind, situation)}” again`,
  }),
  actOnLetter({
    id: 'retry',
    heading: 'Try a message again now',
    sentence: 'Tries a message at once that failed, or that waits for its next try.',
    states: RETRIED,
    none: 'No message failed, or waits for another try.',
    change: retryMail,
    confirm: (letter) => `Try “${letter}” again now`,
  }),
  actOnLetter({
    id: 'dismiss',
    heading: 'Dismiss a message',
    sentence: 'Takes a message that failed or waits off the queue for good: it is not sent.',
    states: DISMISSED,
    none: 'No message failed, or waits.',
    change: dismissMail,
    confirm: (letter) => `Dismiss “${letter}”: it is not sent`,
  }),
];

const onMail = actsAbout<FoundJob, string>();

/** The acts on any mail in the queue, also one about no registration. */
export const mailActs = [
  onMail({
    id: 'dismiss',
    heading: 'Dismiss a message',
    sentence: 'Takes a message that failed or waits off the queue for good: it is not sent.',
    whyNot: ({ state }) => (DISMISSED.includes(state) ? undefined : `It is ${state}.`),
    confirm: () => 'Dismiss it: it is not sent',
    run: (context, id, _given, asked) => dismissMail(context, id, asked),
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

function actOnLetter({ states, none, change, confirm, ...spec }: OnLetter) {
  return registrationAct({
    ...spec,
    group: 'letters',
    fields: {
      letter: { takes: LETTER, label: 'Message', choices: (situation) => lettersIn(situation, states) },
    },
    whyNot: (situation) => (lettersIn(situation, states).length > 0 ? undefined : none),
    run: (context, _id, given, asked) => change(context, given.letter, asked),
    confirm: (given, _told, situation) => confirm(chosenWords(given.letter, situation)),
  });
}

export function actsOf(
  { job, letter: about, state }: FoundJob,
  situation: Situation,
): { act: string; field: string; value: string }[] {
  const kind = about && resendName(about);
  const letter = { field: 'letter', value: job.id ?? '' };
  const possible = [
    ...(RETRIED.includes(state) ? ['retry'] : []),
    ...(DISMISSED.includes(state) ? ['dismiss'] : []),
  ];
  if (possible.length > 0) return possible.map((act) => ({ act, ...letter }));
  if (state !== 'sent' || !v.is(KIND, kind) || !canResend(kind, situation)) return [];
  return [{ act: 'resend', field: 'kind', value: kind }];
}

function resendable(situation: Situation): string[] {
  const written = situation.messages.map(({ message }) => resendName({ kind: 'message', version: message }));
  return [...REGISTRATION_LETTERS, ...written].filter((name) => canResend(name, situation));
}

function canResend(kind: string, { record, now, letters }: Situation): boolean {
  const [last] = letters.filter(({ letter }) => letter && resendName(letter) === kind);
  if (last && last.state !== 'sent') return false;
  if (record.forgottenAt) return false;
  if (!isLetterName(kind)) {
    const isEnded = record.endedLetters.some((one) => resendName(one) === kind && one.state === 'sent');
    return (last !== undefined || isEnded) && !isUnreachable(record);
  }
  const isSent = last !== undefined || lastEnd(kind, record) === 'sent';
  return isSent && lettersNow(kind, record, now, allAnnounced(record.edition, now)).length > 0;
}

function lettersIn({ letters, messages }: Situation, states: readonly MailState[]): Choice[] {
  return letters
    .filter(({ state }) => states.includes(state))
    .map(({ job, letter, state }) => ({
      value: job.id ?? '',
      words: `${letterWordsOf(letter, messages)} (${state === 'delayed' ? 'waits for its next try' : state})`,
    }));
}

function chosenWords(id: string, { letters, messages }: Situation): string {
  return letterWordsOf(letters.find(({ job }) => job.id === id)?.letter, messages);
}

function wordsOf(name: string, { messages }: Pick<Situation, 'messages'>): string {
  if (isLetterName(name)) return letterTable[name].name;
  return letterWordsOf({ kind: 'message', version: messageNamed(name) ?? '' }, messages);
}

/** The name of a letter; of one that the office wrote, its subject. */
export function letterWordsOf(
  letter: { kind: LetterName; version: string } | undefined,
  messages: Situation['messages'],
): string {
  if (!letter) return 'A message that is not on record';
  const { kind, version } = letter;
  const written = kind === 'message' ? messages.find(({ message }) => message === version) : undefined;
  return written?.subject ?? letterTable[kind].name;
}

/** The name of a mail by its kind, which is undefined if it cannot be read. */
export function mailName(kind: LetterName | undefined): string {
  return kind ? `“${letterTable[kind].name}”` : 'A message that cannot be read';
}

const NOT_RETRIED: Record<Exclude<MailState, 'failed' | 'delayed'>, string> = {
  waiting: 'is waiting for its turn already',
  sending: 'is being sent right now',
  sent: 'was sent already; it can be sent once more',
};

/**
 * Retries a failed mail, with all its attempts, or a delayed one at once.
 * @throws {Refusal} when it is neither failed nor delayed
 */
export async function retryMail(context: ActContext, id: string, asked: Tried): Promise<Told> {
  const found = await findJob(context, id);
  const name = mailName(found.letter?.kind);
  if (found.state !== 'failed' && found.state !== 'delayed') throw notRetried(name, found.state);
  const says = [`${name} will be tried again now.`];
  return carryOut(asked, { says, restsOn: [id, found.state] }, async () => {
    if (await retried(context, found)) return [];
    throw notRetried(name, (await findJob(context, id)).state);
  });
}

/** The same for all mails that are failed or delayed at this moment. */
export async function retryAllMails(context: ActContext): Promise<string> {
  const [failed, delayed] = [await jobsIn(context, 'failed'), await jobsIn(context, 'delayed')];
  const counts = [];
  for (const all of [failed, delayed]) {
    let count = 0;
    for (const found of all) if (await retried(context, found)) count += 1;
    counts.push(count);
  }
  return `${counts[0]} failed and ${counts[1]} delayed mails will be tried again now.`;
}

/** Retries a mail. Returns false if its state does not allow that, or no longer. */
async function retried({ queue }: ActContext, { job, state }: FoundJob): Promise<boolean> {
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true });
    else if (state === 'delayed') await job.promote();
    else return false;
    return true;
  } catch (error) {
    const now = await queue.getJobState(job.id ?? '');
    if (now !== 'unknown' && mailStateOf(now) === state) throw error;
    return false;
  }
}

function notRetried(name: string, state: MailState): Refusal {
  const words = state === 'failed' || state === 'delayed' ? 'has just changed its state' : NOT_RETRIED[state];
  return impossible(`${name} ${words}.`);
}

/**
 * Queues a mail that was already sent once more, under a new job ID, since the queue accepts each ID once.
 * The worker sends it with the registration's details at that time.
 * @throws {Refusal} when there is no such mail, it no longer applies, or the last one has not been sent yet
 */
export async function resendMail(
  context: ActContext,
  registration: string,
  name: string,
  asked: Asked,
): Promise<Told> {
  const kind = isLetterName(name) ? name : 'message';
  const found = await jobsOfMail(context, registration, name);
  const [last] = found;
  if (last && last.state !== 'sent') {
    throw impossible(`${mailName(kind)} has not been sent yet (it is ${last.state}).`);
  }
  const { payments, letterLog } = context;
  const mail = await findMail(payments, registration, name, context.now());
  if (!mail)
    throw new Refusal(
      'noSuchMail',
      `There is no ${mailName(kind)} to send for ${registration}: it no longer applies, messages to her come back, or there is no such payment.`,
    );
  const letters = await letterLog.about(registration);
  const first = letters.find(({ id }) => id === mail.id);
  if (first?.state === 'owed') throw impossible(`${mailName(kind)} has not been sent yet.`);
  const copy = String(nextCopy(copyId(mail, ''), letters));
  const to = mail.toOffice ? 'the office' : mail.address;
  const copied = copyId(mail, copy);
  const says = [`${mailName(kind)} will be sent to ${to} once more.`];
  return carryOut(asked, { says, restsOn: [copied] }, async () => {
    const again = { name: copy, askedBy: asked.by };
    const id = await letterLog.oweAgain(mail, again, context.now());
    await queueLetters(context.queue, [{ kind, id, again: true }]);
    return [];
  });
}

function nextCopy(beginning: string, letters: readonly RecordedLetter[]): number {
  const numbers = letters
    .filter(({ id }) => id.startsWith(beginning))
    .map(({ id }) => Number(id.slice(beginning.length)))
    .filter(Number.isInteger);
  return Math.max(0, ...numbers) + 1;
}

/**
 * Removes a failed or waiting mail from the queue for good, and records that it was dismissed.
 * @throws {Refusal} when it was sent, or is being sent
 */
async function dismissMail(context: ActContext, id: string, asked: Tried): Promise<Told> {
  const found = await findJob(context, id);
  const { job, state } = found;
  const name = mailName(found.letter?.kind);
  if (state === 'sent') throw impossible(`${name} was sent already.`);
  if (state === 'sending') throw impossible(`${name} is being sent right now.`);
  const says = [`${name} is dismissed: it will not be sent.`];
  return carryOut(asked, { says, restsOn: [id, state] }, async () => {
    await context.letterLog.dismiss(id, context.now());
    await job.remove();
    return [];
  });
}
