import { balanceDueAt } from '#shared/content/moments.ts';
import type {
  CardToCharge,
  HandOverShown,
  HeldState,
  OwnPagePart,
  OwnPagePlan,
  OwnPageRefund,
  OwnPageState,
} from '#shared/content/own-page-view.ts';
import { handOverStop, pendingHandOver } from './allowed.ts';
import { type Installment, installmentsOf, leftToPay, nextInstallment, owes } from './balance.ts';
import { cancelState, refundOf } from './cancelling.ts';
import { balanceTermsOf, expiryOf, MOST_TRIES, reasonOfDecline } from './cards.ts';
import {
  type ChargeObstacle,
  chargeHeldUntil,
  chargeObstacle,
  isCardSpent,
  isMissed,
  isPlanAgreed,
  isTryUnderWay,
  lastDecline,
  nextTryAt,
} from './charges.ts';
import type { Decision } from './decisions.ts';
import { canPayDeposit, depositByCardOf, depositLeftOf } from './deposit.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { stateOf } from './registration-state.ts';
import { nameOf } from './registrations.ts';

/** Only the office sees a registration that has no page. */
export type SummaryState = OwnPageState | { kind: 'begun' } | { kind: 'lapsed' } | { kind: 'closed' };

export interface Summary {
  state: SummaryState;
  /** Why her card is not charged for what she owes. */
  obstacle?: ChargeObstacle | undefined;
  plan?: OwnPagePlan | undefined;
  handOver?: HandOverShown | undefined;
  /** Until when she can name somebody who is to have her place; absent where she cannot. */
  canHandOverUntil?: Date | undefined;
  card?: CardToCharge | undefined;
  /** What comes back if she cancels now; absent if she cannot do so herself. */
  offer?: OwnPageRefund | undefined;
}

/** The one description of a registration: her page and the office put it in words. */
export function summary(record: RegistrationRecord, now: Date): Summary {
  const isOver = now >= new Date(record.edition.facts.endsAt);
  const next = owes(record) ? nextInstallment(record) : undefined;
  const obstacle = next && chargeObstacle(record, now, next);
  const state = next ? stateOfNext(record, now, next, obstacle) : stateWithoutDebt(record, now);
  const canCancel = (next !== undefined || state.kind === 'settled') && !isOver && !record.disputed;
  return {
    state,
    obstacle,
    plan: next && !isOver ? planOf(record, now, next) : undefined,
    handOver: handOverOf(record, now),
    canHandOverUntil:
      handOverStop(record, now) === undefined && !pendingHandOver(record, now)
        ? new Date(record.edition.facts.handOverUntil ?? now)
        : undefined,
    // One that she gave for a held place pays the deposit by her press, and the balance later.
    card: isOver
      ? undefined
      : cardOf(record, now, next?.dueAt ?? (state.kind === 'held' ? state.balance.dueAt : undefined)),
    offer: canCancel ? refundOf(record, now) : undefined,
  };
}

function stateWithoutDebt(record: RegistrationRecord, now: Date): SummaryState {
  const state = stateOf(record, now);
  const { held } = record.decisions;
  if (record.deposit === 'unpaid' && held) return heldState(record, held, now);
  if (state === 'begun' || state === 'lapsed' || state === 'closed') return { kind: state };
  return cancelState(record, now) ?? { kind: 'settled' };
}

function heldState(record: RegistrationRecord, { way, until }: Decision<'held'>, now: Date): HeldState {
  const { isProcessing } = record;
  const isOver = stateOf(record, now) !== 'held';
  return {
    kind: 'held',
    cents: depositByCardOf(record),
    beforeFeeCents: depositLeftOf(record),
    way,
    until,
    isOver,
    isPayable: !isOver && !isProcessing && canPayDeposit(record),
    isProcessing,
    balance: {
      cents: nextInstallment(record).left.byCardCents,
      dueAt: balanceDueAt(balanceTermsOf(record), now),
    },
    receivedCents: record.received.counting.reduce((sum, { cents }) => sum + cents, 0),
  };
}

function stateOfNext(
  record: RegistrationRecord,
  now: Date,
  next: Installment,
  obstacle: ChargeObstacle | undefined,
): OwnPageState {
  const { dueAt, part, left } = next;
  const { byCardCents: cents, beforeFeeCents } = left;
  if (obstacle === 'processing') return { kind: 'processing' };
  if (obstacle === 'over') return { kind: 'over', cents: leftToPay(record).byCardCents };
  const payBy = dueAt < new Date(record.edition.facts.endsAt) ? { payBy: dueAt } : {};
  if (obstacle === 'check') return { kind: 'by-check', cents: beforeFeeCents, ...payBy };
  if (obstacle === 'plan-paused' || obstacle === 'paid-twice') return { kind: 'to-pay', cents };
  const decline = lastDecline(record, next) ?? next.decline;
  const reason = decline ? reasonOfDecline(decline.code) : 'declined';
  if (stateOf(record, now) === 'action-needed' || isCardSpent(record, next))
    return { kind: 'action-needed', cents, reason, newCard: newCardOf(now, next, obstacle) };
  if (obstacle) return { kind: 'to-pay', cents, ...payBy };
  if (now < dueAt) {
    const wasPostponed = record.decisions.postponed !== undefined && !part;
    return { kind: 'charged-later', cents, dueAt, wasPostponed };
  }
  const nextAt = nextTryAt(record, next);
  if (nextAt && now < nextAt) return { kind: 'retrying', cents, reason, nextAt };
  const chargedAt = chargeHeldUntil(record, next);
  return now < chargedAt && !isTryUnderWay(next)
    ? { kind: 'to-pay', cents, ...payBy, chargedAt }
    : { kind: 'being-charged', cents };
}

/** When another card would be charged in place of one that was refused for good; undefined where it would not. */
function newCardOf(now: Date, { tries, dueAt }: Installment, obstacle: ChargeObstacle | undefined) {
  if (obstacle || tries >= MOST_TRIES) return undefined;
  return now < dueAt ? 'when-due' : 'at-once';
}

function planOf(record: RegistrationRecord, now: Date, { part }: Installment): OwnPagePlan | undefined {
  const { plan, planAgreed } = record.decisions;
  if (!plan || !part) return undefined;
  const agreedOn = isPlanAgreed(record) ? (planAgreed?.on ?? planAgreed?.at) : undefined;
  return {
    parts: partsIn(record, plan, now),
    ...(agreedOn && { agreedOn }),
    isPaused: plan.paused === true,
    decidedAt: plan.at,
  };
}

function partsIn(record: RegistrationRecord, plan: Decision<'plan'>, now: Date): OwnPagePart[] {
  const shown: OwnPagePart[] = [];
  for (const one of installmentsOf(record)) {
    const { part, payment, dueAt, left } = one;
    if (!part) continue;
    const { byCardCents: cents, beforeFeeCents } = left;
    const base = { ...part, dueAt, cents, beforeFeeCents };
    if (payment?.status === 'paid')
      shown.push({ ...base, cents: payment.cents, beforeFeeCents: payment.beforeFeeCents, state: 'paid' });
    else if (beforeFeeCents === 0) {
      // A check or a transfer has paid it, or it is not asked of her any more.
      const { cents: planned = 0 } = plan.parts.find(({ number }) => number === one.number) ?? {};
      shown.push({ ...base, cents: planned, beforeFeeCents: planned, state: 'paid' });
    } else if (isMissed(record, one, now)) shown.push({ ...base, state: 'open' });
    else shown.push({ ...base, state: shown.some(({ state }) => state === 'next') ? 'later' : 'next' });
  }
  return shown;
}

function handOverOf(record: RegistrationRecord, now: Date): HandOverShown | undefined {
  const pending = pendingHandOver(record, now);
  if (!pending) return undefined;
  const { email, at: decidedAt, agreedAt, until } = pending;
  return { name: nameOf(pending), email, isAgreed: agreedAt !== undefined, decidedAt, until };
}

function cardOf({ card }: RegistrationRecord, now: Date, dueAt: Date | undefined): CardToCharge | undefined {
  if (!card || !dueAt) return undefined;
  const { brand, last4, expMonth, expYear } = card;
  const expiry = expiryOf(card);
  const expiresBeforeDue = expiry <= (now > dueAt ? now : dueAt);
  return { brand, last4, expMonth, expYear, expired: expiry <= now, expiresBeforeDue };
}
