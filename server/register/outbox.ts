import { isAboutPerson, type MailJob, type MailOf } from '#server/mail/job.ts';
import type { Payments } from '#server/payments/payments.ts';

type Digest = MailOf<'office-digest'>;

interface OutboxDependencies {
  payments: Pick<Payments, 'findDue' | 'markSent'>;
  /** The site's clock. */
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/**
 * Through this the mail worker checks whether a mail is still due, and records that it was sent. For mails
 * about a person that is at Stripe; the office's digest is made when it is sent, and its job on the queue is
 * its only record.
 */
export function createOutbox({ payments, now, findDigest }: OutboxDependencies) {
  return {
    findDue: async (job: MailJob): Promise<MailJob | undefined> =>
      isAboutPerson(job) ? payments.findDue(job, now()) : findDigest(job),
    now,
    async markSent(job: MailJob, sentAt: Date): Promise<void> {
      if (isAboutPerson(job)) await payments.markSent(job, sentAt);
    },
  };
}
