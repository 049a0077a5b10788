import { nextInstallment, owedByCheck, owes } from './balance.ts';
import { MOST_TRIES } from './cards.ts';
import { isCardSpent } from './charges.ts';
import type { Decision } from './decisions.ts';
import { isDepositBack, isDepositGivenBack } from './deposit.ts';
import { isLost } from './her-letters.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** The states of a registration, in the order in which it usually passes through them. */
export const registrationStates = [
  'begun',
  /** The office holds a place for her until a day, by which she pays the deposit. */
  'held',
  /** It was left unpaid for two days, or until her place was held no longer. */
  'lapsed',
  'closed',
  'registered',
  'noticed',
  /** The charge of the balance is postponed to a moment that is still ahead. */
  'postponed',
  'due',
  'retrying',
  /** She has to confirm the payment herself, or to give another card. */
  'action-needed',
  'settled',
  'cancelling',
  /** The cancellation is carried out, and the result of the refund is not known from Stripe yet. */
  'cancelled',
  'refund-pending',
  'refund-failed',
  'refunded',
  'nothing-back',
] as const;
export type RegistrationState = (typeof registrationStates)[number];

export const owingStates: readonly RegistrationState[] = registrationStates.slice(
  registrationStates.indexOf('registered'),
  registrationStates.indexOf('settled'),
);

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a place that the office holds is free again: a day after the one until which she was asked to pay. */
export function heldEnd({ until }: Decision<'held'>): Date {
  return new Date(until.getTime() + DAY_MS);
}

export const LAPSED_AFTER_MS = 2 * DAY_MS;

/** Never stored: it follows from what is on record and the time. A dispute is independent of it. */
export function stateOf(record: RegistrationRecord, now: Date): RegistrationState {
  const { deposit, cancelled, decisions, begunAt } = record;
  if (deposit === 'closed') return 'closed';
  if (deposit === 'unpaid' && decisions.held) return now < heldEnd(decisions.held) ? 'held' : 'lapsed';
  if (deposit === 'unpaid') return now.getTime() - begunAt.getTime() < LAPSED_AFTER_MS ? 'begun' : 'lapsed';
  if (cancelled) return stateOfRefund(record, cancelled);
  if (decisions.cancel) return 'cancelling';
  return owes(record) ? stateOfNext(record, now) : 'settled';
}

function stateOfNext(record: RegistrationRecord, now: Date): RegistrationState {
  const { decisions, bounced } = record;
  const next = nextInstallment(record);
  if (!next.part && decisions.postponed && now < decisions.postponed.until) return 'postponed';
  const isTriedOut = next.decline?.try === next.tries && next.tries >= MOST_TRIES;
  if (isTriedOut || isCardSpent(record, next)) return 'action-needed';
  if (next.tries > 0) return record.card ? 'retrying' : 'action-needed';
  if (now >= next.dueAt) return 'due';
  return next.noticed && !isLost(next.noticed, bounced) ? 'noticed' : 'registered';
}

function stateOfRefund(
  record: RegistrationRecord,
  { cents, checkCents, refund }: NonNullable<RegistrationRecord['cancelled']>,
): RegistrationState {
  if (cents + checkCents === 0) return 'nothing-back';
  if (owedByCheck(record) > 0) return refund === 'failed' ? 'refund-failed' : 'refund-pending';
  if (cents === 0 || refund === 'failed') return 'refunded';
  if (refund === undefined) return 'cancelled';
  return refund === 'succeeded' ? 'refunded' : 'refund-pending';
}

/** Whether she is going to attend: she paid, has not cancelled, and has not got her deposit back. */
export function hasPlace(record: RegistrationRecord): boolean {
  const { deposit, decisions, cancelled } = record;
  const isAttending = deposit === 'paid' && !decisions.cancel && !cancelled;
  return isAttending && !isDepositBack(record);
}

export function hasOwnPage({ deposit, decisions, forgottenAt }: RegistrationRecord): boolean {
  const isHers = deposit === 'paid' || (deposit === 'unpaid' && decisions.held !== undefined);
  return isHers && forgottenAt === undefined;
}

/** Until her cancellation is carried out or her whole deposit was refunded; `open` is not decided. */
export function placeOf(record: RegistrationRecord): 'taken' | 'free' | 'open' {
  if (record.deposit === 'unpaid') return 'open';
  const isFree = record.deposit === 'closed' || record.cancelled || isDepositGivenBack(record);
  return isFree ? 'free' : 'taken';
}

export function canAnswer(record: RegistrationRecord, now: Date): boolean {
  const { questions } = record.edition;
  return questions !== undefined && now < new Date(questions.editableUntil) && hasPlace(record);
}
