import type { JobState } from 'bullmq';
import { readMessages } from '#server/letters/messages.ts';
import { letterTable } from '#server/letters/table.ts';
import { type CommandContext, Refusal } from '#server/office/commands/command.ts';
import {
  type FoundLetter,
  findLetter,
  lettersAbout,
  lettersIn,
  momentOfLetter,
} from '#server/office/commands/letters.ts';
import { registrations } from '#server/office/commands/subjects.ts';
import { placesLine, readWaitingList } from '#server/office/commands/waiting-commands.ts';
import { moneyLines, purchaseOf, standingOf } from '#server/office/summary-words.ts';
import { timelineWithLetters } from '#server/office/timeline.ts';
import { moment, utcMoment } from '#server/office/words.ts';
import { exportOf, nameOf, stateOf } from '#server/registration/registration.ts';
import { registrationsOf } from '#server/worker/registration-index.ts';
import type { Edition } from '#shared/content/edition.ts';
import { formatCents } from '#shared/money.ts';
import type { Contact } from '#shared/registration.ts';
import { facts, printableJson, sections, table } from './command.ts';

/** The registrations of an edition; if its places are limited, also these, and who waits for one. */
export async function listRegistrations(context: CommandContext, edition: Edition): Promise<string> {
  const now = context.now();
  const registrations = await registrationsOf(context.payments, edition);
  const told = await readWaitingList(context, edition);
  const row = (id: string, state: string, person: Contact) => [id, state, nameOf(person), person.email];
  const text = sections(
    registrations.map((record) => row(record.id, stateOf(record, now), record.registrant)),
    told ? [[placesLine(told.places)]] : [],
    (told?.entries ?? []).map(({ record, words }) => row(record.id, words, record.registrant)),
  );
  return text || 'Nobody has registered.';
}

/** Everything about one registration: who, where it stands, its money, what she answered, what happened. */
export async function showRegistration(context: CommandContext, id: string): Promise<string> {
  const about = await registrations.find(context, id);
  const { record, now } = about;
  const { letters } = await lettersAbout(context, id);
  const messages = await readMessages(context.payments, record.edition);
  const { registrant, answers } = record;
  return sections(
    facts({
      Registration: record.id,
      Name: nameOf(registrant),
      'E-mail': registrant.email,
      Phone: registrant.phoneNumber,
      State: stateOf(record, now),
      ...Object.fromEntries(purchaseOf(record)),
    }),
    standingOf(record, now).map((sentence) => [sentence]),
    moneyLines(record, now).map(({ what, how, cents }) => [what, how, formatCents(cents)]),
    answers.map(({ asked, answer }) => [asked, answer]),
    timelineWithLetters(about, letters, messages).map(({ at, what }) => [moment(at, record), what]),
  );
}

export async function exportRegistration(context: CommandContext, id: string): Promise<string> {
  const data = await exportOf(context.payments, id, context.now());
  if (!data) throw new Refusal('notFound', `There is no registration ${id}.`);
  return printableJson(data);
}

function mailFacts(found: FoundLetter) {
  const { id, job, letter, state } = found;
  const to = letter && (letterTable[letter.kind].to === 'office' ? 'the office' : letter.address);
  return {
    ID: id,
    Kind: letter?.kind ?? 'not on record',
    To: to ?? '–',
    State: state,
    Attempts: job ? `${job.attemptsMade} of ${Math.max(job.opts.attempts ?? 1, 1)}` : '',
    When: utcMoment(momentOfLetter(found)),
    Reason: job?.failedReason ?? '',
  };
}

const SHOWN = 50;
const WAITING = ['active', 'waiting', 'prioritized', 'delayed'] as const satisfies readonly JobState[];

/** What failed, what waits and what was sent, the newest of each state first. */
export async function listMails(context: CommandContext): Promise<string> {
  const { queue } = context;
  const counts = [
    await queue.getFailedCount(),
    await queue.getJobCountByTypes(...WAITING),
    await queue.getCompletedCount(),
  ];
  const [failed, waiting, sent] = counts;
  const inStates = (['failed', ...WAITING, 'completed'] as const).map((state) =>
    lettersIn(context, state, SHOWN),
  );
  const mails = (await Promise.all(inStates)).flat().map(mailFacts);
  const heading = mails.slice(0, 1).map((mail) => Object.keys(mail).map((name) => name.toUpperCase()));
  return sections(
    [...heading, ...mails.map((mail) => Object.values(mail))],
    [[`${failed} failed, ${waiting} waiting, ${sent} sent`]],
  );
}

export async function showMail(context: CommandContext, id: string): Promise<string> {
  const found = await findLetter(context, id);
  const { job, letter } = found;
  const errors = (job?.stacktrace ?? []).map((stack, index) => [
    `Error of attempt ${index + 1}`,
    (stack.split(/\n\s+at /)[0] ?? '').replace(/^\w*Error: /, ''),
  ]);
  return table(
    facts({
      ...mailFacts(found),
      About: letter?.subject ?? '',
      'Sent again by': letter?.askedBy ?? '',
      Queued: job ? utcMoment(new Date(job.timestamp)) : '',
      ...Object.fromEntries(errors),
    }),
  );
}
