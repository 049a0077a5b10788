import { createHash } from 'node:crypto';
import { canDecide } from '#server/payments/decide.ts';
import type { Payments } from '#server/payments/payments.ts';
import { isRefundOrdered } from '#server/record/cancel-plan.ts';
import type { DecisionKind } from '#server/record/decisions.ts';
import { type HandOverStop, handOverStop } from '#server/record/hand-over.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { stateOf } from '#server/record/registration-state.ts';
import { nameOf } from '#server/record/registrations.ts';
import type { SumLine } from '#shared/content/tuition.ts';
import type { ActContext, LetterReading } from './act-context.ts';
import { moment } from './plain-words.ts';
import { impossible, type Refusal } from './refusal.ts';

/** Whether an act is only a dry run, and what was shown of it before. */
export interface Tried {
  'dry-run': boolean;
  /**
   * `Told.seen` of the result that the user was shown and now confirms: if the result would differ, nothing is done.
   */
  seen?: string | undefined;
}

/** The same, with the name of the person who acts. */
export interface Asked extends Tried {
  by: string;
}

/** A part of the description of an act: a sentence, an itemised sum, a table of facts, or a letter that it sends. */
export type Said =
  | string
  | { sum: readonly SumLine[] }
  | { facts: readonly (readonly string[])[] }
  | { letter: LetterReading };

/** The result of an act, or of its dry run. */
export interface Told {
  /** `tried`: a dry run. `changed`: the result would differ from what was shown, so nothing was done. */
  outcome: 'tried' | 'done' | 'changed';
  /** The registration that it is about: its ID and her name. */
  about?: string;
  says: readonly Said[];
  /** A digest of what the result depends on, for the request that confirms it. */
  seen: string;
  /** The registration that was made. */
  leadsTo?: string;
}

/** The total of all sums in `says`, in US cents. */
export function totalOf(says: readonly Said[]): number {
  const lines = says.flatMap((said) => (typeof said !== 'string' && 'sum' in said ? said.sum : []));
  return lines.reduce((total, { cents }) => total + cents, 0);
}

interface Plan {
  about?: string;
  says: readonly Said[];
  /**
   * What the result depends on beside the sums and facts in `says`; nothing that differs with the time of the request.
   */
  restsOn: readonly unknown[];
}

/**
 * Runs `act`, except in a dry run or if the result has changed since it was shown; `act` returns what to add to `says`.
 */
export async function carryOut(
  asked: Tried,
  { about, says, restsOn }: Plan,
  act: () => Promise<readonly Said[]>,
): Promise<Told> {
  const shown = says.filter((one) => one !== '');
  const seen = digest([...restsOn, ...shown.filter((one) => typeof one !== 'string')]);
  const told = { ...(about !== undefined && { about }), says: shown, seen };
  if (asked['dry-run']) return { ...told, outcome: 'tried' };
  if (asked.seen !== undefined && asked.seen !== seen) return { ...told, outcome: 'changed' };
  return { ...told, outcome: 'done', says: [...shown, ...(await act())] };
}

function digest(facts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('base64url');
}

/** Carries out an act about a registration, and then asks the worker to do what is due. */
export function carryOutFor(
  context: ActContext,
  record: RegistrationRecord,
  asked: Asked,
  { says, settles }: { says: readonly Said[]; settles?: unknown },
  act: (register: Payments) => Promise<readonly Said[]> | Promise<void>,
): Promise<Told> {
  const about = [record.id, nameOf(record.registrant)].filter(Boolean).join(', ');
  // A note or an answer changes nothing that another act rests on: what was shown of that before still holds.
  const { edition: _, notes: __, answers: ___, healthActs: ____, ...facts } = record;
  const restsOn = [facts, settles];
  return carryOut(asked, { about, says, restsOn }, async () => {
    const done = (await act(await context.openRecord())) ?? [];
    const notAsked = 'The site could not be asked to look: the list of registrations shows it later.';
    return [...done, recordedFor(asked.by), ...(await askWorker(context, notAsked))];
  });
}

/** Asks the worker to do what is due now. Returns `notAsked` if that failed. */
export async function askWorker(context: ActContext, notAsked: string): Promise<string[]> {
  return context.askForDueWork().then(
    () => [],
    () => [notAsked],
  );
}

/** The sentence with the name under which an act is recorded. */
export const recordedFor = (name: string): string => `Recorded for ${name}.`;

/** Why the state of a registration does not allow this decision now; undefined if it does. */
export function whyNotDecided(record: RegistrationRecord, kind: DecisionKind, now: Date): string | undefined {
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
  twoPeople: 'nobody with this name and address had paid for a place before',
  waived: 'this is decided after the deposit is paid or a place is held, while she has not cancelled',
  held: 'a place is held for somebody who has not paid the deposit',
};

function whenDecided(record: RegistrationRecord, kind: DecisionKind, now: Date): string {
  const { secondOf, decisions } = record;
  if (secondOf !== undefined && !decisions.cancel)
    return 'it is a second payment, which is given back whole unless it is somebody else’s';
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
