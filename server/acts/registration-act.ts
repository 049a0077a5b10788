import { type Message, readMessages } from '#server/mail/messages.ts';
import type { DecisionKind } from '#server/registration/act-kinds.ts';
import { paidBalances } from '#server/registration/balance.ts';
import { isRefundOrdered } from '#server/registration/cancelling.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { receivedFor } from '#server/registration/deposit.ts';
import { type HandOverStop, handOverStop } from '#server/registration/hand-over.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { stateOf } from '#server/registration/registration-state.ts';
import { nameOf } from '#server/registration/registrations.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { withUtcOffset } from '#shared/dates.ts';
import {
  type ActContext,
  type ActSpec,
  type Asked,
  actsAbout,
  askWorker,
  carryOut,
  type Fields,
  findRegistrationOf,
  type GivenBy,
  impossible,
  type OfficeAct,
  type Refusal,
  recordedFor,
  refuseIf,
  type Said,
  type Told,
  wrongUsage,
} from './act.ts';
import { canDecide, decide } from './decide.ts';
import { type FoundJob, jobsOfPayment } from './mail-jobs.ts';
import { moment } from './words.ts';

export interface Standing {
  record: RegistrationRecord;
  now: Date;
}

/** What the acts on a registration are based on. */
export interface Situation extends Standing {
  /** The jobs of her letters, the newest first. */
  letters: readonly FoundJob[];
  /** The letters that the office wrote to many, of which she may have had some. */
  messages: readonly Message[];
}

/** @throws {Refusal} when there is no such registration */
export async function findSituation(context: ActContext, id: string): Promise<Situation> {
  const record = await findRegistrationOf(context, id);
  const letters = await jobsOfPayment(context, record.id);
  const messages = await readMessages(context.payments, record.edition);
  return { record, now: context.now(), letters, messages };
}

/** The headings under which the page of a registration offers its acts, in their order. */
export const actGroups = {
  money: 'Money',
  cancelling: 'Cancelling and giving back',
  notes: 'Notes',
  details: 'Her details',
  letters: 'Messages',
  link: 'The link to her page',
  support: 'For support',
} as const;

interface Grouped {
  group: keyof typeof actGroups;
}

/** An act on a registration, which its id names. */
export interface RegistrationAct extends OfficeAct<Situation, string>, Grouped {}

type Takings = Fields<Situation>;
type Spec<Takes extends Takings> = ActSpec<Takes, Situation, string> & Grouped;

const officeAct = actsAbout<Situation, string>();

export function registrationAct<const Takes extends Takings>(spec: Spec<Takes>) {
  return { ...officeAct(spec), group: spec.group };
}

interface Plan {
  says: readonly Said[];
  /** What the result depends on beside the registration and what `says` has. */
  settles?: unknown;
  /** Does it; returns what to add to `says`. */
  carryOut(payments: Payments): Promise<readonly Said[]> | Promise<void>;
}

interface Planned<Takes extends Takings> extends Omit<Spec<Takes>, 'run' | 'whyNot'> {
  whyNot(standing: Standing): string | undefined;
  plan(standing: Standing & { by: string }, given: GivenBy<Takes>, context: ActContext): Plan | Promise<Plan>;
}

/** Makes an act whose plan is worked out from the registration as it is now, and refused for the same reasons. */
export function plannedAct<const Takes extends Takings>({ plan, ...spec }: Planned<Takes>) {
  return registrationAct<Takes>({
    ...spec,
    async run(context, id, given, asked) {
      const record = await findRegistrationOf(context, id);
      const now = context.now();
      refuseIf(spec.whyNot({ record, now }));
      const { carryOut, ...planned } = await plan({ record, now, by: asked.by }, given, context);
      return carryOutFor(context, record, asked, planned, carryOut);
    },
  });
}

interface Outcome<Kind extends DecisionKind> {
  decision: Decision<Kind>;
  says: readonly Said[];
}

interface Deciding<Kind extends DecisionKind, Takes extends Takings>
  extends Omit<Spec<Takes>, 'run' | 'whyNot'> {
  decides: Kind;
  /** Why it is not possible although the state of the registration allows it. */
  whyNot?(standing: Standing): string | undefined;
  plan(
    record: RegistrationRecord,
    act: { at: Date; by: string },
    given: GivenBy<Takes>,
    context: ActContext,
  ): Outcome<Kind> | Promise<Outcome<Kind>>;
}

/** Makes an act that records a decision; it is refused, with the reason, while the state of the registration does not allow it. */
export function decisionAct<Kind extends DecisionKind, const Takes extends Takings>({
  decides,
  whyNot,
  plan,
  ...spec
}: Deciding<Kind, Takes>) {
  return registrationAct<Takes>({
    ...spec,
    whyNot: ({ record, now }) => whyNotDecided(record, decides, now) ?? whyNot?.({ record, now }),
    async run(context, id, given, asked) {
      const record = await findRegistrationOf(context, id);
      const now = context.now();
      if (!canDecide(record, decides, now)) throw notAllowed(record, decides, now);
      refuseIf(whyNot?.({ record, now }));
      const { decision, says } = await plan(record, { at: now, by: asked.by }, given, context);
      const { at: _at, by: _by, ...settles } = decision;
      return carryOutFor(context, record, asked, { says, settles }, (payments) =>
        payments.ask(decide, record, decides, decision),
      );
    },
  });
}

/** Carries out an act about a registration, and then asks the worker to do what is due. */
export function carryOutFor(
  context: ActContext,
  record: RegistrationRecord,
  asked: Asked,
  { says, settles }: { says: readonly Said[]; settles?: unknown },
  act: (payments: Payments) => Promise<readonly Said[]> | Promise<void>,
): Promise<Told> {
  const about = [record.id, nameOf(record.registrant)].filter(Boolean).join(', ');
  // A note or an answer changes nothing that another act rests on: what was shown of that before still holds.
  const { edition: _, notes: __, answers: ___, acts: ____, context: _____, ...facts } = record;
  const restsOn = [facts, settles];
  return carryOut(asked, { about, says, restsOn }, async () => {
    const done = (await act(context.payments)) ?? [];
    const notAsked = 'The site could not be asked to look: the list of registrations shows it later.';
    return [...done, recordedFor(asked.by), ...(await askWorker(context, notAsked))];
  });
}

/** Why the state of a registration does not allow this decision now; undefined if it does. */
function whyNotDecided(record: RegistrationRecord, kind: DecisionKind, now: Date): string | undefined {
  return canDecide(record, kind, now) ? undefined : `${whenDecided(record, kind, now)}.`;
}

export function notAllowed(record: RegistrationRecord, kind: DecisionKind, now: Date): Refusal {
  return impossible(`This registration is ${stateOf(record, now)}: ${whenDecided(record, kind, now)}.`);
}

/** Why a decision is refused, where that is the same sentence whatever else was decided. */
const WHY_REFUSED: Partial<Record<DecisionKind, string>> = {
  cancel: 'only who has paid the deposit and has not cancelled can cancel',
  charge: 'a card is charged once the balance is due, while something is left to pay',
  checkSent: 'no check is owed to her',
  disputeOver: 'only what was paid can be disputed',
  twoPeople: 'nobody else with this name and address has a place',
  waived: 'this is decided after the deposit is paid or a place is held, while she has not cancelled',
  held: 'a place is held for somebody who has not paid the deposit',
};

function whenDecided(record: RegistrationRecord, kind: DecisionKind, now: Date): string {
  const { decisions } = record;
  if (kind === 'handOver' || kind === 'handOverAgreed') return whenHandedOver(record, now);
  if (kind === 'refund')
    return isRefundOrdered(record)
      ? 'the refund that was decided before is not carried out yet'
      : 'an exception is decided once the deposit is paid, and not while a cancellation waits to be carried out or undone';
  if (kind === 'plan' || kind === 'planAgreed' || kind === 'postponed') {
    const { plan, check } = decisions;
    if (check) return 'she pays what is left by check: withdraw that first';
    if (plan && kind === 'postponed') return 'she pays by a plan: give its parts other days';
    if (plan && kind === 'planAgreed') return 'she has agreed to her plan, or nothing is left to pay';
    if (kind === 'planAgreed') return 'no payment plan was made';
  }
  return WHY_REFUSED[kind] ?? 'this is decided after the deposit is paid, while something is left to pay';
}

const HAND_OVER_STOPS: Partial<Record<HandOverStop, string>> = {
  'not-offered': 'in this retreat no place can be handed over',
  disputed: 'a charge is disputed, and that must be over first',
  'being-charged': 'the balance is being charged at this moment; try it again in a few minutes',
  'no-place': 'only a place that is paid for and not cancelled can be handed over',
};

function whenHandedOver(record: RegistrationRecord, now: Date): string {
  const { handOverUntil = '' } = record.edition.facts;
  const stop = handOverStop(record, now);
  if (stop === 'too-late')
    return `a place could be handed over until ${moment(new Date(handOverUntil), record)}, and there is no way around that`;
  return (stop && HAND_OVER_STOPS[stop]) ?? 'it is being handed over already: withdraw that first';
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Parses a day, or a day and a time, in the retreat's time zone. */
export function localMoment({ edition }: Pick<RegistrationRecord, 'edition'>, text: string): Date {
  const local = text.includes('T') ? text : `${text}T00:00`;
  return new Date(withUtcOffset(local, edition.timetable.timeZone.id));
}

/** The end of a day in the retreat's time zone: the day has 23 or 25 hours when the clocks change. */
export function dayEnd(record: RegistrationRecord, day: string): Date {
  return localMoment(record, new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10));
}

/**
 * The moment at which she wrote. A day without a time counts from its first minute, or from her registration if that
 * was later. If she paid the balance on that day, the time is required.
 */
export function writtenMoment(record: RegistrationRecord, written: string, now: Date): Date {
  const at = localMoment(record, written);
  const isDay = !written.includes('T');
  const dayEnds = isDay ? dayEnd(record, written) : at;
  const isOnThatDay = (moment: Date) => moment >= at && moment < dayEnds;
  const paid = [
    ...paidBalances(record).map((one) => one.paidAt),
    ...receivedFor(record).balance.map(({ on }) => on),
  ];
  const paidAt = paid.find(isOnThatDay);
  if (at > now) throw impossible('She cannot have written in the future.');
  if (isDay && paidAt) {
    throw wrongUsage(
      `Her balance was paid on that day, ${moment(paidAt, record)}: add the time at which she wrote, such as ${written}T15:30`,
    );
  }
  if (at >= record.begunAt) return at;
  requireSince(record, written);
  return record.begunAt;
}

/**
 * @param text a day, which may be the one on which she registered, or a day and a time
 * @throws {Refusal} when she registered later: the year may be mistyped
 */
export function requireSince(record: RegistrationRecord, text: string): void {
  const ended = text.includes('T') ? localMoment(record, text) : dayEnd(record, text);
  if (ended <= record.begunAt)
    throw impossible(`She registered later, on ${moment(record.begunAt, record)}.`);
}
