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
  firstName: v.pipe(v.string(), v.nonEmpty()),
  lastName: v.optional(v.string(), ''),
  email: v.pipe(v.string(), v.nonEmpty()),
  phoneNumber: v.optional(v.string(), ''),
  /** Her own time zone by its IANA name; empty when her browser did not say. */
  timeZone: v.optional(v.string(), ''),
};

/** US cents. */
const amountCents = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A mail that is owed. It holds no card data and no client secret. */
export const mailJobSchema = v.variant('kind', [
  v.object({
    kind: v.literal('registration-received'),
    ...registrant,
    /** Whether the address has a paid registration of this edition already, under another name or a repeated one. */
    addressHasPlace: v.exactOptional(v.boolean()),
  }),
  /** Somebody's details have arrived, and she has not paid yet. */
  v.object({ kind: v.literal('office-notice'), ...registrant }),
  /** The details that the office was told are others now: these. */
  v.object({ kind: v.literal('office-change'), ...registrant, paid: v.exactOptional(v.boolean()) }),
  v.object({ kind: v.literal('office-paid'), ...registrant, amountCents }),
  v.object({ kind: v.literal('welcome'), ...registrant, amountCents }),
]);
export type MailJob = v.InferOutput<typeof mailJobSchema>;
export type MailKind = MailJob['kind'];

/** All of them. */
export const MAIL_KINDS: readonly MailKind[] = mailJobSchema.options.map(
  ({ entries }) => entries.kind.literal,
);

const DAY_S = 24 * 60 * 60;
const ADDRESS_DIGEST_LENGTH = 8;

/**
 * Retries start after five seconds and double: sixteen of them, less a fifth at most by chance, outlast an outage of
 * the mail server of three days. Sent jobs stay for thirty days, because a job that is still there guards against its
 * duplicate; failed ones stay until a person acts.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 17,
  backoff: { type: 'exponential', delay: 5_000, jitter: 0.2 },
  removeOnComplete: { age: 30 * DAY_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/**
 * One mail of a kind for one payment and one address: adding it twice adds it once, and a corrected address gets the
 * mail that went astray.
 */
export function mailJobId(job: MailJob): string {
  return `${job.kind}-${job.paymentIntentId}-${addressDigest(job)}`;
}

/** Names the address of a mail without telling it. */
export function addressDigest({ email }: Pick<MailJob, 'email'>): string {
  return createHash('sha256').update(email.toLowerCase()).digest('hex').slice(0, ADDRESS_DIGEST_LENGTH);
}
