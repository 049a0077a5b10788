import { timingOfBalance } from '#shared/content/moments.ts';
import { addressDigest } from './address-digest.ts';
import { isLost, isUnreachable } from './bounce-mark.ts';
import { workedOffFrom } from './cancel-plan.ts';
import { besideBalance } from './decisions.ts';
import { MOST_TRIES } from './declines.ts';
import { balanceOfRecord, type RegistrationRecord, refundedCentsOf } from './registration-record.ts';
import {
  chargeMomentOf,
  lastDecline,
  nextTryAt,
  owingStates,
  type RegistrationState,
  stateOf,
} from './registration-state.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Between the notice and the charge she has so much time to cancel, or to pay otherwise. */
export const NOTICE_MS = 3 * DAY_MS;

/** While she may be paying on her page, nothing is charged beside it. */
const PAYING_MS = 30 * MINUTE_MS;
/** So long after a charge fell due she can keep it back by paying, however often she begins. */
const MOST_KEPT_BACK_MS = DAY_MS;

/** Why her card is not going to be charged without her: she is asked to pay, or the office is told. */
export type ChargeObstacle =
  /** The retreat is over. */
  | 'over'
  | 'disputed'
  /** Her deposit was given back whole, without a cancelling on record. */
  | 'deposit-refunded'
  /** She pays by check. */
  | 'check'
  /** A letter to her address bounced: nothing that she should know before reaches her. */
  | 'unreachable'
  /** No terms that she agreed to are on record, or they do not speak of a charge at that moment. */
  | 'no-consent'
  /** It would be due after the retreat. */
  | 'too-late'
  /** There is no card on file. */
  | 'no-card'
  /** No letter reached her in time that told the moment and the sum. */
  | 'no-notice';

/**
 * What keeps the site from charging what a registrant owes, now or at the later moment at which it is due; undefined if
 * nothing does. A card that was refused is another matter, see `isCardSpent`.
 */
export function chargeObstacle(record: RegistrationRecord, now: Date): ChargeObstacle | undefined {
  const endsAt = new Date(record.edition.facts.endsAt);
  const dueAt = chargeMomentOf(record);
  if (now >= endsAt) return 'over';
  if (record.disputed) return 'disputed';
  if (isDepositBack(record)) return 'deposit-refunded';
  if (record.decisions.check) return 'check';
  if (isUnreachable(record)) return 'unreachable';
  if (!isChargeAgreed(record)) return 'no-consent';
  if (dueAt >= endsAt) return 'too-late';
  if (!record.card) return 'no-card';
  const canBeTold = now.getTime() < dueAt.getTime() - NOTICE_MS;
  return canBeTold || isNoticed(record) ? undefined : 'no-notice';
}

/** Whether her deposit was given back whole, or her bank took any of it back. It says nothing once the balance is paid. */
export function isDepositBack(record: RegistrationRecord): boolean {
  const { deposit: lostCents = 0 } = record.decisions.disputeOver?.lost ?? {};
  if (lostCents > 0) return true;
  return record.depositCents > 0 && refundedCentsOf(record, 'deposit') >= record.depositCents;
}

/** Whether the terms that she agreed to speak of this charge: those of who paid late, if they say of that what the present ones say. */
function isChargeAgreed({ agreement, edition, paidAt, begunAt }: RegistrationRecord): boolean {
  if (!agreement) return false;
  const timing = timingOfBalance(edition.facts, paidAt ?? begunAt);
  return timing === 'on-due-day' || edition.lateTerms.includes(agreement.version);
}

/**
 * Whether a letter told her, at her present address and early enough, of the charge as it is due now. What she was told
 * before a decision was withdrawn does not count: meanwhile she was told otherwise. Nor does what was sent before her
 * address was corrected, even if it is the same again, or was said to work again.
 */
export function isNoticed(record: RegistrationRecord): boolean {
  const { noticed, bounced, registrant, decisions, corrections } = record;
  const dueAt = chargeMomentOf(record);
  if (!noticed || noticed.to !== addressDigest(registrant.email) || isLost(noticed, bounced)) return false;
  // That it bounced is on record of one address only, the last one.
  if (corrections.email && noticed.at < corrections.email.at) return false;
  const withdrawn = decisions.withdrawn.filter(({ kind }) => !besideBalance.includes(kind));
  if (withdrawn.some(({ at }) => at >= noticed.at)) return false;
  return (
    noticed.dueAt.getTime() === dueAt.getTime() &&
    noticed.cents >= balanceOfRecord(record).byCardCents &&
    noticed.at.getTime() <= dueAt.getTime() - NOTICE_MS
  );
}

/** Why the balance is not charged now, without her. */
export type ChargeStop =
  | ChargeObstacle
  /** It is not due, or not yet, or it is settled. */
  | 'not-due'
  /** She may be paying on her page at this moment. */
  | 'paying'
  /** The card on file was refused, and is not tried again yet, or ever. */
  | 'declined';

/** What keeps the balance from being charged now, without her; undefined when it is to be charged. */
export function chargeStop(record: RegistrationRecord, now: Date): ChargeStop | undefined {
  if (!isOverdue(record, now)) return 'not-due';
  const obstacle = chargeObstacle(record, now);
  if (obstacle) return obstacle;
  if (now < keptBackUntil(record)) return 'paying';
  return isTryDue(record, now) ? undefined : 'declined';
}

/** Whether the moment of the balance has come, and it is still to be paid. */
function isOverdue(record: RegistrationRecord, now: Date): boolean {
  return OVERDUE_STATES.includes(stateOf(record, now)) && now >= chargeMomentOf(record);
}

const OVERDUE_STATES: readonly RegistrationState[] = ['due', 'retrying', 'action-needed'];

/** Whether she may be paying on her page at this moment. */
export function isPaying(record: RegistrationRecord, now: Date): boolean {
  return now < payingUntil(record);
}

function payingUntil({ balance }: RegistrationRecord): Date {
  return balance?.payingSince ? new Date(balance.payingSince.getTime() + PAYING_MS) : new Date(0);
}

/** Until when nothing is charged because she may be paying: a moment long past where she is not. */
export function keptBackUntil(record: RegistrationRecord): Date {
  const dueAt = nextTryAt(record) ?? chargeMomentOf(record);
  return new Date(Math.min(payingUntil(record).getTime(), dueAt.getTime() + MOST_KEPT_BACK_MS));
}

/** For the first time, again after a decline, with a card that she gave since, or because a try did not come to its end. */
function isTryDue(record: RegistrationRecord, now: Date): boolean {
  const { balance } = record;
  if (!balance?.decline || balance.decline.try < balance.tries) return true;
  if (balance.tries >= MOST_TRIES) return false;
  if (!lastDecline(record)) return true;
  const next = nextTryAt(record);
  return next !== undefined && now >= next;
}

/**
 * The next moment at which time alone makes something due for a registration: a letter about the balance, its charge, a
 * try again, or what follows a cancelling. Undefined where there is nothing to wait for.
 */
export function nextMomentOf(record: RegistrationRecord, now: Date): Date | undefined {
  const state = stateOf(record, now);
  if (state === 'cancelling') return earliestAfter(now, [workedOffFrom(record)]);
  if (!owingStates.includes(state)) return undefined;
  const dueAt = chargeMomentOf(record);
  const { noticeMs, reminderMs } = tellingTimes(record);
  const moments = [dueAt, nextTryAt(record), keptBackUntil(record), new Date(record.edition.facts.endsAt)];
  for (const ms of [noticeMs, reminderMs]) moments.push(new Date(dueAt.getTime() - ms));
  return earliestAfter(now, moments);
}

function earliestAfter(now: Date, moments: readonly (Date | undefined)[]): Date | undefined {
  return moments
    .filter((moment) => moment !== undefined && moment > now)
    .toSorted((one, other) => Number(one) - Number(other))
    .at(0);
}

/** How long before the charge the notice goes out, and the reminder. */
export function tellingTimes({ edition }: RegistrationRecord): { noticeMs: number; reminderMs: number } {
  const { noticeAt, reminderAt, chargeAt } = edition.facts.balance;
  const before = (at: string) => Date.parse(chargeAt) - Date.parse(at);
  return { noticeMs: before(noticeAt), reminderMs: before(reminderAt) };
}
