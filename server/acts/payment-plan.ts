import type * as v from 'valibot';
import { afterDecision } from '#server/registration/after-act.ts';
import { type Installment, installmentsOf, leftToPay } from '#server/registration/balance.ts';
import { balanceTermsOf } from '#server/registration/card-on-file.ts';
import { isPlanAgreed, NOTICE_MS } from '#server/registration/charges.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { BALANCE } from '#server/registration/ledger-of-acts.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { PARTS_OF_PLAN } from '#shared/content/edition.ts';
import { titleOfPart } from '#shared/content/tuition.ts';
import { dateAt } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { agreedFields, impossible } from './act.ts';
import { mark, planParts } from './given.ts';
import { decisionAct, localMoment, requireSince } from './registration-act.ts';
import { moment } from './words.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A part that is not paid yet, as it is typed: its day, and its sum in US cents unless the rest is divided equally. */
type TypedPart = v.InferOutput<typeof planParts>[number];

type PlannedPart = Decision<'plan'>['parts'][number];

export const planPayments = decisionAct({
  id: 'plan',
  heading: 'Let her pay in parts',
  sentence:
    'Makes a payment plan of two to four parts, or gives its parts other days and sums. A message asks her to agree to it. To end it, withdraw it.',
  group: 'money',
  fields: {
    parts: {
      takes: planParts,
      label: 'The parts that are not paid yet',
      hint: 'A line for each one: its day, and its sum without any card fee, such as 2027-03-08 200. What has no sum is divided equally.',
      input: 'text',
      initial: ({ record, now }) => partsToBegin(record, now).map(lineOfPart).join('\n'),
    },
    paused: {
      takes: mark,
      label: 'Pause it: no part is charged until this mark is taken away',
      input: 'mark',
      initial: ({ record }) => (record.decisions.plan?.paused ? 'yes' : ''),
    },
  },
  confirm: ({ parts, paused }, _told, { record }) =>
    paused
      ? 'Pause her plan'
      : record.decisions.plan
        ? 'Change her plan'
        : `Let her pay in ${parts.length} parts`,
  decides: 'plan',
  plan(record, act, { parts: typed, paused }) {
    const parts = plannedParts(record, typed, act.at);
    if (isSamePlan({ parts, paused }, record.decisions.plan))
      throw impossible('This is her plan already: nothing is different.');
    const decision = { ...act, parts, ...(paused && { paused }) };
    const after = afterDecision(record, 'plan', decision);
    const agreed = isPlanAgreed(after)
      ? 'She has agreed to no less before, so that she need not agree again.'
      : 'No part is charged before she has agreed to it: a message asks her to, on her page.';
    const says = [
      { facts: planRows(after) },
      { sum: [{ words: 'all parts that are left, by card', cents: leftToPay(after).byCardCents }] },
      paused ? 'While it is paused, no part is charged: a message tells her.' : agreed,
    ];
    return { decision, says };
  },
});

export const agreeToPlan = decisionAct({
  id: 'plan-agreed',
  heading: 'She agrees to her payment plan',
  sentence: 'Records that she agreed on the phone or in writing. On her page she does so herself.',
  group: 'money',
  fields: agreedFields,
  confirm: () => 'Record that she agreed to her plan',
  decides: 'planAgreed',
  plan(record, act, { agreed: how, agreedOn: day }) {
    const on = localMoment(record, day);
    if (on > act.at) throw impossible('She cannot have agreed in the future.');
    requireSince(record, day);
    const says = [
      { facts: planRows(record) },
      'Each part is charged on its day, once a message has told her three days before.',
    ];
    return { decision: { ...act, how, on }, says };
  },
});

/** What the form begins with: the parts that are left of her plan, or the days of the edition's first plan that can be met. */
function partsToBegin(record: RegistrationRecord, now: Date): readonly TypedPart[] {
  if (record.decisions.plan)
    return unpaidParts(record).map((part) => ({ ...part, day: dayOf(part.dueAt, record) }));
  const isInTime = (at: string) => new Date(at) >= earliestAfter(now);
  const offered = record.edition.plans?.offered.map((moments) => moments.filter(isInTime));
  const plan = offered?.find(({ length }) => length >= PARTS_OF_PLAN.least);
  return (plan ?? []).map((at) => ({ day: dayOf(new Date(at), record) }));
}

function lineOfPart({ day, cents }: TypedPart): string {
  return cents === undefined ? day : `${day} ${(cents / 100).toFixed(2)}`;
}

/** One row for each part: which it is, when it is charged, and how much it is. */
function planRows(record: RegistrationRecord): [name: string, words: string][] {
  return installmentsOf(record).flatMap(({ part, payment, left, dueAt }): [string, string][] => {
    if (!part) return [];
    const { byCardCents, beforeFeeCents } = left;
    const sum =
      payment?.status === 'paid' && payment.paidAt
        ? `${formatCents(payment.cents)}, paid on ${moment(payment.paidAt, record)}`
        : beforeFeeCents === 0
          ? 'nothing is left of it'
          : `${formatCents(byCardCents)} by card, or ${formatCents(beforeFeeCents)} by check`;
    return [[titleOfPart(part), `${moment(dueAt, record)}: ${sum}`]];
  });
}

/**
 * All parts of the new plan in the order of their dates: those that are paid, and the typed ones.
 * @throws {Refusal} when they do not fit what is left to pay, the retreat or each other
 */
function plannedParts(record: RegistrationRecord, typed: readonly TypedPart[], now: Date): PlannedPart[] {
  const paid = partsOf(record).filter(({ payment }) => payment?.status === 'paid');
  const count = paid.length + typed.length;
  const { least, most } = PARTS_OF_PLAN;
  if (count < least || count > most || typed.length === 0) {
    const before =
      paid.length > 0 ? `, of which ${paid.length} ${paid.length === 1 ? 'is' : 'are'} paid` : '';
    throw impossible(`A plan has ${least} to ${most} parts; this one has ${count}${before}.`);
  }
  const unpaid = unpaidParts(record);
  const sums = sumsOf(record, typed);
  const free = 1 + Math.max(BALANCE, ...usedNumbers(record));
  const parts = typed.map(({ day }, index) => {
    const kept = unpaid[index];
    const number = kept?.number ?? free + index - unpaid.length;
    return { number, cents: sums[index] ?? 0, dueAt: momentOn(record, day) };
  });
  for (const [index, part] of parts.entries()) {
    const isKept = unpaid.some(({ dueAt, cents }) => +dueAt === +part.dueAt && part.cents <= cents);
    requireMoment(record, part, { after: parts[index - 1], isKept, now });
  }
  const done = paid.flatMap(({ number, payment, dueAt }) =>
    payment ? [{ number, cents: payment.beforeFeeCents, dueAt }] : [],
  );
  return [...done, ...parts].toSorted((one, other) => +one.dueAt - +other.dueAt);
}

/** A press that is repeated because its answer was lost must not ask her to agree a second time. */
function isSamePlan(
  { parts, paused }: { parts: readonly PlannedPart[]; paused: boolean },
  plan: Decision<'plan'> | undefined,
): boolean {
  return (
    plan?.parts.length === parts.length &&
    paused === (plan.paused ?? false) &&
    plan.parts.every(({ number, cents, dueAt }, index) => {
      const other = parts[index];
      return other?.number === number && other.cents === cents && +other.dueAt === +dueAt;
    })
  );
}

/** The parts that are left of her plan, as they are asked for now. */
function unpaidParts(record: RegistrationRecord): readonly PlannedPart[] {
  return partsOf(record).flatMap(({ number, left: { beforeFeeCents: cents }, dueAt }) =>
    cents > 0 ? [{ number, cents, dueAt }] : [],
  );
}

function partsOf(record: RegistrationRecord): readonly Installment[] {
  return installmentsOf(record).filter(({ part }) => part);
}

/** A number is used once: payments and letters are kept by it. */
function usedNumbers(record: RegistrationRecord): readonly number[] {
  const named = [...record.balances, ...record.notices].map(({ number }) => number);
  return [...named, ...(record.decisions.plan?.parts ?? []).map(({ number }) => number)];
}

/** The sum of each part: as typed, and for the others what is then left, in equal parts to the cent. */
function sumsOf(record: RegistrationRecord, typed: readonly TypedPart[]): readonly number[] {
  const { beforeFeeCents: all } = leftToPay(record);
  const open = typed.filter(({ cents }) => cents === undefined).length;
  const left = all - typed.reduce((sum, { cents = 0 }) => sum + cents, 0);
  if (left < 0 || (left > 0 && open === 0)) {
    const says = `${formatCents(all)} is left to pay${onWays(balanceTermsOf(record).prices, ' without a card fee')}, and these parts are ${formatCents(all - left)}.`;
    throw impossible(says);
  }
  let later = 0;
  return typed.map(({ cents }) => {
    if (cents !== undefined) return cents;
    later += 1;
    return Math.floor(left / open) + (later <= left % open ? 1 : 0);
  });
}

/**
 * @param after the typed part before it
 * @param isKept it was planned for this moment before, and for no less
 */
function requireMoment(
  record: RegistrationRecord,
  { dueAt }: PlannedPart,
  { after, isKept, now }: { after: PlannedPart | undefined; isKept: boolean; now: Date },
): void {
  const { startDate } = record.edition.facts;
  if (after && dueAt <= after.dueAt) throw impossible('Each part has a later day than the one before it.');
  if (dueAt >= localMoment(record, startDate))
    throw impossible(`The retreat begins on ${startDate}: all parts are paid before.`);
  if (!isKept && dueAt < earliestAfter(now)) {
    const says = `She is told three days before a part is charged: name days after ${moment(earliestAfter(now), record)}.`;
    throw impossible(says);
  }
}

/** The earliest moment for a new part: a letter tells her three days before, and may take a day. */
const earliestAfter = (now: Date) => new Date(now.getTime() + NOTICE_MS + DAY_MS);

/** The moment of a part: at the hour of the balance. */
function momentOn(record: RegistrationRecord, day: string): Date {
  return localMoment(record, `${day}T${record.edition.facts.balance.chargeAt.slice(11, 16)}`);
}

/** The day of a moment in the retreat's time zone. */
function dayOf(at: Date, { edition }: RegistrationRecord): string {
  return dateAt(at, edition.timetable.timeZone.id);
}
