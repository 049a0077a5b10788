import type { JobsOptions } from 'bullmq';
import { SENT_KEPT_DAYS } from '#shared/kept-for.ts';
import { digestOf } from './digests.ts';
import {
  addresseeOf,
  goesToOffice,
  type Identity,
  isAboutPerson,
  isAboutRegistration,
  isAboutWaiting,
  type MailJob,
  type MailKind,
  type MailOf,
  mailRules,
  type RegistrationMail,
} from './job.ts';

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

const DAY_S = 24 * 60 * 60;

/** How long a sent mail stays on the queue, and its address on record, in seconds; the privacy text says so. */
export const SENT_KEPT_S = SENT_KEPT_DAYS * DAY_S;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
const JITTER = 0.2;

/**
 * Retries go on for more than three days, see `mailBackoffMs`. Sent jobs stay for thirty days, for support, or a day where
 * nobody has paid (`removeOld` in `due-work.ts`); failed ones stay until a person acts. Of a job's errors only the latest are kept.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 108,
  backoff: { type: 'capped' },
  stackTraceLimit: 20,
  removeOnComplete: { age: SENT_KEPT_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/** BullMQ takes jobs without a priority before jobs that have one, whatever was queued first. */
const AFTER_ALL_OTHERS = 1;

/**
 * With which priority a letter is queued: letters to everyone wait for those to one person, and so for a copy that
 * somebody asked for.
 */
export function priorityOf({ kind, again }: { kind: MailKind; again: boolean }): { priority?: number } {
  return 'toAll' in mailRules[kind] && !again ? { priority: AFTER_ALL_OTHERS } : {};
}

/**
 * How long a mail waits after its attempts so far: five seconds, doubled after each attempt, an hour at most,
 * minus a random part of up to a fifth.
 */
export function mailBackoffMs(attemptsMade: number): number {
  const mostMs = Math.min(FIRST_RETRY_MS * 2 ** (attemptsMade - 1), LONGEST_RETRY_MS);
  return Math.round(mostMs * (1 - JITTER * Math.random()));
}

/** The id of a mail by its kind, subject and version: a mail that is added twice is queued once. */
export function mailJobId(job: MailJob): string {
  return `${job.kind}-${idOfSubject(job)}-${mailVersion(job)}`;
}

/** The id of another copy of a letter that was sent; its name distinguishes it from others. */
export function copyId(letter: RegistrationMail, name: string): string {
  return `${mailJobId(letter)}-again-${name}`;
}

/** The id of a mail's subject: the payment of a deposit, an entry of the waiting list, or an edition. */
export function idOfSubject(job: MailJob): string {
  if (isAboutRegistration(job)) return job.paymentIntentId;
  return isAboutWaiting(job) ? job.waitingId : job.edition;
}

/** Distinguishes mails of the same kind and subject, as the rule of the kind says. */
export function mailVersion(job: MailJob): string {
  return versionOf(job.kind, job);
}

const identities: { readonly [Kind in MailKind]: Identity<MailOf<Kind>> & { to: string } } = mailRules;

function versionOf<Kind extends MailKind>(kind: Kind, job: MailOf<Kind>): string {
  const { version, differsBy }: Identity<MailOf<Kind>> = identities[kind];
  if (version) return version(job);
  const to = isAboutPerson(job) && !goesToOffice(job) ? [addresseeOf(job).toLowerCase()] : [];
  const facts = [...to, ...(differsBy?.(job) ?? [])];
  return facts.length > 0 ? digestOf(facts.map((fact) => fact ?? '').join(' ')) : 'office';
}
