import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import {
  addresseeOf,
  isAboutRegistration,
  isAboutWaiting,
  type MailJob,
  type MailKind,
  mailRules,
  type PersonMail,
  type RegistrationMail,
} from './job.ts';

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

const DAY_S = 24 * 60 * 60;

/** How long a sent mail stays on the queue, and its address on record, in seconds; the privacy text says so. */
export const SENT_KEPT_S = 30 * DAY_S;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
const JITTER = 0.2;

const DIGEST_LENGTH = 8;

/**
 * Retries go on for more than three days, see `mailBackoffMs`. Sent jobs stay for thirty days, for support; failed ones
 * stay until a person acts. Of a job's errors only the latest are kept.
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

/**
 * Distinguishes mails of the same kind and payment by their content. Each version contains the registrant's
 * address, so that a corrected address gets its own mail. Notices of a charge also contain moment, sum and
 * the notice before, so that she is told of each date and sum, also of one that was changed and changed back; a request
 * to pay contains when a decision was withdrawn.
 * Mails about a refused card contain the round of retries and its stage: one says that the card is retried,
 * one that it is not. The office's notice of a change contains what the office has been told. Of the office's
 * other notices there is one each.
 */
export function mailVersion(job: MailJob): string {
  switch (job.kind) {
    case 'office-change':
      return toldBy(job);
    case 'office-notice':
    case 'office-paid':
      return 'office';
    case 'office-digest':
      return job.day;
    case 'place-link':
      return job.request;
    case 'balance-notice':
    case 'balance-reminder':
    case 'balance-postponed':
      return digestToHer(job, job.dueAt, job.cents, job.noticedAt);
    case 'card-expires':
      return digestToHer(job, job.card.id);
    case 'please-pay':
      return digestToHer(job, job.dueAt, job.cents, job.changedAt);
    case 'balance-failed':
      return digestToHer(job, job.card.id, job.triedBefore, job.stage);
    case 'balance-paid':
      return digestToHer(job, job.balance.reference ?? job.balance.paidAt);
    case 'office-cancel':
    case 'office-cancel-undone':
      return digestOf(job.at);
    case 'waiting-received':
      return digestToHer(job, job.joinedAt);
    case 'office-waiting':
      return digestOf(job.joinedAt);
    case 'place-offered':
      return digestToHer(job, job.until);
    case 'cancel-received':
    case 'cancel-undone':
    case 'cancelled':
    case 'refund-made':
    case 'confirm-address':
    case 'address-changed':
      return digestToHer(job, job.at);
    case 'refund-failed':
      return digestToHer(job, job.refund);
    case 'test-session':
      return digestToHer(job, job.startsAt);
    case 'way-in':
      return digestToHer(job, job.day);
    case 'schedule-changed':
      return digestToHer(job, job.revision);
    default:
      return digestToHer(job);
  }
}

/** A digest of the address in lower case, and of the other facts that make a letter to it a different one. */
function digestToHer(job: PersonMail, ...facts: (string | number | undefined)[]): string {
  return digestOf([addresseeOf(job).toLowerCase(), ...facts.map((fact) => fact ?? '')].join(' '));
}

/**
 * What the office has been told once it has this mail: the number of notices about the registration, and a
 * digest of the details. Details that change back and forth are reported each time.
 */
export function toldBy(job: RegistrationMail): string {
  const before = 'told' in job ? Number.parseInt(job.told ?? '', 10) || 0 : 0;
  return `${before + 1}-${detailsDigest(job)}`;
}

/** Whether the details of a mail are those that the office was told last. */
export function isTold(told: string | undefined, job: RegistrationMail): boolean {
  return told?.endsWith(`-${detailsDigest(job)}`) === true;
}

function detailsDigest({ firstName, lastName, email, phoneNumber }: RegistrationMail): string {
  return digestOf(JSON.stringify([firstName, lastName, email, phoneNumber]));
}

/** A short, case-insensitive digest of an e-mail address, to compare the address without storing it. */
export function addressDigest(email: string): string {
  return digestOf(email.toLowerCase());
}

/** A short digest, to compare texts without storing them. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}
