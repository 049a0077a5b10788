import type { Job, JobState } from 'bullmq';
import { allAnnounced } from '#server/letters/announcements.ts';
import { copyId, type RecordedLetter } from '#server/letters/letter-log.ts';
import { type Message, readMessages } from '#server/letters/messages.ts';
import { queueLetters } from '#server/letters/queue.ts';
import { lettersNow, letterTable } from '#server/letters/table.ts';
import { withTimeout } from '#server/ops/work.ts';
import {
  findRegistration,
  isUnreachable,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { findOwedLetter } from '#server/worker/outbox.ts';
import { type CommandContext, commandsAbout, impossible, Refusal } from './command.ts';

type LetterState = 'failed' | 'delayed' | 'waiting' | 'sending' | 'sent' | 'dismissed' | 'dropped';

/** A letter on record, with what the queue says of it while it is owed; or a job of which nothing is on record. */
export interface FoundLetter {
  id: string;
  letter: RecordedLetter | undefined;
  job: Job<null> | undefined;
  state: LetterState;
}

export const letterStates: Readonly<Record<LetterState, string>> = {
  failed: 'has failed',
  delayed: 'waits for its next try',
  waiting: 'waits for its turn',
  sending: 'is being sent right now',
  sent: 'was sent',
  dismissed: 'was dismissed',
  dropped: 'was not due any more',
};

const STATE_OF: Partial<Record<JobState, LetterState>> = {
  completed: 'sent',
  active: 'sending',
  failed: 'failed',
  delayed: 'delayed',
};

const REDIS_TIMEOUT_MS = 2_000;

type QueueOf = Pick<CommandContext, 'queue' | 'letterLog'>;

/** @throws {Refusal} when neither the register nor the queue has a letter of this id, and while the queue is away */
export async function findLetter(context: QueueOf, id: string): Promise<FoundLetter> {
  const letter = (await context.letterLog.find([id])).get(id);
  const found = await withTimeout(onQueue(context, id, letter), REDIS_TIMEOUT_MS).catch((cause: unknown) => {
    const sentence = 'The queue of messages does not answer now. Nothing was done: please try again later.';
    throw new Refusal('redisAway', sentence, { cause });
  });
  if (!letter && !found.job) throw new Refusal('notFound', `There is no message ${id}.`);
  return found;
}

async function onQueue(
  { queue }: QueueOf,
  id: string,
  letter: RecordedLetter | undefined,
): Promise<FoundLetter> {
  const state = await queue.getJobState(id);
  // The state is read first: an id that is also the name of one of the queue's own keys has no state.
  const job = state === 'unknown' ? undefined : await queue.getJob(id);
  return { id, letter, job, state: stateOf(letter, state) };
}

function stateOf(letter: RecordedLetter | undefined, state: JobState | 'unknown'): LetterState {
  if (letter && letter.state !== 'owed') return letter.state;
  return state === 'unknown' ? 'waiting' : (STATE_OF[state] ?? 'waiting');
}

/** The newest jobs in a state, at most `limit` of them, or all. */
export async function lettersIn(context: QueueOf, state: JobState, limit = 0): Promise<FoundLetter[]> {
  const jobs = await context.queue.getJobs([state], 0, limit - 1);
  const letters = await context.letterLog.find(jobs.map(({ id = '' }) => id));
  return Promise.all(jobs.map(({ id = '' }) => onQueue(context, id, letters.get(id))));
}

/** All letters about a registration, the newest first; while the queue does not answer, those that are owed wait. */
export async function lettersAbout(
  context: QueueOf,
  registration: string,
): Promise<{ letters: readonly FoundLetter[]; isAway: boolean }> {
  const recorded = (await context.letterLog.about(registration)).toReversed();
  const owed = recorded.filter(({ state }) => state === 'owed');
  const looked = Promise.all(owed.map((letter) => onQueue(context, letter.id, letter)));
  const found = await withTimeout(looked, REDIS_TIMEOUT_MS).catch(() => undefined);
  const byId = new Map(found?.map((one) => [one.id, one]));
  const letters = recorded.map((letter): FoundLetter => {
    const { id } = letter;
    return byId.get(id) ?? { id, letter, job: undefined, state: stateOf(letter, 'unknown') };
  });
  return { letters, isAway: found === undefined };
}

export function momentOfLetter({ letter, job }: FoundLetter): Date {
  const at = letter?.endedAt ?? (job?.finishedOn ? new Date(job.finishedOn) : undefined);
  return at ?? letter?.owedAt ?? new Date(job?.timestamp ?? 0);
}

/** The name of a letter; of one that the office wrote, its subject. */
export function letterName(
  letter: Pick<RecordedLetter, 'kind' | 'version'> | undefined,
  messages: readonly Message[] = [],
): string {
  if (!letter) return 'A message that is not on record';
  const { kind, version } = letter;
  const written = kind === 'message' ? messages.find(({ message }) => message === version) : undefined;
  return written?.subject ?? letterTable[kind].name;
}

/** Whether what a letter to her said still applies, so that it can be sent once more. */
function canSendAgain(
  letter: Pick<RecordedLetter, 'kind' | 'version'>,
  record: RegistrationRecord,
  now: Date,
): boolean {
  const { kind, version } = letter;
  if (kind === 'message') return !record.forgottenAt && !isUnreachable(record);
  const announced = allAnnounced(record.edition, now);
  return lettersNow(kind, record, now, announced).some((one) => one.version === version);
}

export interface LetterNow {
  found: FoundLetter;
  name: string;
  record: RegistrationRecord | undefined;
  now: Date;
}

export async function findLetterNow(context: CommandContext, id: string): Promise<LetterNow> {
  const found = await findLetter(context, id);
  const { subject = '' } = found.letter ?? {};
  const record = subject.startsWith('reg_') ? await findRegistration(context.payments, subject) : undefined;
  const isWritten = found.letter?.kind === 'message' && record;
  const messages = isWritten ? await readMessages(context.payments, record.edition) : [];
  return { found, name: letterName(found.letter, messages), record, now: context.now() };
}

const letterCommand = commandsAbout<LetterNow>();

const whatIs = ({ found, name }: LetterNow): string => `“${name}” ${letterStates[found.state]}`;

export const retry = letterCommand({
  id: 'retry',
  heading: 'Try a message again now',
  sentence: 'Tries a message at once that failed, or that waits for its next try.',
  refuses: (about) =>
    about.found.state === 'failed' || about.found.state === 'delayed' ? undefined : `${whatIs(about)}.`,
  plan: ({ about, context }) => ({
    says: [`“${about.name}” will be tried again now.`],
    async carryOut() {
      if (!(await retried(context, about.found)))
        throw impossible(`${whatIs(await findLetterNow(context, about.found.id))}.`);
    },
  }),
});

/** Returns false if its state does not allow that, or no longer. */
async function retried({ queue }: CommandContext, { job, state }: FoundLetter): Promise<boolean> {
  if (!job || (state !== 'failed' && state !== 'delayed')) return false;
  try {
    if (state === 'failed') await job.retry('failed', { resetAttemptsMade: true });
    else await job.promote();
    return true;
  } catch (error) {
    // Only where it is still so did something else go wrong.
    if ((await queue.getJobState(job.id ?? '')) === state) throw error;
    return false;
  }
}

export async function retryAll(context: CommandContext): Promise<string> {
  const counts = { failed: 0, delayed: 0 };
  for (const state of ['failed', 'delayed'] as const)
    for (const found of await lettersIn(context, state))
      if (await retried(context, found)) counts[state] += 1;
  return `${counts.failed} failed and ${counts.delayed} delayed messages will be tried again now.`;
}

export const dismiss = letterCommand({
  id: 'dismiss',
  heading: 'Dismiss a message',
  sentence: 'Takes a message that failed or waits off the queue for good: it is not sent.',
  refuses: (about) =>
    ['failed', 'delayed', 'waiting'].includes(about.found.state) ? undefined : `${whatIs(about)}.`,
  button: () => 'Dismiss it: it is not sent',
  plan: ({ about, context }) => ({
    says: [`${whatIs(about)}. It is dismissed: it will not be sent.`],
    async carryOut() {
      await context.letterLog.dismiss(about.found.id, context.now());
      await about.found.job?.remove();
    },
  }),
});

const resend = letterCommand({
  id: 'resend',
  heading: 'Send a message again',
  sentence: 'Sends a message once more that was sent, to her present address, if what it says still applies.',
  refuses(about) {
    const { found, record, now } = about;
    if (found.state !== 'sent') return `${whatIs(about)}: only what was sent is sent again.`;
    const isTrue = found.letter && record && canSendAgain(found.letter, record, now);
    return isTrue ? undefined : 'What it says does not apply any more, or messages to her come back.';
  },
  button: (_, { name }) => `Send “${name}” again`,
  async plan({ about, by, context }) {
    const { found, now } = about;
    const { payments, letterLog, queue } = context;
    const mail = found.letter && (await findOwedLetter(payments, { ...found.letter, again: true }, now));
    if (!mail) throw impossible('What it says does not apply any more.');
    const copies = (await letterLog.about(mail.subject)).filter(({ id }) => id.startsWith(copyId(mail, '')));
    if (copies.some(({ state }) => state === 'owed')) throw impossible('It is being sent once more already.');
    const before = copies.length === 1 ? 'once' : `${copies.length} times`;
    return {
      says: [
        `“${about.name}” will be sent to ${mail.toOffice ? 'the office' : mail.address} once more.`,
        copies.length > 0 ? `It was sent again ${before} before.` : '',
      ],
      async carryOut() {
        const name = String(copies.length + 1);
        const id = await letterLog.oweAgain(mail, { name, askedBy: by }, now);
        await queueLetters(queue, [{ kind: mail.kind, id, again: true }]);
      },
    };
  },
});

export const letterCommands = [resend, retry, dismiss];
