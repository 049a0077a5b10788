import type { Job, JobState } from 'bullmq';
import { resendName } from '#server/letters/table.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { type ActContext, Refusal } from './act.ts';

/** The BullMQ states that belong to each word that support uses. */
export const STATES = {
  failed: ['failed'],
  waiting: ['active', 'waiting', 'prioritized', 'delayed'],
  sent: ['completed'],
} as const satisfies Record<string, readonly JobState[]>;

/** Which mails a list shows. */
export type Listed = keyof typeof STATES;
export const LISTED = ['failed', 'waiting', 'sent'] as const satisfies readonly Listed[];

/** The lowest 12 bits of a delayed job's score are its position among the jobs of the same millisecond. */
const SCORES_PER_MS = 0x1000;

/** The part of an act's context that is needed to find the state of a mail. */
type QueueOfActs = Pick<ActContext, 'queue' | 'redis' | 'letterLog'>;

/** @throws {Refusal} when the queue holds no mail of this ID */
export async function findJob(context: ActContext, id: string): Promise<FoundJob> {
  const letter = (await context.letterLog.find([id])).get(id);
  const found = await jobThere(context, id, letter);
  if (!found) throw new Refusal('noSuchMail', `There is no mail ${id} in the queue.`);
  return found;
}

async function jobThere(
  context: QueueOfActs,
  id: string,
  letter: RecordedLetter | undefined,
): Promise<FoundJob | undefined> {
  const state = await context.queue.getJobState(id);
  // The state is read first: an ID that is also the name of one of the queue's own keys has no state.
  const job = state === 'unknown' ? undefined : await context.queue.getJob(id);
  if (state === 'unknown' || !job) return undefined;
  return { job, letter, state: mailStateOf(state), nextTryAt: await nextTryAt(context, id) };
}

/** The newest jobs in a state, at most `limit` of them, or all. */
export async function jobsIn(context: ActContext, state: JobState, limit = 0): Promise<FoundJob[]> {
  const found = await context.queue.getJobs([state], 0, limit - 1);
  const letters = await context.letterLog.find(found.map(({ id = '' }) => id));
  return Promise.all(
    found.map(async (job) => {
      const { id = '' } = job;
      const next = state === 'delayed' ? await nextTryAt(context, id) : null;
      return { job, letter: letters.get(id), state: mailStateOf(state), nextTryAt: next };
    }),
  );
}

/** Every job of one of a payment's letters, to whatever address, the newest first. */
export async function jobsOfMail(
  context: ActContext,
  registration: string,
  name: string,
): Promise<FoundJob[]> {
  const all = await jobsOfPayment(context, registration);
  return all.filter(({ letter }) => letter && resendName(letter) === name);
}

/** Every job of a payment's mails, the newest first; one that is removed from the queue meanwhile is left out. */
export async function jobsOfPayment(context: QueueOfActs, registration: string): Promise<FoundJob[]> {
  const letters = await context.letterLog.about(registration);
  const found = await Promise.all(letters.map((letter) => jobThere(context, letter.id, letter)));
  return found
    .filter((one) => one !== undefined)
    .toSorted((one, other) => other.job.timestamp - one.job.timestamp);
}

async function nextTryAt({ queue, redis }: QueueOfActs, id: string): Promise<Date | null> {
  const score = await redis.zscore(queue.toKey('delayed'), id);
  return score === null ? null : new Date(Math.floor(Number(score) / SCORES_PER_MS));
}

/** The state of a mail, in support's words. */
export type MailState = 'failed' | 'waiting' | 'delayed' | 'sending' | 'sent';

export interface FoundJob {
  job: Job<null>;
  /** Undefined where the register does not know it. */
  letter: RecordedLetter | undefined;
  state: MailState;
  /** When a delayed mail is retried. */
  nextTryAt: Date | null;
}

const STATE_OF: Partial<Record<JobState, MailState>> = {
  completed: 'sent',
  active: 'sending',
  failed: 'failed',
  delayed: 'delayed',
};

export const mailStateOf = (state: JobState): MailState => STATE_OF[state] ?? 'waiting';
