import * as v from 'valibot';
import { addresseeOf, goesToOffice, isAboutRegistration, type MailJob, mailOf } from '#server/mail/job.ts';
import { isoMoment } from '#server/mail/job-facts.ts';
import { isLost } from '#server/payments/bounce-mark.ts';
import { MARK_PREFIX } from '#server/payments/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/payments/registration-record.ts';
import type { FoundJob } from './mail-jobs.ts';
import { utcMoment as moment } from './plain-words.ts';

/**
 * What is known about the letters to a registrant, the oldest first: from the queue, and for older ones from
 * her marks.
 */
export function letterEvidence(record: RegistrationRecord, jobs: readonly FoundJob[]): readonly string[] {
  const letters = jobs.flatMap(({ job, ...found }) => {
    const mail = mailOf(job.data);
    return mail && !goesToOffice(mail) ? [{ ...found, job, mail }] : [];
  });
  const known = letters
    .toSorted((one, other) => one.job.timestamp - other.job.timestamp)
    .map(({ mail, ...found }) => `${subjectOf(mail)}: ${deliveryWords(found)}`);
  const kinds = new Set<string>(letters.filter(({ state }) => state === 'sent').map(({ mail }) => mail.kind));
  const older = sentByMarks(record)
    .filter((kind) => !kinds.has(kind))
    .map((kind) => `${kind}: sent: a mail server took it, and the time is no longer on record`);
  const { noticed, bounced } = record;
  const told = noticed
    ? [
        `A mail server took the letter that announced the charge of the balance on ${moment(noticed.at)}.`,
        ...(isLost(noticed, bounced) ? ['It may not have arrived: letters to that address came back.'] : []),
      ]
    : ['No letter is on record that announced the charge of the balance.'];
  return [...older, ...known, ...told];
}

function subjectOf(mail: MailJob): string {
  return isAboutRegistration(mail) ? `${mail.kind} to ${addresseeOf(mail)}` : mail.kind;
}

function deliveryWords({ job, state }: FoundJob): string {
  if (state === 'sent') {
    const sentAt = v.safeParse(isoMoment, job.returnvalue);
    const at = sentAt.success ? new Date(sentAt.output) : new Date(job.finishedOn ?? job.timestamp);
    return `a mail server took it on ${moment(at)}`;
  }
  if (state === 'failed') return `it could not be delivered: ${job.failedReason || 'no reason is on record'}`;
  return 'it has not been sent yet';
}

/** The kinds of letters that were sent according to her marks at Stripe. */
function sentByMarks({ letters, letterMarks }: RegistrationRecord): string[] {
  const ofDeposit = Object.entries(letters).filter(
    ([kind, became]) => became === 'sent' && !kind.startsWith('office-'),
  );
  const later = Object.entries(letterMarks).filter(([, mark]) => mark.startsWith('sent'));
  return [
    ...ofDeposit.map(([kind]) => kind),
    ...later.map(([name]) => name.slice(MARK_PREFIX.length)).filter((kind) => !kind.startsWith('office-')),
  ];
}
