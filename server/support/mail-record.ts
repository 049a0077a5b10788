import type { Job, JobState } from 'bullmq';
import { goesToOffice, type MailJob, mailOf as mailIn } from '#server/mail/job.ts';

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

/** The mail that a job holds, if it holds one. */
export function mailOf(job: Job<unknown>): MailJob | undefined {
  return mailIn(job.data);
}

export function recordOf({ job, state, nextTryAt }: FoundJob): MailRecord {
  const mail = mailOf(job);
  return {
    id: job.id ?? '',
    kind: mail?.kind ?? null,
    paymentIntentId: mail?.paymentIntentId ?? null,
    to: mail && !goesToOffice(mail) ? mail.email : null,
    state,
    attemptsMade: job.attemptsMade,
    attemptsAllowed: Math.max(job.opts.attempts ?? 1, 1),
    queuedAt: new Date(job.timestamp),
    nextTryAt,
    finishedAt: job.finishedOn ? new Date(job.finishedOn) : null,
    reason: job.failedReason || null,
  };
}
