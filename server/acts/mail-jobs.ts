import type { Job, JobState } from 'bullmq';
import {
  addresseeOf,
  goesToOffice,
  isAboutPerson,
  isAboutRegistration,
  type MailKind,
  mailOf,
} from '#server/mail/job.ts';
import type { ActContext } from './act-context.ts';
import { Refusal } from './refusal.ts';

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
type QueueOfActs = Pick<ActContext, 'queue' | 'redis'>;

/** @throws {Refusal} when the queue holds no mail of this ID */
export async function findJob(context: ActContext, id: string): Promise<FoundJob> {
  const found = await jobThere(context, id);
  if (!found) throw new Refusal('noSuchMail', `There is no mail ${id} in the queue.`);
  return found;
}

async function jobThere(context: QueueOfActs, id: string): Promise<FoundJob | undefined> {
  const state = await context.queue.getJobState(id);
  // The state is read first: an ID that is also the name of one of the queue's own keys has no state.
  const job = state === 'unknown' ? undefined : await context.queue.getJob(id);
  if (state === 'unknown' || !job) return undefined;
  return { job, state: mailStateOf(state), nextTryAt: await nextTryAt(context, id) };
}

/** The newest jobs in a state, at most `limit` of them, or all. */
export async function jobsIn(context: ActContext, state: JobState, limit = 0): Promise<FoundJob[]> {
  const found = await context.queue.getJobs([state], 0, limit - 1);
  return Promise.all(
    found.map(async (job) => ({
      job,
      state: mailStateOf(state),
      nextTryAt: state === 'delayed' && job.id ? await nextTryAt(context, job.id) : null,
    })),
  );
}

/** Every job of a payment's mail of a kind, to whatever address, the newest first. */
export async function jobsOfMail(
  context: ActContext,
  paymentIntentId: string,
  kind: MailKind,
): Promise<FoundJob[]> {
  return jobsNamed(context, (id) => id.startsWith(`${kind}-${paymentIntentId}-`));
}

/** Every job of a payment's mails, the newest first. */
export async function jobsOfPayment(context: QueueOfActs, paymentIntentId: string): Promise<FoundJob[]> {
  return jobsNamed(context, (id) => id.includes(`-${paymentIntentId}-`));
}

/**
 * The jobs whose ID matches, the newest first; a job that is removed from the queue meanwhile is left out.
 */
async function jobsNamed(context: QueueOfActs, isMeant: (id: string) => boolean): Promise<FoundJob[]> {
  const ids = await context.queue.getRanges(Object.values(STATES).flat(), 0, -1);
  const found = await Promise.all(ids.filter(isMeant).map((id) => jobThere(context, id)));
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

/** A job with unvalidated data, and its state. */
export interface FoundJob {
  job: Job<unknown>;
  state: MailState;
  /** When a delayed mail is retried. */
  nextTryAt: Date | null;
}

/** One mail as it is shown to support. Its JSON form is an interface for other programs. */
export interface MailRecord {
  id: string;
  /** Null when the job holds no mail of this site. */
  kind: string | null;
  paymentIntentId: string | null;
  /** Null for the office's own mails, and when the job holds no mail. */
  to: string | null;
  state: MailState;
  attemptsMade: number;
  attemptsAllowed: number;
  queuedAt: Date;
  nextTryAt: Date | null;
  /** When it was sent, or failed for good. */
  finishedAt: Date | null;
  /** The error message of the last attempt. */
  reason: string | null;
}

/** Support's word for a BullMQ state. */
export function mailStateOf(state: JobState): MailState {
  switch (state) {
    case 'completed':
      return 'sent';
    case 'active':
      return 'sending';
    case 'failed':
    case 'delayed':
      return state;
    default:
      return 'waiting';
  }
}

export function recordOf({ job, state, nextTryAt }: FoundJob): MailRecord {
  const mail = mailOf(job.data);
  const about = mail && isAboutPerson(mail) ? mail : undefined;
  return {
    id: job.id ?? '',
    kind: mail?.kind ?? null,
    paymentIntentId: about && isAboutRegistration(about) ? about.paymentIntentId : null,
    to: about && !goesToOffice(about) ? addresseeOf(about) : null,
    state,
    attemptsMade: job.attemptsMade,
    attemptsAllowed: Math.max(job.opts.attempts ?? 1, 1),
    queuedAt: new Date(job.timestamp),
    nextTryAt,
    finishedAt: job.finishedOn ? new Date(job.finishedOn) : null,
    reason: job.failedReason || null,
  };
}
