import { type ActContext, findRegistrationOf, Refusal } from '#server/acts/act.ts';
import {
  type FoundJob,
  findJob,
  jobsIn,
  jobsOfPayment,
  type Listed,
  type MailRecord,
  recordOf,
  STATES,
} from '#server/acts/mail-jobs.ts';
import { registrationFacts, timelineOf } from '#server/acts/registration-facts.ts';
import { moment, printable, utcMoment } from '#server/acts/words.ts';
import { undoUntil, workedOffFrom } from '#server/record/cancel-plan.ts';
import { herDataText } from '#server/record/her-data.ts';
import { balanceOfRecord } from '#server/record/owed.ts';
import { chargeMomentOf, owedByCheck, stateOf } from '#server/record/registration-state.ts';
import { cut, printableJson, table } from './terminal-text.ts';

/** Everything about one registration, from Stripe and the queue: its facts, its state, and what happened. */
export async function showRegistration(
  context: ActContext,
  paymentIntentId: string,
  { json }: { json: boolean },
): Promise<string> {
  const record = await findRegistrationOf(context, paymentIntentId);
  const now = await context.now();
  const state = stateOf(record, now);
  const letters = await jobsOfPayment(context, record.id);
  const timeline = timelineOf(record, letters);
  if (json) {
    const { edition, ...rest } = record;
    const balance = { ...balanceOfRecord(record), dueAt: chargeMomentOf(record) };
    const cancelling = { undoUntil: undoUntil(record), workedOffFrom: workedOffFrom(record) };
    const owedByCheckCents = owedByCheck(record);
    return printableJson({
      ...rest,
      edition: edition.facts.id,
      state,
      balance,
      ...(record.decisions.cancel && { cancelling }),
      owedByCheckCents,
      timeline,
    });
  }
  const happened = timeline.map(({ at, what }) => [moment(at, record), what]);
  const answered = record.answers.map(({ asked, answer }) => [asked, answer]);
  const answers = answered.length > 0 ? `\n\nWhat she answered\n${table(answered)}` : '';
  return `${table(registrationFacts(record, now))}${answers}\n\nWhat happened\n${table(happened)}`;
}

/** All that is kept about a registrant, from the register alone. */
export async function exportRegistration(
  context: ActContext,
  paymentIntentId: string,
  { json }: { json: boolean },
): Promise<string> {
  const payments = await context.openPayments();
  const data = await payments.exportOf(paymentIntentId, await context.now());
  if (!data) throw new Refusal('noSuchMail', `There is no registration ${paymentIntentId}.`);
  return json ? printableJson(data) : herDataText(data).split('\n').map(printable).join('\n');
}

const HEADINGS = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'WHEN', 'REASON'];
const REASON_LENGTH = 80;

/** Mails as a table, or as JSON: `{counts: {failed, waiting, sent}, mails: MailRecord[]}`. */
export async function listMails(
  context: ActContext,
  { listed, limit, json }: { listed: readonly Listed[]; limit: number; json: boolean },
): Promise<string> {
  const counts = await countsOf(context);
  const mails = (await Promise.all(listed.map((which) => mailsOf(context, which, limit)))).flat();
  if (json) return printableJson({ counts, mails });
  const rows = table([HEADINGS, ...mails.map(rowOf)]);
  return `${mails.length > 0 ? `${rows}\n\n` : ''}${summary(counts, listed, mails.length)}`;
}

type Counts = Record<Listed, number>;

async function countsOf({ queue }: ActContext): Promise<Counts> {
  const [failed, waiting, sent] = await Promise.all([
    queue.getJobCountByTypes(...STATES.failed),
    queue.getJobCountByTypes(...STATES.waiting),
    queue.getJobCountByTypes(...STATES.sent),
  ]);
  return { failed, waiting, sent };
}

async function mailsOf(context: ActContext, which: Listed, limit: number): Promise<MailRecord[]> {
  const found = await Promise.all(STATES[which].map((state) => jobsIn(context, state, limit)));
  return found.flat().slice(0, limit).map(recordOf);
}

function rowOf(mail: MailRecord): string[] {
  return [
    mail.id,
    mail.kind ?? 'not on record',
    recipientOf(mail),
    mail.state,
    `${mail.attemptsMade}/${mail.attemptsAllowed}`,
    whenOf(mail),
    cut(printable(mail.reason ?? ''), REASON_LENGTH),
  ];
}

function recipientOf({ kind, to }: MailRecord): string {
  return to ?? (kind === null ? '–' : 'the office');
}

function whenOf({ nextTryAt, finishedAt, queuedAt }: MailRecord): string {
  if (nextTryAt) return `next try ${utcMoment(nextTryAt)}`;
  return utcMoment(finishedAt ?? queuedAt);
}

function summary(counts: Counts, listed: readonly Listed[], shown: number): string {
  const words = listed.map((which) => `${counts[which]} ${which}`).join(', ');
  const total = listed.reduce((sum, which) => sum + counts[which], 0);
  return shown < total ? `${words}; ${shown} are shown, --limit shows more` : words;
}

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
    ['Queued', utcMoment(record.queuedAt)],
    ...(nextTryAt ? [['Next try', utcMoment(nextTryAt)]] : []),
    ...(finishedAt ? [[state === 'sent' ? 'Sent' : 'Failed', utcMoment(finishedAt)]] : []),
    ...(reason ? [['Reason', reason]] : []),
  ];
}

function messageOf(stack: string): string {
  const [message = ''] = stack.split(/\n\s+at /);
  return printable(message.replace(/^\w*Error: /, ''));
}

function numbered(errors: readonly string[]): string {
  return errors.map((error, index) => `${String(index + 1).padStart(4)}  ${error}`).join('\n');
}
