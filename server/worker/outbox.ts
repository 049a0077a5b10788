import { findTest } from '#server/letters/announcements.ts';
import { waitingLetterDue } from '#server/letters/waiting-letters.ts';
import { asksToPay, isWaitingMail, type MailJob, type MailOf } from '#server/mail/job.ts';
import type { LetterLog, RecordedLetter } from '#server/mail/letter-log.ts';
import { findRegistration } from '#server/registration/read-registration.ts';
import type { WaitingList } from '#server/registration/waiting-list.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { findOwedLetter } from './due.ts';
import { findOwedLetter } from './due.ts';
import { isInGroup } from './registration-index.ts';

type Digest = MailOf<'office-digest'>;

interface OutboxDependencies {
  payments: Pick<Payments, 'database'>;
  waitingList: Pick<WaitingList, 'find'>;
  letterLog: Pick<LetterLog, 'isHeld' | 'isCaughtUp' | 'find' | 'has' | 'noteTry' | 'markSent' | 'drop'>;
  /** The site's clock. */
  now: () => Date;
  findDigest: (digest: Digest) => Promise<Digest | undefined>;
}

/** Through this the mail worker finds the letter of a job as it is to be sent now, and records that it was sent. */
export function createOutbox(dependencies: OutboxDependencies) {
  const { payments, waitingList, letterLog, now, findDigest } = dependencies;
  const isStillMeant = async ({ registration, groups }: MailOf<'message'>): Promise<boolean> => {
    const found = await findRegistration(payments, registration);
    return found !== undefined && groups.some((group) => isInGroup(found, group, now()));
  };
  const letterOf = async (recorded: RecordedLetter): Promise<MailJob | undefined> => {
    const { kind, subject, version } = recorded;
    if (kind === 'office-digest')
      return findDigest({ kind, edition: subject, day: version, items: [], changes: [] });
    if (isWaitingMail(kind)) {
      const entry = await waitingList.find(subject);
      return entry && waitingLetterDue(recorded, entry, now());
    }
    if (kind === 'message-test') return findTest(payments, subject, version);
    const letter = await findOwedLetter(payments, { ...recorded, kind }, now());
    const isMeant = letter?.kind !== 'message' || recorded.again || (await isStillMeant(letter));
    return isMeant ? letter : undefined;
  };
  return {
    async findDue(id: string): Promise<MailJob | 'sent' | 'not due' | 'held'> {
      // A register that is older than it was may not know that a letter is due.
      if (await letterLog.isHeld()) return 'held';
      const recorded = (await letterLog.find([id])).get(id);
      // A worker lost the lock of the job after it had sent the letter.
      if (recorded?.state === 'sent') return 'sent';
      // Before the letter is read: what catch-up records after that, the letter may not know.
      const isCaughtUp = !recorded || (await letterLog.isCaughtUp(recorded.owedAt));
      const letter = recorded?.state === 'owed' ? await letterOf(recorded) : undefined;
      if (letter && !isCaughtUp && asksToPay(letter)) return 'held';
      if (letter) return (await letterLog.noteTry(id, now())) ? letter : 'held';
      if (!recorded && (await letterLog.has(id)))
        throw new Error(`This release does not know the letter ${id}: another one may send it`);
      await letterLog.drop(id, now());
      return 'not due';
    },
    now,
    markSent: letterLog.markSent,
  };
}
