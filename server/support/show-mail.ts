import type { ActContext } from '#server/acts/act-context.ts';
import { type FoundJob, findJob, type MailRecord, recordOf } from '#server/acts/mail-jobs.ts';
import { utcMoment as moment } from '#server/acts/plain-words.ts';
import { printable } from '#server/acts/printable.ts';
import { recipientOf } from './list-mails.ts';
import { printableJson, table } from './printable.ts';

/** Everything about one mail; as JSON a MailRecord with the `errors` of its attempts, the first one first. */
export async function showMail(
  context: ActContext,
  id: string,
  { json }: { json: boolean },
): Promise<string> {
  const found = await findJob(context, id);
  const record = recordOf(found);
  const errors = (found.job.stacktrace ?? []).map(messageOf);
  if (json) return printableJson({ ...record, errors });
  const facts = table(recordFacts(record, found));
  return errors.length > 0 ? `${facts}\n\nErrors of its attempts\n${numbered(errors)}` : facts;
}

function recordFacts(record: MailRecord, { letter }: FoundJob): string[][] {
  const { state, nextTryAt, finishedAt, reason, paymentIntentId } = record;
  return [
    ['ID', record.id],
    ['Kind', record.kind ?? 'not on record'],
    ['To', recipientOf(record)],
    ...(letter ? [[paymentIntentId === null ? 'About' : 'Payment', letter.subject]] : []),
    ...(letter?.askedBy === undefined ? [] : [['Sent again by', letter.askedBy]]),
    ['State', state],
    ['Attempts', `${record.attemptsMade} of ${record.attemptsAllowed}`],
    ['Queued', moment(record.queuedAt)],
    ...(nextTryAt ? [['Next try', moment(nextTryAt)]] : []),
    ...(finishedAt ? [[state === 'sent' ? 'Sent' : 'Failed', moment(finishedAt)]] : []),
    ...(reason ? [['Reason', reason]] : []),
  ];
}

/** The message of an error, without its stack. */
function messageOf(stack: string): string {
  const [message = ''] = stack.split(/\n\s+at /);
  return printable(message.replace(/^\w*Error: /, ''));
}

function numbered(errors: readonly string[]): string {
  return errors.map((error, index) => `${String(index + 1).padStart(4)}  ${error}`).join('\n');
}
