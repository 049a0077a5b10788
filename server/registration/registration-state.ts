import { balanceDueAt } from '#shared/content/moments.ts';
import { type BalanceDecline, MOST_TRIES } from './balance-payment.ts';
import { isLost } from './bounces.ts';
import { balanceTermsOf } from './card-on-file.ts';
import type { Decision } from './decisions.ts';
import { freeSurplus, isPaidByCard, leftOf, rowOf, sumOfCents, sumOfFees, toLeave } from './ledger.ts';
import { BALANCE } from './ledger-of-acts.ts';
import { leftToPay, nextRow, notAskedOfDeposit } from './owed.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** The states of a registration, in the order in which it usually passes through them. */
export const registrationStates = [
  /** Its deposit is not paid yet. */
  'begun',
  /** The office holds a place for her until a day, by which she pays the deposit. */
  'held',
  /** It was left unpaid for two days, or until her place was held no longer. */
  'lapsed',
  /** Its deposit was cancelled unpaid. */
  'closed',
  /** The deposit is paid. */
  'registered',
  /** She was notified when and how much she will be charged. */
  'noticed',
  /** The charge of the balance is postponed to a moment that is still ahead. */
  'postponed',
  /** The balance is due and unpaid. */
  'due',
  /** Her card was declined, and will be retried. */
  'retrying',
  /** She has to confirm the payment herself, or to give another card. */
  'action-needed',
  /** Paid by card or check, or waived: nothing is left to pay. */
  'settled',
  /** She cancelled; the worker has not carried it out yet. */
  'cancelling',
  /** The cancellation is carried out, and the result of the refund is not known from Stripe yet. */
  'cancelled',
  'refund-pending',
  'refund-failed',
  'refunded',
  /** She cancelled, and by the policy nothing is refunded. */
  'nothing-back',
] as const;
export type RegistrationState = (typeof registrationStates)[number];

/** The states in which the balance, or a part of it, is still to be paid. */
export const owingStates: readonly RegistrationState[] = registrationStates.slice(
  registrationStates.indexOf('registered'),
  registrationStates.indexOf('settled'),
);

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a place that the office holds is free again: a day after the one until which she was asked to pay. */
export function heldEnd({ until }: Decision<'held'>): Date {
  return new Date(until.getTime() + DAY_MS);
}

/** A registration that is left unpaid for this long has lapsed. */
export const LAPSED_AFTER_MS = 2 * DAY_MS;

/** Never stored: it follows from what is on record and the time. A dispute is independent of it. */
export function stateOf(record: RegistrationRecord, now: Date): RegistrationState {
  const { deposit, cancelled, decisions, balance } = record;
  if (deposit === 'closed') return 'closed';
  if (deposit === 'unpaid' && decisions.held) return now < heldEnd(decisions.held) ? 'held' : 'lapsed';
  if (deposit === 'unpaid')
    return now.getTime() - record.begunAt.getTime() < LAPSED_AFTER_MS ? 'begun' : 'lapsed';
  if (cancelled) return stateOfRefund(record, cancelled);
  if (decisions.cancel) return 'cancelling';
  if (isSettled(record)) return 'settled';
  if (!record.part && decisions.postponed && now < decisions.postponed.until) return 'postponed';
  if (needsAction(record)) return 'action-needed';
  if (balance && balance.tries > 0) return 'retrying';
  if (now >= chargeMomentOf(record)) return 'due';
  const { noticed, bounced } = record;
  return noticed && !isLost(noticed, bounced) ? 'noticed' : 'registered';
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

/**
 * What the office still has to send her by check, in US cents: what is ordered so, and, unless a cancellation decides that,
 * what she has paid beyond what she owes.
 */
export function owedByCheck({ ledger, context }: RegistrationRecord): number {
  const ordered = toLeave(ledger).filter(({ way }) => way === 'check');
  const surplus = context.cancelled ? 0 : Math.max(0, freeSurplus(ledger));
  return sumOfCents(ordered) + sumOfFees(ordered) + surplus;
}

/** What she has paid beyond what she owes and is not ordered to leave, in US cents; what a cancellation orders is none. */
export function surplusLeft({ ledger, context }: RegistrationRecord): number {
  return context.cancelled ? 0 : Math.max(0, freeSurplus(ledger));
}

/** Whether she owes nothing: she cancelled, or nothing is left to pay. */
export function owesNothing(record: RegistrationRecord): boolean {
  const { cancelled, decisions } = record;
  return cancelled !== undefined || decisions.cancel !== undefined || isSettled(record);
}

/** Whether nothing is left to pay; of a part of her plan: nothing of this part. */
function isSettled(record: RegistrationRecord): boolean {
  const { part, ledger } = record;
  return part ? leftOf(ledger, part.number + BALANCE) === 0 : leftToPay(record).beforeFeeCents === 0;
}

/** Whether only she can continue, because her card is not retried. */
function needsAction(record: RegistrationRecord): boolean {
  const { tries = 0, decline } = record.balance ?? {};
  return isCardSpent(record) || (decline?.try === tries && tries >= MOST_TRIES);
}

/** Whether an off-session try of the card was begun, and its result is not recorded yet. */
export function isTryUnderWay({ balance }: RegistrationRecord): boolean {
  return balance !== undefined && balance.tries > (balance.decline?.try ?? 0);
}

/**
 * How the last try of the card on file failed; undefined while a try is in progress, and if she gave another
 * card since. The ids are compared too: she may have changed the card while the old one was being tried.
 */
export function lastDecline(record: RegistrationRecord): BalanceDecline | undefined {
  const { balance, otherBalances, card, handedOver } = record;
  const isOfCard = ({ at, card: id }: BalanceDecline) =>
    // Before that it was the card of who had the place.
    !(handedOver && at < handedOver.at) && !(card && (card.id !== id || card.since > at));
  // What was refused for good with another part of her plan is not tried with this one.
  const refused = otherBalances.flatMap(({ decline }) => (decline?.final ? decline : [])).find(isOfCard);
  const decline = balance?.decline;
  if (!decline) return isTryUnderWay(record) ? undefined : refused;
  return decline.try === balance.tries && isOfCard(decline) ? decline : undefined;
}

/**
 * After a decline: when the same card is retried, by plan or by decision of the office; undefined if it is
 * not.
 */
export function nextTryAt(record: RegistrationRecord): Date | undefined {
  const decline = lastDecline(record);
  if (!decline || decline.final || decline.try >= MOST_TRIES) return undefined;
  return newRoundAt(record, decline) ?? decline.next;
}

/** When a new round of tries of the same card begins, if the office decided so after a decline. */
export function newRoundAt(
  { decisions, part }: RegistrationRecord,
  { at }: BalanceDecline,
): Date | undefined {
  const { charge, postponed, plan } = decisions;
  const rounds = [
    ...(charge ? [{ decidedAt: charge.at, begins: charge.at }] : []),
    ...(postponed && !part ? [{ decidedAt: postponed.at, begins: postponed.until }] : []),
    ...(plan && part && part.dueAt > at ? [{ decidedAt: plan.at, begins: part.dueAt }] : []),
  ];
  return rounds
    .filter(({ decidedAt }) => decidedAt > at)
    .toSorted((one, other) => other.decidedAt.getTime() - one.decidedAt.getTime())
    .at(0)?.begins;
}

/** Whether the card on file is not retried any more: she must give another card, or pay on her page. */
export function isCardSpent(record: RegistrationRecord): boolean {
  return lastDecline(record) !== undefined && nextTryAt(record) === undefined;
}

/**
 * When the balance of a paid registration is due: a part of a plan at its own time; else at the time to which the office postponed it; else at the due time that
 * she agreed to, or a fixed number of days after the deposit where that was paid shortly before the due time or later.
 */
export function chargeMomentOf(record: RegistrationRecord): Date {
  const { paidAt, begunAt } = record;
  return nextRow(record)?.dueAt ?? balanceDueAt(balanceTermsOf(record), paidAt ?? begunAt);
}

/**
 * Whether her deposit was refunded in full, or her bank took any of it back; while she disputes it, that is not decided.
 */
export function isDepositBack(record: RegistrationRecord): boolean {
  const { ledger, disputed } = record;
  const isOpenAgain = !disputed && isPaidByCard(ledger, 0) && leftOf(ledger, 0) > 0;
  return isOpenAgain || isDepositGivenBack(record);
}

/** Whether all of her deposit is gone with its fee, but not by a scholarship, with which she keeps her place. */
function isDepositGivenBack(record: RegistrationRecord): boolean {
  const { ledger, context, depositCents } = record;
  if (depositCents === 0 || context.cancelled || notAskedOfDeposit(record) > 0) return false;
  const moved = ledger.entries.filter(({ number }) => number === 0);
  return rowOf(ledger, 0)?.cents === 0 && sumOfCents(moved) + sumOfFees(moved) === 0;
}

/**
 * Whether somebody is going to attend by this registration: she paid, has not cancelled, and her deposit was not
 * refunded. The room on her page, the recordings, and the letters about both depend on it.
 */
export function hasPlace(record: RegistrationRecord): boolean {
  const { deposit, decisions, cancelled } = record;
  const isAttending = deposit === 'paid' && !decisions.cancel && !cancelled;
  return isAttending && !isDepositBack(record);
}

/** Whether she has a page of her own: she has paid, or the office holds or held a place for her. */
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

/** Whether she can answer the questions of her edition, and change her answers. */
export function canAnswer(record: RegistrationRecord, now: Date): boolean {
  const { questions } = record.edition;
  return questions !== undefined && now < new Date(questions.editableUntil) && hasPlace(record);
}
