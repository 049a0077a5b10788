import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import * as v from 'valibot';

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

/**
 * Who registered, as the mails speak of her. Looser than the form: what was accepted once is sent, whatever the form's
 * rules become.
 */
const registrant = {
  paymentIntentId: v.pipe(v.string(), v.regex(/^pi_\w+$/)),
  /** Which edition she registered for; older jobs name none. */
  edition: v.exactOptional(v.string()),
  firstName: v.pipe(v.string(), v.nonEmpty()),
  lastName: v.optional(v.string(), ''),
  email: v.pipe(v.string(), v.nonEmpty()),
  phoneNumber: v.optional(v.string(), ''),
  /** Her own time zone by its IANA name; empty when her browser did not say. */
  timeZone: v.optional(v.string(), ''),
  /** Asked for by a person, though one was sent before. */
  again: v.exactOptional(v.literal(true)),
};

/** US cents. */
const amountCents = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What the office was told before, see `toldBy`; absent when it was told nothing yet. */
const told = { told: v.exactOptional(v.string()) };

/** A mail that is owed. It holds no card data and no client secret. */
export const mailJobSchema = v.variant('kind', [
  v.object({
    kind: v.literal('registration-received'),
    ...registrant,
    /** Whether the address has a paid registration of this edition already, under another name or a repeated one. */
    addressHasPlace: v.exactOptional(v.boolean()),
  }),
  /** Somebody's details have arrived, and she has not paid yet. */
  v.object({ kind: v.literal('office-notice'), ...registrant, ...told }),
  /** The details that the office was told are others now: these. */
  v.object({
    kind: v.literal('office-change'),
    ...registrant,
    ...told,
    paid: v.exactOptional(v.boolean()),
  }),
  v.object({
    kind: v.literal('welcome'),
    ...registrant,
    amountCents,
    /** The version of the terms that she agreed to; absent where that is not on record. */
    termsVersion: v.exactOptional(v.string()),
    /** When the deposit was paid; absent in jobs of an older release. */
    paidAt: v.exactOptional(v.pipe(v.string(), v.isoTimestamp())),
  }),
  v.object({ kind: v.literal('office-paid'), ...registrant, ...told, amountCents }),
]);
export type MailJob = v.InferOutput<typeof mailJobSchema>;
export type MailKind = MailJob['kind'];

/** When a mail of a kind is owed, to whom it goes, and for how long what it says is true. */
interface MailRule {
  to: 'registrant' | 'office';
  /** `after a change`: when the details are no longer those that the office was told. */
  owed: 'from the start' | 'once paid' | 'after a change';
  trueWhile: readonly DepositState[];
}

/** As far as mails are concerned; no mail is true of a deposit in any other state. */
export type DepositState = 'unpaid' | 'paid';

/** Every mail there is. Registration, webhook, walk and support all read here which mails are due. */
export const mailRules: Readonly<Record<MailKind, MailRule>> = {
  'registration-received': { to: 'registrant', owed: 'from the start', trueWhile: ['unpaid'] },
  'office-notice': { to: 'office', owed: 'from the start', trueWhile: ['unpaid'] },
  'office-change': { to: 'office', owed: 'after a change', trueWhile: ['unpaid', 'paid'] },
  welcome: { to: 'registrant', owed: 'once paid', trueWhile: ['paid'] },
  'office-paid': { to: 'office', owed: 'once paid', trueWhile: ['paid'] },
};

export const MAIL_KINDS: readonly MailKind[] = mailJobSchema.options.map(
  ({ entries }) => entries.kind.literal,
);

/** The mail that data of whatever origin hold, if they hold one. */
export function mailOf(data: unknown): MailJob | undefined {
  const mail = v.safeParse(mailJobSchema, data);
  return mail.success ? mail.output : undefined;
}

const DAY_S = 24 * 60 * 60;

/** How long a sent mail stays on the queue, in seconds; the privacy text says so. */
export const SENT_KEPT_S = 30 * DAY_S;

const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60 * 60 * 1000;
const JITTER = 0.2;

const DIGEST_LENGTH = 8;

/**
 * Retries go on for three days and more, see `mailBackoffMs`. Sent jobs stay for thirty days, because a job that is
 * still there guards against its duplicate; failed ones stay until a person acts. Of a job's errors the last ones are
 * kept.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 108,
  backoff: { type: 'capped' },
  stackTraceLimit: 20,
  removeOnComplete: { age: SENT_KEPT_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/** How long a mail waits after so many attempts: five seconds, then twice as long each, an hour at most, less a fifth. */
export function mailBackoffMs(attemptsMade: number): number {
  const mostMs = Math.min(FIRST_RETRY_MS * 2 ** (attemptsMade - 1), LONGEST_RETRY_MS);
  return Math.round(mostMs * (1 - JITTER * Math.random()));
}

/** One mail of a kind, payment and version: adding it twice adds it once. */
export function mailJobId(job: MailJob): string {
  return `${job.kind}-${job.paymentIntentId}-${mailVersion(job)}`;
}

/**
 * Distinguishes mails of the same kind and payment: letters to the registrant by address, so that a corrected address
 * gets its own; the office's notice of a change by what the office has been told. Of its other notices there is one each.
 */
export function mailVersion(job: MailJob): string {
  if (job.kind === 'office-change') return toldBy(job);
  return goesToOffice(job) ? 'office' : digestOf(job.email.toLowerCase());
}

/**
 * What the office has been told once it has this mail: how often it was told of the registration, and a digest of the
 * details. Details that change back and forth are told each time.
 */
export function toldBy(job: MailJob): string {
  const before = 'told' in job ? Number.parseInt(job.told ?? '', 10) || 0 : 0;
  return `${before + 1}-${detailsDigest(job)}`;
}

/** Whether the office was told the details of a mail last. */
export function isTold(told: string | undefined, job: MailJob): boolean {
  return told?.endsWith(`-${detailsDigest(job)}`) === true;
}

function detailsDigest({ firstName, lastName, email, phoneNumber }: MailJob): string {
  return digestOf(JSON.stringify([firstName, lastName, email, phoneNumber]));
}

/** Whether a mail goes to the office, whose address is configured, and not to the registrant. */
export function goesToOffice({ kind }: MailJob): boolean {
  return mailRules[kind].to === 'office';
}

/** A short digest, to compare texts without storing them. */
function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, DIGEST_LENGTH);
}
