import type * as v from 'valibot';
import type { Situation } from '#server/office/timeline.ts';
import { moment } from '#server/office/words.ts';
import {
  BALANCE,
  balanceTermsOf,
  type Decision,
  type Installment,
  installmentsOf,
  isPlanAgreed,
  leftToPay,
  type RegistrationRecord,
} from '#server/registration/registration.ts';
import { PARTS_OF_PLAN } from '#shared/content/edition.ts';
import { dateAt } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { impossible } from './command.ts';
import { agreedFields, mark, planParts } from './inputs.ts';
import { chargeMoment, earliestCharge } from './money-commands.ts';
import { eventCommand, localMoment, pastMoment, whileOwing } from './registration-command.ts';

/** A part that is not paid yet, as it is typed: its day, and its sum in US cents unless the rest is divided equally. */
type TypedPart = v.InferOutput<typeof planParts>[number];
type PlannedPart = Decision<'plan'>['parts'][number];

const whyNotPlanned = (about: Situation): string | undefined =>
  about.record.decisions.check ? 'She pays what is left by check: take that back first.' : whileOwing(about);

const plan = eventCommand({
  id: 'plan',
  heading: 'Let her pay in parts',
  sentence:
    'Makes a payment plan of two to four parts, or gives its parts other days and sums. A message asks her to agree to it. To end it, take it back.',
  group: 'pays',
  fields: {
    parts: {
      takes: planParts,
      label: 'The parts that are not paid yet',
      hint: 'A line for each one: its day, and its sum without any card fee, such as 2027-03-08 200. What has no sum is divided equally.',
      input: 'text',
      initial: (about) => partsToBegin(about).map(lineOfPart).join('\n'),
    },
    paused: {
      takes: mark,
      label: 'Pause it: no part is charged until this mark is taken away',
      input: 'mark',
      initial: ({ record }) => (record.decisions.plan?.paused ? 'yes' : ''),
    },
  },
  refuses: whyNotPlanned,
  button({ parts, paused }, { record }) {
    if (paused) return 'Pause her plan';
    return record.decisions.plan ? 'Change her plan' : `Let her pay in ${parts.length} parts`;
  },
  events(about, { parts: typed, paused }) {
    const parts = plannedParts(about, typed);
    return [{ kind: 'plan', facts: { parts, ...(paused && { paused }) } }];
  },
});

const planAgreed = eventCommand({
  id: 'plan-agreed',
  heading: 'She agrees to her payment plan',
  sentence: 'Records that she agreed on the phone or in writing. On her page she does so herself.',
  group: 'pays',
  fields: agreedFields,
  refuses(about) {
    const { record } = about;
    if (!record.decisions.plan) return 'No payment plan was made: make one first.';
    return whyNotPlanned(about) ?? (isPlanAgreed(record) ? 'She has agreed to her plan already.' : undefined);
  },
  events: (about, { agreed: how, agreedOn }) => [
    { kind: 'planAgreed', facts: { how, on: pastMoment(about, agreedOn, 'She cannot have agreed') } },
  ],
});

export const planCommands = [plan, planAgreed];

/** What the form begins with: the parts that are left of her plan, or the days of the edition's first plan that can be met. */
function partsToBegin({ record, now }: Situation): readonly TypedPart[] {
  const dayOf = (at: Date) => dateAt(at, record.edition.timetable.timeZone.id);
  if (record.decisions.plan) return unpaidParts(record).map((part) => ({ ...part, day: dayOf(part.dueAt) }));
  const isInTime = (at: string) => new Date(at) >= earliestCharge(now);
  const offered = record.edition.plans?.offered.map((moments) => moments.filter(isInTime));
  const first = offered?.find(({ length }) => length >= PARTS_OF_PLAN.least);
  return (first ?? []).map((at) => ({ day: dayOf(new Date(at)) }));
}

function lineOfPart({ day, cents }: TypedPart): string {
  return cents === undefined ? day : `${day} ${(cents / 100).toFixed(2)}`;
}

/** All parts of the new plan, also those that are paid, in the order of their dates. */
function plannedParts(about: Situation, typed: readonly TypedPart[]): PlannedPart[] {
  const { record } = about;
  const paid = partsOf(record).filter(({ payment }) => payment?.status === 'paid');
  const count = paid.length + typed.length;
  const { least, most } = PARTS_OF_PLAN;
  if (count < least || count > most || typed.length === 0) {
    const before = paid.length > 0 ? `, ${paid.length} of them paid` : '';
    throw impossible(`A plan has ${least} to ${most} parts; this one has ${count}${before}.`);
  }
  const unpaid = unpaidParts(record);
  const sums = sumsOf(record, typed);
  const free = 1 + Math.max(BALANCE, ...usedNumbers(record));
  const parts = typed.map(({ day }, index) => ({
    number: unpaid[index]?.number ?? free + index - unpaid.length,
    cents: sums[index] ?? 0,
    dueAt: chargeMoment(about, day),
  }));
  for (const [index, part] of parts.entries()) {
    const isKept = unpaid.some(({ dueAt, cents }) => +dueAt === +part.dueAt && part.cents <= cents);
    requireMoment(about, part, { after: parts[index - 1], isKept });
  }
  const done = paid.flatMap(({ number, payment, dueAt }) =>
    payment ? [{ number, cents: payment.beforeFeeCents, dueAt }] : [],
  );
  return [...done, ...parts].toSorted((one, other) => +one.dueAt - +other.dueAt);
}

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
  const named = [...record.balances, ...record.notices, ...(record.decisions.plan?.parts ?? [])];
  return named.map(({ number }) => number);
}

/** The sum of each part: as typed, and for the others what is then left, in equal parts to the cent. */
function sumsOf(record: RegistrationRecord, typed: readonly TypedPart[]): readonly number[] {
  const { beforeFeeCents: all } = leftToPay(record);
  const open = typed.filter(({ cents }) => cents === undefined).length;
  const left = all - typed.reduce((sum, { cents = 0 }) => sum + cents, 0);
  if (left < 0 || (left > 0 && open === 0)) {
    const fee = onWays(balanceTermsOf(record).prices, ' without a card fee');
    throw impossible(
      `${formatCents(all)} is left to pay${fee}, and these parts are ${formatCents(all - left)}.`,
    );
  }
  const places = typed.flatMap(({ cents }, index) => (cents === undefined ? [index] : []));
  return typed.map(({ cents }, index) => {
    const place = places.indexOf(index);
    return cents ?? Math.floor(left / open) + (place < left % open ? 1 : 0);
  });
}

/** @param isKept it was planned for this moment before, and for no less */
function requireMoment(
  { record, now }: Situation,
  { dueAt }: PlannedPart,
  { after, isKept }: { after: PlannedPart | undefined; isKept: boolean },
): void {
  const { startDate } = record.edition.facts;
  if (after && dueAt <= after.dueAt) throw impossible('Each part has a later day than the one before it.');
  if (dueAt >= localMoment(record, startDate))
    throw impossible(`The retreat begins on ${startDate}: all parts are paid before.`);
  const earliest = earliestCharge(now);
  if (!isKept && dueAt < earliest)
    throw impossible(
      `She is told three days before a part is charged: name days after ${moment(earliest, record)}.`,
    );
}
