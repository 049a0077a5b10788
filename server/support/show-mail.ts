import type { ActContext } from '#server/acts/act-context.ts';
import { type FoundJob, findJob, type MailRecord, recordOf } from '#server/acts/mail-jobs.ts';
import { utcMoment as moment } from '#server/acts/plain-words.ts';
import { printable } from '#server/acts/printable.ts';
import { isAboutPerson, isAboutRegistration, mailOf } from '#server/mail/job.ts';
import { idOfSubject } from '#server/mail/queued-job.ts';
import { formatCents } from '#shared/money.ts';
import { recipientOf } from './list-mails.ts';
import { printableJson, table } from './printable.ts';

/**
 * Everything about one mail; as JSON a MailRecord with `subject` (null when it cannot be rendered), `mail`
 * (the data of the job) and `errors` (those of its attempts, the first one first).
 */
export async function showMail(
  context: ActContext,
  id: string,
  { json }: { json: boolean },
): Promise<string> {
  const found = await findJob(context, id);
  const record = recordOf(found);
  const subject = subjectOf(context, found);
  const errors = (found.job.stacktrace ?? []).map(messageOf);
  if (json) return printableJson({ ...record, subject, mail: found.job.data, errors });
  const facts = table([...recordFacts(record, subject), ...registrantFacts(found)]);
  return errors.length > 0 ? `${facts}\n\nErrors of its attempts\n${numbered(errors)}` : facts;
}

function recordFacts(record: MailRecord, subject: string | null): string[][] {
  const { state, nextTryAt, finishedAt, reason } = record;
  return [
    ['ID', record.id],
    ['Kind', record.kind ?? 'not a mail'],
    ['To', recipientOf(record)],
    ['Subject', subject ?? 'cannot be written'],
    ['State', state],
    ['Attempts', `${record.attemptsMade} of ${record.attemptsAllowed}`],
    ['Queued', moment(record.queuedAt)],
    ...(nextTryAt ? [['Next try', moment(nextTryAt)]] : []),
    ...(finishedAt ? [[state === 'sent' ? 'Sent' : 'Failed', moment(finishedAt)]] : []),
    ...(reason ? [['Reason', reason]] : []),
  ];
}

function registrantFacts({ job }: FoundJob): string[][] {
  const mail = mailOf(job.data);
  if (!mail) return [['Holds', JSON.stringify(job.data)]];
  if (!isAboutPerson(mail)) return [['Edition', mail.edition]];
  const ofRegistration = isAboutRegistration(mail) ? mail : undefined;
  return [
    [ofRegistration ? 'Payment' : 'Waiting', idOfSubject(mail)],
    [ofRegistration ? 'Registrant' : 'Who waits', `${mail.firstName} ${mail.lastName}`],
    ['E-mail', mail.email],
    ['Phone', mail.phoneNumber],
    ['Time zone', mail.timeZone],
    ...(ofRegistration?.askedBy === undefined ? [] : [['Sent again by', ofRegistration.askedBy]]),
    ...(mail.kind === 'welcome' ? [['Amount', formatCents(mail.amountCents)]] : []),
  ];
}

/**
 * Null instead of an error: support needs to see in particular the mails whose subject cannot be rendered.
 */
function subjectOf(context: ActContext, { job }: FoundJob): string | null {
  const mail = mailOf(job.data);
  try {
    return mail ? context.subjectOf(mail) : null;
  } catch {
    return null;
  }
}

/** The message of an error, without its stack. */
function messageOf(stack: string): string {
  const [message = ''] = stack.split(/\n\s+at /);
  return printable(message.replace(/^\w*Error: /, ''));
}

function numbered(errors: readonly string[]): string {
  return errors.map((error, index) => `${String(index + 1).padStart(4)}  ${error}`).join('\n');
}
