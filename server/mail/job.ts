import type { JobsOptions } from 'bullmq';
import * as v from 'valibot';
import { contactSchema } from '#shared/registration.ts';

/** The BullMQ queue that app and worker share. */
export const MAIL_QUEUE_NAME = 'mail';

const recipient = {
  paymentIntentId: v.pipe(v.string(), v.regex(/^pi_\w+$/)),
  firstName: contactSchema.entries.firstName,
  email: contactSchema.entries.email,
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

/**
 * Retries start after about five seconds and double: fifteen of them outlast an outage of the mail server of
 * three and a half days. Sent jobs stay for thirty days, because a job that is still there guards against its
 * duplicate; failed ones stay until a person acts.
 */
export const MAIL_JOB_OPTIONS = {
  attempts: 16,
  backoff: { type: 'exponential', delay: 5_000, jitter: 0.2 },
  removeOnComplete: { age: 30 * DAY_S, count: 10_000 },
  removeOnFail: false,
} satisfies JobsOptions;

/** One mail of a kind for one payment: adding it twice adds it once. */
export function mailJobId(job: MailJob): string {
  return `${job.kind}-${job.paymentIntentId}`;
}
