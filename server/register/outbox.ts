import { isAboutPerson, isAboutWaiting, type MailJob, type MailOf } from '#server/mail/job.ts';
import type { Payments } from '#server/payments/payments.ts';
import { waitingLetterDue } from './waiting-letters.ts';
import type { WaitingList } from './waiting-list.ts';

type Digest = MailOf<'office-digest'>;

interface OutboxDependencies {
  payments: Pick<Payments, 'findDue' | 'markSent'>;
  waitingList: Pick<WaitingList, 'find' | 'endLetter'>;
  /** The site's clock. */
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/**
 * Through this the mail worker checks whether a mail is still due, and records that it was sent. The office's
 * digest is made when it is sent, and its job on the queue is its only record.
 */
export function createOutbox({ payments, waitingList, now, findDigest }: OutboxDependencies) {
  return {
    async findDue(job: MailJob): Promise<MailJob | undefined> {
      if (!isAboutPerson(job)) return findDigest(job);
      if (!isAboutWaiting(job)) return payments.findDue(job, now());
      return waitingLetterDue(job, await waitingList.find(job.waitingId), now());
    },
    now,
    async markSent(job: MailJob, sentAt: Date): Promise<void> {
      if (!isAboutPerson(job)) return;
      if (isAboutWaiting(job)) await waitingList.endLetter(job, 'sent');
      else await payments.markSent(job, sentAt);
    },
  };
}
