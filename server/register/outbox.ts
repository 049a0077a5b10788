import { isWaitingMail, type MailJob, type MailOf } from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import type { Payments } from '#server/payments/payments.ts';
import { waitingLetterDue } from './waiting-letters.ts';
import type { WaitingList } from './waiting-list.ts';

type Digest = MailOf<'office-digest'>;

interface OutboxDependencies {
  payments: Pick<Payments, 'findDue'>;
  waitingList: Pick<WaitingList, 'find'>;
  letterLog: Pick<LetterLog, 'find' | 'has' | 'noteTry' | 'markSent' | 'drop'>;
  /** The site's clock. */
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/** Through this the mail worker finds the letter of a job as it is to be sent now, and records that it was sent. */
export function createOutbox({ payments, waitingList, letterLog, now, findDigest }: OutboxDependencies) {
  const letterOf = async (recorded: RecordedLetter): Promise<MailJob | undefined> => {
    const { kind, subject, version } = recorded;
    if (kind === 'office-digest') return findDigest({ kind, edition: subject, day: version, items: [] });
    if (isWaitingMail(kind))
      return waitingLetterDue({ ...recorded, kind }, await waitingList.find(subject), now());
    return payments.findDue({ ...recorded, kind }, now());
  };
  return {
    async findDue(id: string): Promise<MailJob | 'sent' | 'not due'> {
      const recorded = (await letterLog.find([id])).get(id);
      // A worker lost the lock of the job after it had sent the letter.
      if (recorded?.state === 'sent') return 'sent';
      const letter = recorded?.state === 'owed' ? await letterOf(recorded) : undefined;
      if (letter) {
        await letterLog.noteTry(id, now());
        return letter;
      }
      if (!recorded && (await letterLog.has(id)))
        throw new Error(`This release does not know the letter ${id}: another one may send it`);
      await letterLog.drop(id, now());
      return 'not due';
    },
    now,
    markSent: letterLog.markSent,
  };
}
