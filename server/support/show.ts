import { type ActContext, Refusal } from '#server/acts/act.ts';
import { type FoundJob, findJob, jobsIn, type Listed, STATES } from '#server/acts/mail-jobs.ts';
import { findSituation } from '#server/acts/registration-act.ts';
import { timelineOf } from '#server/acts/timeline.ts';
import { placeFacts, tellWaitingList } from '#server/acts/waiting-acts.ts';
import { moment, utcMoment } from '#server/acts/words.ts';
import { letterTable } from '#server/letters/table.ts';
import { detailsOf, moneyLines, standingOf } from '#server/office/summary-words.ts';
import { exportOf } from '#server/registration/her-data.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { nameOf } from '#server/registration/registrations.ts';
import { registrationsOf } from '#server/worker/registration-list.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import { printableJson, table } from './terminal-text.ts';

/** The registrations of an edition; if its places are limited, also these, and who waits for one. */
export async function listRegistrations(context: ActContext, edition: Edition): Promise<string> {
  const now = context.now();
  const registrations = (await registrationsOf(context.payments, edition)).map((record) => [
    record.id,
    stateOf(record, now),
    nameOf(record.registrant),
    record.registrant.email,
  ]);
  const told = await tellWaitingList(context, edition);
  const waiting = (told?.entries ?? []).map(({ record, words }) => [
    record.id,
    words,
    nameOf(record.registrant),
    record.registrant.email,
  ]);
  return (
    sections(
      registrations,
      (told ? placeFacts(told.places) : []).map(([words, count]) => [words, String(count)]),
      waiting,
    ) || 'Nobody has registered.'
  );
}

/** Everything about one registration: who, where it stands, its money, what she answered, what happened. */
export async function showRegistration(context: ActContext, id: string): Promise<string> {
  const { record, now, letters, messages } = await findSituation(context, id);
  const { registrant, answers } = record;
  const facts = [
    ['Registration', record.id],
    ['Name', nameOf(registrant)],
    ['E-mail', registrant.email],
    ['Phone', registrant.phoneNumber],
    ['State', stateOf(record, now)],
    ...detailsOf(record),
  ].filter(([, words]) => words !== '');
  const happened = timelineOf(record, letters, messages);
  return sections(
    facts,
    standingOf(record, now).map((sentence) => [sentence]),
    moneyLines(record, now).map(({ what, how, cents }) => [what, how, formatCents(cents)]),
    answers.map(({ asked, answer }) => [asked, answer]),
    happened.map(({ at, what }) => [moment(at, record), what]),
  );
}

/** Tables with an empty line between them, without those that have no rows. */
const sections = (...tables: readonly (readonly (readonly string[])[])[]): string =>
  tables
    .filter(({ length }) => length > 0)
    .map(table)
    .join('\n\n');

/** All that is kept about a registrant, from the register alone. */
export async function exportRegistration(context: ActContext, id: string): Promise<string> {
  const data = await exportOf(context.payments, id, context.now());
  if (!data) throw new Refusal('noSuchMail', `There is no registration ${id}.`);
  return printableJson(data);
}

const HEADINGS = ['ID', 'KIND', 'TO', 'STATE', 'ATTEMPTS', 'WHEN', 'REASON'];

/** Mails as a table, and how many there are. */
export async function listMails(
  context: ActContext,
  listed: readonly Listed[],
  limit: number,
): Promise<string> {
  const { queue } = context;
  const counts = await Promise.all(listed.map((which) => queue.getJobCountByTypes(...STATES[which])));
  const mails = (await Promise.all(listed.map((which) => mailsOf(context, which, limit)))).flat();
  const total = counts.reduce((sum, count) => sum + count, 0);
  const words = listed.map((which, index) => `${counts[index]} ${which}`).join(', ');
  return sections(mails.length > 0 ? [HEADINGS, ...mails.map(rowOf)] : [], [
    [mails.length < total ? `${words}; ${mails.length} are shown, --limit shows more` : words],
  ]);
}

async function mailsOf(context: ActContext, which: Listed, limit: number): Promise<FoundJob[]> {
  const found = await Promise.all(STATES[which].map((state) => jobsIn(context, state, limit)));
  return found.flat().slice(0, limit);
}

function rowOf(found: FoundJob): string[] {
  const { job, letter, state, nextTryAt } = found;
  const when = nextTryAt
    ? `next try ${utcMoment(nextTryAt)}`
    : utcMoment(new Date(job.finishedOn ?? job.timestamp));
  const kind = letter?.kind ?? 'not on record';
  return [
    job.id ?? '',
    kind,
    recipientOf(found),
    state,
    attemptsOf(found, '/'),
    when,
    job.failedReason ?? '',
  ];
}

function recipientOf({ letter }: FoundJob): string {
  if (!letter) return '–';
  return letterTable[letter.kind].to === 'office' ? 'the office' : letter.address;
}

const attemptsOf = ({ job }: FoundJob, of: string): string =>
  `${job.attemptsMade}${of}${Math.max(job.opts.attempts ?? 1, 1)}`;

/** Everything about one mail, with the errors of its attempts. */
export async function showMail(context: ActContext, id: string): Promise<string> {
  const found = await findJob(context, id);
  const { job, letter, state, nextTryAt } = found;
  const ended = job.finishedOn === undefined ? '' : utcMoment(new Date(job.finishedOn));
  const facts = [
    ['ID', id],
    ['Kind', letter?.kind ?? 'not on record'],
    ['To', recipientOf(found)],
    ['About', letter?.subject ?? ''],
    ['Sent again by', letter?.askedBy ?? ''],
    ['State', state],
    ['Attempts', attemptsOf(found, ' of ')],
    ['Queued', utcMoment(new Date(job.timestamp))],
    ['Next try', nextTryAt ? utcMoment(nextTryAt) : ''],
    [state === 'sent' ? 'Sent' : 'Failed', ended],
    ['Reason', job.failedReason ?? ''],
    ...(job.stacktrace ?? []).map((stack, index) => [`Error of attempt ${index + 1}`, messageOf(stack)]),
  ];
  return table(facts.filter(([, words]) => words !== ''));
}

function messageOf(stack: string): string {
  const [message = ''] = stack.split(/\n\s+at /);
  return message.replace(/^\w*Error: /, '');
}
