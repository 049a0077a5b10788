import { NOTICE_MS } from '#server/payments/charge-plan.ts';
import { canDecide, canWithdraw } from '#server/payments/decide.ts';
import type { Decision, DecisionKind } from '#server/payments/decisions.ts';
import {
  balanceOfRecord,
  paymentsOf,
  type RegistrationRecord,
} from '#server/payments/registration-record.ts';
import { chargeMomentOf, stateOf } from '#server/payments/registration-state.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { balanceOf, refundOf, type SumLine } from '#shared/content/tuition.ts';
import { withUtcOffset } from '#shared/local-time.ts';
import { formatCents } from '#shared/money.ts';
import { chargeWords } from './charge-words.ts';
import { findRegistrationOf, type MailJobs } from './mail-jobs.ts';
import { moment, printable, table } from './printable.ts';
import { Refusal } from './refusal.ts';

/** Who decides, and whether she only wants to see what would come of it. */
export interface Asked {
  by: string;
  'dry-run': boolean;
}

/** https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
const LEAST_CHARGE_CENTS = 50;
const DAY_MS = 24 * 60 * 60 * 1000;

/** She cancelled in writing: nothing more is charged. What comes back goes by the moment at which she wrote. */
export function cancel(jobs: MailJobs, id: string, asked: Asked & { written: string }): Promise<string> {
  return decide(jobs, id, 'cancel', asked, (record, act) => {
    const writtenAt = writtenMoment(record, asked.written, act.at);
    const { byCardCents, byCheckCents, lines } = refundOf(
      record.edition.facts,
      paymentsOf(record),
      writtenAt,
    );
    const says = [
      `She cancels as of ${moment(writtenAt)}. Nothing more is charged.`,
      sumOf(lines),
      byCardCents > 0 ? `${formatCents(byCardCents)} comes back to her card: refund it at Stripe.` : '',
      byCheckCents > 0 ? `${formatCents(byCheckCents)} comes back by check: send it.` : '',
      byCardCents + byCheckCents === 0 ? 'Nothing comes back.' : '',
    ];
    return { decision: { ...act, writtenAt }, says };
  });
}

/** So much of the tuition is not asked of her. */
export function waive(jobs: MailJobs, id: string, cents: number, asked: Asked): Promise<string> {
  return decide(jobs, id, 'waived', asked, ({ edition }, act) => {
    const { prices } = edition.facts;
    if (cents > prices.balanceBeforeFeeCents) {
      const most = formatCents(prices.balanceBeforeFeeCents);
      throw new Refusal('wrongState', `No more than the balance of ${most} can be waived.`);
    }
    const { byCardCents, feeCents } = balanceOf(edition.facts, cents);
    if (byCardCents > 0 && byCardCents < LEAST_CHARGE_CENTS) {
      const says = `Stripe charges no less than ${formatCents(LEAST_CHARGE_CENTS)}: waive the rest too.`;
      throw new Refusal('wrongState', says);
    }
    const lines = [
      { words: 'tuition after the deposit', cents: prices.balanceBeforeFeeCents },
      { words: 'waived', cents: -cents },
      { words: `card fee of ${prices.cardFee} on the rest`, cents: feeCents },
    ];
    const says = [`The balance is ${formatCents(byCardCents)} by card.`, sumOf(lines)];
    return { decision: { ...act, cents }, says };
  });
}

/** She pays the balance by check, or has done so: her card is not charged. */
export function payByCheck(
  jobs: MailJobs,
  id: string,
  asked: Asked & { received?: string | undefined },
): Promise<string> {
  return decide(jobs, id, 'check', asked, (record, act) => {
    const cents = balanceOfRecord(record).byCheckCents;
    const sum = formatCents(cents);
    const lines = [{ words: 'balance, without a card fee', cents }];
    if (asked.received === undefined) {
      const says = [`She pays ${sum} by check. Her card is not charged.`, sumOf(lines)];
      return { decision: { ...act, cents }, says };
    }
    const receivedAt = localMoment(record, asked.received);
    if (receivedAt > act.at) throw new Refusal('wrongState', 'A check cannot have come in the future.');
    const says = [`Her check of ${sum} has come. Nothing is left to pay.`, sumOf(lines)];
    return { decision: { ...act, cents, receivedAt }, says };
  });
}

/** The balance is due on a later day, at the edition's hour: sooner than she agreed to it is never charged. */
export function postpone(jobs: MailJobs, id: string, date: string, asked: Asked): Promise<string> {
  return decide(jobs, id, 'postponed', asked, (record, act) => {
    const { facts } = record.edition;
    const { balance, endsAt } = facts;
    const until = localMoment(record, `${date}T${balance.chargeAt.slice(11, 16)}`);
    if (until <= act.at) throw new Refusal('wrongState', `${date} is past.`);
    const dueAt = balanceDueAt(facts, record.paidAt ?? record.begunAt);
    if (until <= dueAt) {
      throw new Refusal('wrongState', `The balance is due ${moment(dueAt)}: name a later day.`);
    }
    const earliest = new Date(act.at.getTime() + NOTICE_MS + DAY_MS);
    if (until < earliest) {
      const says = `She is told three days before she is charged: name a day after ${moment(earliest)}.`;
      throw new Refusal('wrongState', says);
    }
    if (until >= new Date(endsAt)) {
      throw new Refusal('wrongState', 'The retreat is over by then, and nothing is charged any more.');
    }
    const { byCardCents } = balanceOfRecord(record);
    const decision = { ...act, until };
    const after = { ...record, decisions: { ...record.decisions, postponed: decision } };
    const says = [
      `The balance of ${formatCents(byCardCents)} is due ${moment(until)}.`,
      `Charged by itself: ${chargeWords(after, act.at)}.`,
    ];
    return { decision, says };
  });
}

/** What was decided holds no more. */
export async function withdraw(
  jobs: MailJobs,
  id: string,
  kind: Exclude<DecisionKind, 'cancel' | 'charge'>,
  asked: Asked,
): Promise<string> {
  const record = await findRegistrationOf(jobs, id);
  const at = await jobs.now();
  if (!record.decisions[kind]) throw new Refusal('wrongState', `Nothing is decided about ${kind} of ${id}.`);
  if (!canWithdraw(record, kind, at)) throw notAllowed(record, kind, at);
  const act = { at, by: asked.by };
  const { [kind]: _, withdrawn, ...held } = record.decisions;
  const after = { ...record, decisions: { ...held, withdrawn: [...withdrawn, { kind, ...act }] } };
  const says = [
    `What was decided about ${kind} holds no more.`,
    `The balance of ${formatCents(balanceOfRecord(after).byCardCents)} is due ${moment(chargeMomentOf(after))}.`,
    `Charged by itself: ${chargeWords(after, at)}.`,
  ];
  return carryOut(jobs, record, asked, says, (register) =>
    register.decide(record, kind, { ...act, withdrawn: true }),
  );
}

/** Records a decision, or only tells what would come of it. */
export async function decide<Kind extends DecisionKind>(
  jobs: MailJobs,
  id: string,
  kind: Kind,
  asked: Asked,
  work: (record: RegistrationRecord, act: { at: Date; by: string }) => Outcome<Kind>,
): Promise<string> {
  const record = await findRegistrationOf(jobs, id);
  const at = await jobs.now();
  if (!canDecide(record, kind, at)) throw notAllowed(record, kind, at);
  const { decision, says } = work(record, { at, by: asked.by });
  return carryOut(jobs, record, asked, says, (register) => register.decide(record, kind, decision));
}

interface Outcome<Kind extends DecisionKind> {
  decision: Decision<Kind>;
  /** What comes of it, in sentences and sums. */
  says: readonly string[];
}

function notAllowed(record: RegistrationRecord, kind: DecisionKind, now: Date): Refusal {
  return new Refusal('wrongState', `${record.id} is ${stateOf(record, now)}: ${whenDecided(kind)}.`);
}

function whenDecided(kind: DecisionKind): string {
  if (kind === 'cancel') return 'only who has paid the deposit and has not cancelled can cancel';
  if (kind === 'charge') return 'a card is charged once the balance is due, while something is left to pay';
  return 'this is decided after the deposit is paid, while something is left to pay';
}

/** Does it, unless it is only tried, and tells what comes of it. */
async function carryOut(
  jobs: MailJobs,
  record: RegistrationRecord,
  asked: Asked,
  says: readonly string[],
  act: (register: Awaited<ReturnType<MailJobs['openRecord']>>) => Promise<void>,
): Promise<string> {
  const { firstName, lastName } = record.registrant;
  const head = `${record.id}, ${printable(`${firstName} ${lastName}`)}`;
  const tell = (...feet: readonly string[]) => [head, ...says.filter(Boolean), ...feet].join('\n');
  if (asked['dry-run']) return tell('Only tried: nothing was changed.');
  await act(await jobs.openRecord());
  const recorded = `Recorded for ${printable(asked.by)}.`;
  try {
    await jobs.askForWalk();
    return tell(recorded);
  } catch {
    return tell(recorded, 'The worker could not be asked to walk: the list of registrations shows it later.');
  }
}

/** The lines of a sum, with their total. */
function sumOf(lines: readonly SumLine[]): string {
  const total = lines.reduce((sum, { cents }) => sum + cents, 0);
  return table(
    [...lines, { words: 'in all', cents: total }].map(({ words, cents }) => ['', formatCents(cents), words]),
  );
}

/**
 * When she wrote. A day alone counts from its first minute, or from the moment at which she had registered. Where she paid
 * the balance on that day, the hour matters.
 */
function writtenMoment(record: RegistrationRecord, written: string, now: Date): Date {
  const at = localMoment(record, written);
  const isDay = !written.includes('T');
  const dayEnds = isDay ? localMoment(record, dayAfter(written)) : at;
  const paidAt = paymentsOf(record).balance?.at;
  if (at > now) throw new Refusal('wrongState', 'She cannot have written in the future.');
  if (isDay && paidAt && paidAt >= at && paidAt < dayEnds) {
    const says = `Her balance was paid on that day, ${moment(paidAt)}: add the time at which she wrote, such as ${written}T15:30.`;
    throw new Refusal('wrongUsage', says);
  }
  if (at >= record.begunAt) return at;
  if (isDay && dayEnds > record.begunAt) return record.begunAt;
  throw new Refusal('wrongState', `She registered later, on ${moment(record.begunAt)}.`);
}

/** A day of the calendar has 23 or 25 hours where clocks change. */
function dayAfter(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** A day, or a day and a time, of the retreat's time zone. */
function localMoment({ edition }: RegistrationRecord, text: string): Date {
  const local = text.includes('T') ? text : `${text}T00:00`;
  return new Date(withUtcOffset(local, edition.timetable.timeZone.id));
}
