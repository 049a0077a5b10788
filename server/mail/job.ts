import { createHash } from 'node:crypto';
import type { JobsOptions } from 'bullmq';
import * as v from 'valibot';

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

/** Whom a mail goes to. Looser than the form: what was accepted once is sent, whatever the form's rules become. */
const recipient = {
  paymentIntentId: v.pipe(v.string(), v.regex(/^pi_\w+$/)),
  firstName: v.pipe(v.string(), v.nonEmpty()),
  email: v.pipe(v.string(), v.nonEmpty()),
};

/** A mail that is owed. It holds no card data and no client secret. */
export const mailJobSchema = v.variant('kind', [
  v.object({ kind: v.literal('registration-received'), ...recipient }),
  v.object({
    kind: v.literal('welcome'),
    ...recipient,
    /** US cents. */
    amountCents: v.pipe(v.number(), v.integer(), v.minValue(0)),
  }),
]);
export type MailJob = v.InferOutput<typeof mailJobSchema>;

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
export function mailJobId({ kind, paymentIntentId, email }: MailJob): string {
  const digest = createHash('sha256')
    .update(email.toLowerCase())
    .digest('hex')
    .slice(0, ADDRESS_DIGEST_LENGTH);
  return `${kind}-${paymentIntentId}-${digest}`;
}
