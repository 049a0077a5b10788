import { mailOf } from '#server/mail/job.ts';
import type { Decisions } from '#server/payments/decisions.ts';
import {
  balanceOfRecord,
  type RegistrationRecord,
  refundedCentsOf,
} from '#server/payments/registration-record.ts';
import {
  chargeMomentOf,
  lastDecline,
  nextTryAt,
  owingStates,
  type RegistrationState,
  stateOf,
} from '#server/payments/registration-state.ts';
import { formatDateRange } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { chargeWords } from './charge-words.ts';
import { type FoundJob, findRegistrationOf, jobsOfPayment, type MailJobs } from './mail-jobs.ts';
import { cardWords, moment, printableJson, table } from './printable.ts';

/** Something that happened to a registration, for its timeline. */
interface Happening {
  at: Date;
  what: string;
}

/** All about one registration, from Stripe and the queue: what it is, where it stands, what happened. */
export async function showRegistration(
  jobs: MailJobs,
  paymentIntentId: string,
  { json }: { json: boolean },
): Promise<string> {
  const record = await findRegistrationOf(jobs, paymentIntentId);
  const now = await jobs.now();
  const state = stateOf(record, now);
  const letters = await jobsOfPayment(jobs, record.id);
  const timeline = timelineOf(record, letters);
  if (json) {
    const { edition, ...rest } = record;
    const balance = { ...balanceOfRecord(record), dueAt: chargeMomentOf(record) };
    return printableJson({ ...rest, edition: edition.facts.id, state, balance, timeline });
  }
  const happened = timeline.map(({ at, what }) => [moment(at), what]);
  return `${table(factsOf(record, state, now))}\n\nWhat happened\n${table(happened)}`;
}

function factsOf(record: RegistrationRecord, state: RegistrationState, now: Date): string[][] {
  const { id, edition, registrant, agreement, depositCents, disputed } = record;
  const { facts } = edition;
  return [
    ['Registration', id],
    ['Edition', `${facts.id}: ${facts.title}, ${formatDateRange(facts.startDate, facts.endDate)}`],
    ['Registrant', `${registrant.firstName} ${registrant.lastName}`],
    ['E-mail', registrant.email],
    ['Phone', registrant.phoneNumber],
    ['Time zone', registrant.timeZone],
    ['State', disputed ? `${state}, disputed: nothing is charged or refunded by itself` : state],
    ['Agreed to', agreement ? `terms version ${agreement.version}` : 'nothing on record'],
    ['Deposit', depositCents > 0 ? `${formatCents(depositCents)} paid` : 'not paid'],
    ['Balance', balanceWords(record, state)],
    ['Card', record.card ? cardWords(record.card) : 'none on file'],
    ['Told of the charge', noticeWords(record)],
    ['Tries', triesWords(record)],
    ['Charged by itself', chargeWords(record, now)],
    ['Given back', formatCents(refundedCentsOf(record))],
  ];
}

/** What is left to pay, or why nothing is. */
function balanceWords(record: RegistrationRecord, state: RegistrationState): string {
  if (['begun', 'lapsed', 'closed'].includes(state)) return 'none before the deposit is paid';
  if (state === 'settled') return 'nothing is left to pay';
  if (!owingStates.includes(state)) return 'cancelled: nothing more is charged';
  const { byCardCents, byCheckCents } = balanceOfRecord(record);
  const sum = record.decisions.check
    ? `${formatCents(byCheckCents)} by check`
    : `${formatCents(byCardCents)} by card`;
  const dueAt = chargeMomentOf(record);
  return dueAt < new Date(record.edition.facts.endsAt)
    ? `${sum}, due ${moment(dueAt)}`
    : `${sum}, to be asked for: the retreat is over before it could be charged`;
}

/** What she was told of the charge. */
function noticeWords({ noticed }: RegistrationRecord): string {
  if (!noticed) return 'not yet';
  return `${formatCents(noticed.cents)} on ${moment(noticed.dueAt)}`;
}

/** How often her card was tried, and what comes next. */
function triesWords(record: RegistrationRecord): string {
  const { tries = 0, decline } = record.balance ?? {};
  if (tries === 0) return 'none';
  const last = lastDecline(record);
  if (!decline || !last) return `${tries}; it is tried again with the next walk`;
  const next = nextTryAt(record);
  return `${tries}, the last one declined: ${last.code}; ${next ? `tried again ${moment(next)}` : 'not tried again'}`;
}

function timelineOf(record: RegistrationRecord, letters: readonly FoundJob[]): Happening[] {
  const { begunAt, paidAt, agreement, noticed, balance, cancelled } = record;
  const happened: Happening[] = [{ at: begunAt, what: 'begun' }];
  const add = (at: Date | undefined, what: string) => at && happened.push({ at, what });
  // To the second, as Stripe has the others.
  add(agreement && wholeSecond(agreement.agreedAt), `agreed to the terms, version ${agreement?.version}`);
  add(paidAt, `paid the deposit of ${formatCents(record.depositCents)}`);
  add(noticed && wholeSecond(noticed.at), 'was told of the charge');
  const { decline } = balance ?? {};
  add(decline && wholeSecond(decline.at), `try ${decline?.try} of her card was declined: ${decline?.code}`);
  add(balance?.paidAt, `paid the balance of ${formatCents(balance?.cents ?? 0)} by card`);
  add(cancelled?.at, `cancelled; ${formatCents(cancelled?.cents ?? 0)} comes back`);
  happened.push(...decided(record.decisions), ...letters.map(letterWords));
  return happened.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function decided({ cancel, waived, check, postponed, charge, withdrawn }: Decisions): Happening[] {
  const happened: Happening[] = withdrawn.map(({ at, by, kind }) => ({
    at,
    what: `${by}: withdrew ${kind}`,
  }));
  const add = (act: { at: Date; by: string } | undefined, words: string) =>
    act && happened.push({ at: act.at, what: `${act.by}: ${words}` });
  add(waived, `waived ${formatCents(waived?.cents ?? 0)} of the tuition`);
  add(
    check,
    check?.receivedAt
      ? `a check of ${formatCents(check.cents)} came on ${moment(check.receivedAt)}`
      : `she pays ${formatCents(check?.cents ?? 0)} by check`,
  );
  if (postponed) add(postponed, `postponed the balance to ${moment(postponed.until)}`);
  add(charge, 'asked for her card to be tried again');
  if (cancel) add(cancel, `she cancelled in writing on ${moment(cancel.writtenAt)}`);
  return happened;
}

function letterWords({ job, state }: FoundJob): Happening {
  const kind = mailOf(job.data)?.kind ?? 'a mail that cannot be read';
  return { at: new Date(job.finishedOn ?? job.timestamp), what: `letter ${kind}: ${state}` };
}

function wholeSecond(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
