import type { LaterMailKind } from '#server/mail/job.ts';
import { expiryOf } from './card-on-file.ts';
import { chargeObstacle, isNoticed, isPaying, NOTICE_MS, tellingTimes } from './charge-plan.ts';
import { balanceNeutralKinds } from './decisions.ts';
import { reasonOfDecline } from './decline-reason.ts';
import {
  chargeOf,
  dueAtOf,
  factsOf,
  type LetterAt,
  paidBalanceOf,
  refundsOf,
  sumsOf,
} from './letter-facts.ts';
import type { RegistrationRecord } from './registration-record.ts';
import {
  chargeMomentOf,
  isCardSpent,
  lastDecline,
  nextTryAt,
  owingStates,
  stateOf,
} from './registration-state.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * Time allowed from checking that a notice is due to recording that the mail server took it; with less, it is
 * not sent.
 */
const SENDING_MS = 5 * MINUTE_MS;
/** A reminder that comes sooner after the notice is of no use to her. */
const NOTICE_ALONE_MS = DAY_MS;
/** How long before the charge she is told that her card expires. */
export const CARD_EXPIRY_MS = 30 * DAY_MS;

/**
 * When each letter about the balance is true, and what it says then. None is true for a cancelled
 * registration; only the receipt is true if the balance is paid, a charge is disputed, the deposit was
 * refunded, or the retreat is over.
 */
export const balanceLetters = {
  /**
   * From the edition's notice time on, or at once if that is past, until it would be too late to charge her
   * card.
   */
  'balance-notice'(record, now) {
    if (record.decisions.postponed || !isToldInTime(record, now)) return undefined;
    const { noticeMs } = tellingTimes(record);
    return msUntilDue(record, now) <= noticeMs
      ? { kind: 'balance-notice', ...factsOf(record), ...chargeOf(record, now) }
      : undefined;
  },

  /**
   * From the edition's reminder time on until the charge, if the notice came at least a day before the
   * reminder.
   */
  'balance-reminder'(record, now) {
    const { noticed } = record;
    const { reminderMs } = tellingTimes(record);
    const dueAt = chargeMomentOf(record);
    const untilDue = msUntilDue(record, now);
    if (!noticed || !isNoticed(record) || untilDue <= 0 || untilDue > reminderMs) return undefined;
    if (noticed.at.getTime() > dueAt.getTime() - reminderMs - NOTICE_ALONE_MS) return undefined;
    return isToBeCharged(record, now)
      ? { kind: 'balance-reminder', ...factsOf(record), ...chargeOf(record, now) }
      : undefined;
  },

  /** At once, until it would be too late to charge her card at the new time. */
  'balance-postponed'(record, now) {
    if (!record.decisions.postponed || !isToldInTime(record, now)) return undefined;
    return { kind: 'balance-postponed', ...factsOf(record), ...chargeOf(record, now) };
  },

  /** For a month before the charge, if her card will have expired by then. */
  'card-expires'(record, now) {
    const { card } = record;
    const untilDue = msUntilDue(record, now);
    if (!card || expiryOf(card) >= chargeMomentOf(record)) return undefined;
    if (untilDue <= 0 || untilDue > CARD_EXPIRY_MS || !isToBeCharged(record, now)) return undefined;
    const { since: _, ...shown } = card;
    return { kind: 'card-expires', ...factsOf(record), ...sumsOf(record), ...dueAtOf(record), card: shown };
  },

  /**
   * Where her card is not charged automatically: without consent or without a card, from the notice time on;
   * where the charge would be due only after the retreat, at once; without a timely notice, once the balance
   * is due.
   */
  'please-pay'(record, now) {
    if (!owes(record, now) || isPaying(record, now)) return undefined;
    const why = chargeObstacle(record, now);
    const untilDue = msUntilDue(record, now);
    const isAsked =
      why === 'too-late' ||
      ((why === 'no-consent' || why === 'no-card') && untilDue <= tellingTimes(record).noticeMs) ||
      (why === 'no-notice' && untilDue <= 0);
    if (!isAsked) return undefined;
    return {
      kind: 'please-pay',
      ...factsOf(record),
      ...sumsOf(record),
      ...refundsOf(record, now),
      ...dueAtOf(record),
      ...(untilDue > 0 && why !== 'too-late' && { payBy: chargeMomentOf(record).toISOString() }),
      ...changedOf(record),
    };
  },

  /** When the card on file was declined: while a retry is planned, and again once none is. */
  'balance-failed'(record, now) {
    const { card } = record;
    const decline = lastDecline(record);
    const next = nextTryAt(record);
    if (!card || !decline || msUntilDue(record, now) > 0) return undefined;
    if (!isChargeable(record, now) || isPaying(record, now)) return undefined;
    // A retry is imminent: the letter reports its result.
    if (next && next <= now) return undefined;
    return {
      kind: 'balance-failed',
      ...factsOf(record),
      ...sumsOf(record),
      triedBefore: decline.try - decline.step,
      stage: next ? 'first' : 'last',
      ...(next && { nextAt: next.toISOString() }),
      reason: reasonOfDecline(decline.code),
      card: { id: card.id, brand: card.brand, last4: card.last4 },
    };
  },

  /** Once it is paid, by card or check. */
  'balance-paid'(record, now) {
    if (stateOf(record, now) !== 'settled') return undefined;
    const { paidAt, depositCents, depositCard, decisions } = record;
    const balance = paidBalanceOf(record);
    if (!balance || !paidAt) return undefined;
    return {
      kind: 'balance-paid',
      ...factsOf(record),
      deposit: {
        cents: depositCents,
        paidAt: paidAt.toISOString(),
        ...(depositCard && { card: depositCard }),
      },
      balance,
      waivedCents: decisions.waived?.cents ?? 0,
    };
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

/**
 * Whether the balance is still ahead as agreed with the deposit: charged to the card that paid it, or
 * requested.
 */
export function isBalanceAhead(record: RegistrationRecord, now: Date): boolean {
  const { decisions, card, paidAt } = record;
  const { waived, postponed } = decisions;
  if (!owes(record, now) || waived || postponed || msUntilDue(record, now) <= 0) return false;
  const obstacle = chargeObstacle(record, now);
  if (obstacle !== undefined) return obstacle === 'no-consent' || obstacle === 'too-late';
  const isSameCard = card !== undefined && paidAt !== undefined && card.since <= paidAt;
  return isSameCard && expiryOf(card) >= chargeMomentOf(record);
}

function owes(record: RegistrationRecord, now: Date): boolean {
  return owingStates.includes(stateOf(record, now));
}

/** When a decision about the balance was last withdrawn. */
function changedOf({ decisions }: RegistrationRecord): { changedAt?: string } {
  const withdrawn = decisions.withdrawn.filter(({ kind }) => !balanceNeutralKinds.includes(kind));
  const last = withdrawn.toSorted((one, other) => one.at.getTime() - other.at.getTime()).at(-1);
  return last ? { changedAt: last.at.toISOString() } : {};
}

/** Whether her card is charged automatically, now or later. */
function isToBeCharged(record: RegistrationRecord, now: Date): boolean {
  return isChargeable(record, now) && !isCardSpent(record);
}

/** The same, whichever card she gives. */
function isChargeable(record: RegistrationRecord, now: Date): boolean {
  return owes(record, now) && chargeObstacle(record, now) === undefined;
}

/** Whether a letter that is sent now still comes early enough before the charge that it announces. */
function isToldInTime(record: RegistrationRecord, now: Date): boolean {
  return isToBeCharged(record, now) && msUntilDue(record, now) > NOTICE_MS + SENDING_MS;
}

function msUntilDue(record: RegistrationRecord, now: Date): number {
  return chargeMomentOf(record).getTime() - now.getTime();
}
