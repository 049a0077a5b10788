import type { Job, JobState, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { PlaceLinks } from '#server/links/place-links.ts';
import {
  addresseeOf,
  goesToOffice,
  isAboutRegistration,
  MAIL_KINDS,
  type MailJob,
  type MailKind,
  mailOf,
} from '#server/mail/job.ts';
import type { Payments } from '#server/payments/payments.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import { Refusal } from './refusal.ts';

/** What the commands work on. */
export interface MailJobs {
  /** The mail queue; what its jobs hold is checked when it is read. */
  queue: Queue<unknown>;
  /** The queue's connection. */
  redis: Redis;
  /** A mail's subject as its reader sees it. */
  subjectOf(mail: MailJob): string;
  /** Stripe's record of the registrations. */
  openRecord(): Promise<Register>;
  /** What makes links to a registrant's page. */
  openLinks(): Promise<PlaceLinks>;
  /** The date by which the site does business. */
  now(): Promise<Date>;
  /** Asks the workers to look all registrations through. */
  askForWalk(): Promise<void>;
}

/** Where registrations are on record, beside the mails that are queued. */
export type Register = Pick<
  Payments,
  | 'findMail'
  | 'correctDetails'
  | 'correctAddress'
  | 'findDisputes'
  | 'forget'
  | 'findLeftovers'
  | 'markDismissed'
  | 'markLookedAt'
  | 'findRegistration'
  | 'decide'
  | 'renewLinks'
>;

/** BullMQ's states behind support's words. */
export const STATES = {
  failed: ['failed'],
  waiting: ['active', 'waiting', 'prioritized', 'delayed'],
  sent: ['completed'],
} as const satisfies Record<string, readonly JobState[]>;

/** Which mails a list shows. */
export type Listed = keyof typeof STATES;
export const LISTED = ['failed', 'waiting', 'sent'] as const satisfies readonly Listed[];

/** BullMQ keeps the job's place among those of one millisecond in the lowest 12 bits of a delayed job's score. */
const SCORES_PER_MS = 0x1000;
const SCAN_COUNT = 1_000;

/** @throws {Refusal} when the queue holds no mail of this ID */
export async function findJob(jobs: MailJobs, id: string): Promise<FoundJob> {
  const state = await jobs.queue.getJobState(id);
  // Asked in this order: an ID that names another of the queue's keys has no state.
  const job = state === 'unknown' ? undefined : await jobs.queue.getJob(id);
  if (state === 'unknown' || !job) throw new Refusal('noSuchMail', `There is no mail ${id} in the queue.`);
  return { job, state: mailStateOf(state), nextTryAt: await nextTryAt(jobs, id) };
}

/** The newest jobs in a state, at most `limit` of them, or all. */
export async function jobsIn(jobs: MailJobs, state: JobState, limit = 0): Promise<FoundJob[]> {
  const found = await jobs.queue.getJobs([state], 0, limit - 1);
  return Promise.all(
    found.map(async (job) => ({
      job,
      state: mailStateOf(state),
      nextTryAt: state === 'delayed' && job.id ? await nextTryAt(jobs, job.id) : null,
    })),
  );
}

/** Every job of a payment's mail of a kind, to whatever address, the newest first. */
export async function jobsOfMail(
  jobs: MailJobs,
  paymentIntentId: string,
  kind: MailKind,
): Promise<FoundJob[]> {
  const ids = await idsBeginningWith(jobs, `${kind}-${paymentIntentId}-`);
  const found = await Promise.all(ids.map((id) => findJob(jobs, id)));
  return found.toSorted((one, other) => other.job.timestamp - one.job.timestamp);
}

/** Every job of a payment's mails, the newest first. */
export async function jobsOfPayment(jobs: MailJobs, paymentIntentId: string): Promise<FoundJob[]> {
  const found = await Promise.all(MAIL_KINDS.map((kind) => jobsOfMail(jobs, paymentIntentId, kind)));
  return found.flat();
}

/** @throws {Refusal} when Stripe knows no registration of this ID */
export async function findRegistrationOf(
  jobs: MailJobs,
  paymentIntentId: string,
): Promise<RegistrationRecord> {
  const register = await jobs.openRecord();
  const record = await register.findRegistration(paymentIntentId);
  if (!record) throw new Refusal('noSuchMail', `There is no registration ${paymentIntentId}.`);
  return record;
}

async function idsBeginningWith({ queue, redis }: MailJobs, beginning: string): Promise<string[]> {
  const prefix = queue.toKey('');
  const ids = new Set<string>();
  let cursor = '0';
  do {
    const [next, keys] = await redis.scan(cursor, 'MATCH', `${prefix}${beginning}*`, 'COUNT', SCAN_COUNT);
    for (const key of keys) ids.add(key.slice(prefix.length));
    cursor = next;
  } while (cursor !== '0');
  // A colon begins what BullMQ keeps beside a job, such as its lock.
  return [...ids].filter((id) => !id.includes(':'));
}

async function nextTryAt({ queue, redis }: MailJobs, id: string): Promise<Date | null> {
  const score = await redis.zscore(queue.toKey('delayed'), id);
  return score === null ? null : new Date(Math.floor(Number(score) / SCORES_PER_MS));
}

/** What has become of a mail, in support's words. */
export type MailState = 'failed' | 'waiting' | 'delayed' | 'sending' | 'sent';

/** A job, whatever it holds, and where it stands. */
export interface FoundJob {
  job: Job<unknown>;
  state: MailState;
  /** When a delayed mail is tried again. */
  nextTryAt: Date | null;
}

/** One mail as support reads it; as JSON it is what programs rely on. */
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
  /** The words with which it was refused last. */
  reason: string | null;
}

/** Support's word for a state of BullMQ's. */
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
  const about = mail && isAboutRegistration(mail) ? mail : undefined;
  return {
    id: job.id ?? '',
    kind: mail?.kind ?? null,
    paymentIntentId: about?.paymentIntentId ?? null,
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
