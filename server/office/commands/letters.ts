import type { Job, JobState } from 'bullmq';
import { allAnnounced } from '#server/letters/retreat-letters.ts';
import { canBeResent, lettersNow, letterTable, resendName } from '#server/letters/table.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import type { Message } from '#server/mail/messages.ts';
import { isUnreachable, type RegistrationRecord } from '#server/registration/registration.ts';
import { withTimeout } from '#server/service/work.ts';
import { type CommandContext, Refusal } from './command.ts';

/** What has become of a letter. */
export type LetterState = 'failed' | 'delayed' | 'waiting' | 'sending' | 'sent' | 'dismissed' | 'dropped';

/** A letter on record, with what the queue says of it while it is owed; or a job of which nothing is on record. */
export interface FoundLetter {
  id: string;
  letter: RecordedLetter | undefined;
  job: Job<null> | undefined;
  state: LetterState;
  /** When a delayed one is retried. */
  nextTryAt: Date | null;
}

/** In words, after the name of a letter. */
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

/** The lowest 12 bits of a delayed job's score are its position among the jobs of the same millisecond. */
const SCORES_PER_MS = 0x1000;

type QueueOf = Pick<CommandContext, 'queue' | 'redis' | 'letterLog'>;

/** @throws {Refusal} when neither the register nor the queue has a letter of this id, and while the queue is away */
export async function findLetter(context: QueueOf, id: string): Promise<FoundLetter> {
  const letter = (await context.letterLog.find([id])).get(id);
  const found = await withTimeout(onQueue(context, id, letter), REDIS_TIMEOUT_MS).catch((cause: unknown) => {
    const sentence = 'The queue of messages does not answer now. Nothing was done: please try again later.';
    throw new Refusal('redisAway', sentence, { cause });
  });
  if (!letter && !found.job) throw new Refusal('noSuchMail', `There is no message ${id}.`);
  return found;
}

async function onQueue(
  { queue, redis }: QueueOf,
  id: string,
  letter: RecordedLetter | undefined,
): Promise<FoundLetter> {
  const state = await queue.getJobState(id);
  // The state is read first: an id that is also the name of one of the queue's own keys has no state.
  const job = state === 'unknown' ? undefined : await queue.getJob(id);
  const score = job && state === 'delayed' ? await redis.zscore(queue.toKey('delayed'), id) : null;
  return {
    id,
    letter,
    job,
    state: stateOf(letter, state),
    nextTryAt: score === null ? null : new Date(Math.floor(Number(score) / SCORES_PER_MS)),
  };
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
    return byId.get(id) ?? { id, letter, job: undefined, state: stateOf(letter, 'unknown'), nextTryAt: null };
  });
  return { letters, isAway: found === undefined };
}

/** When it became what it is. */
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
export function canSendAgain(
  letter: Pick<RecordedLetter, 'kind' | 'version'>,
  record: RegistrationRecord,
  now: Date,
): boolean {
  const { kind, version } = letter;
  if (record.forgottenAt || !canBeResent(resendName(letter))) return false;
  if (kind === 'message') return !isUnreachable(record);
  const announced = allAnnounced(record.edition, now);
  return lettersNow(kind, record, now, announced).some((one) => one.version === version);
}

/**
 * Removes what waits for an old address from the queue. A crash before leaves only what is no longer due, which the worker
 * does not send; it also keeps what it has just begun to send.
 */
export async function removeUnsent(
  context: CommandContext,
  registration: string,
  email: string,
): Promise<void> {
  const { letters } = await lettersAbout(context, registration);
  for (const { id, letter, job, state } of letters) {
    const isHers = letter && letterTable[letter.kind].to === undefined;
    const isUnsent = state === 'failed' || state === 'delayed' || state === 'waiting';
    if (!isHers || !isUnsent || letter.address.toLowerCase() === email.toLowerCase()) continue;
    await context.letterLog.drop(id, context.now());
    if (job && (await context.queue.getJobState(id)) !== 'active') await job.remove();
  }
}
