import { MAIL_KINDS, type MailJob, type MailKind, mailRules } from '#server/mail/job.ts';
import type { MailQueue } from '#server/mail/queue.ts';
import { balanceLettersDue } from '#server/payments/balance-letters.ts';
import { markName } from '#server/payments/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { welcomeMail } from '#shared/content/mails.ts';
import type { PlaceLetter } from '#shared/content/place-view.ts';

/** What became of the letters to her: by their marks at Stripe, and of those that are owed by the queue. */
export async function lettersShown(
  record: RegistrationRecord,
  now: Date,
  mailQueue: Pick<MailQueue, 'stateOf'>,
): Promise<PlaceLetter[]> {
  const owed = lettersOwed(record, now);
  const shown = MAIL_KINDS.map(async (kind) => {
    const subject = subjectOf(kind, record.edition);
    if (subject === undefined) return [];
    const waiting = owed.find((job) => job.kind === kind);
    if (waiting) return [{ kind, subject, state: await mailQueue.stateOf(waiting) }];
    return isSent(kind, record) ? [{ kind, subject, state: 'sent' as const }] : [];
  });
  return (await Promise.all(shown)).flat();
}

/** Those that are true and not sent. Of those about the deposit only the welcome can be, once it is paid. */
function lettersOwed(record: RegistrationRecord, now: Date): MailJob[] {
  const { id, edition, registrant, depositCents } = record;
  const welcome: MailJob = {
    kind: 'welcome',
    paymentIntentId: id,
    edition: edition.facts.id,
    ...registrant,
    amountCents: depositCents,
  };
  const due = balanceLettersDue(record, now);
  return record.letters.welcome === 'owed' ? [welcome, ...due] : due;
}

function isSent(kind: MailKind, { letters, letterMarks }: RegistrationRecord): boolean {
  return letters[kind] === 'sent' || letterMarks[markName(kind)]?.startsWith('sent') === true;
}

/** Undefined for what is not hers, or is past once the deposit is paid. */
function subjectOf(kind: MailKind, edition: Edition): string | undefined {
  if (mailRules[kind].to !== 'registrant') return undefined;
  return kind === 'welcome' ? welcomeMail(edition).subject : undefined;
}
