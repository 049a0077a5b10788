import { timingOfBalance } from '#shared/content/moments.ts';
import type { Done } from './act-kinds.ts';
import { type Installment, installmentsOf, isRestByCheck, nextInstallment, owes } from './balance.ts';
import { balanceTermsOf, type Decline, declineOn, MOST_TRIES } from './cards.ts';
import { balanceKinds } from './decisions.ts';
import { isDepositBack } from './deposit.ts';
import { isLost, isUnreachable } from './her-letters.ts';
import { allocate, isPaidByCard } from './ledger.ts';
import { addressDigest } from './links.ts';
import type { RegistrationRecord } from './registration-record.ts';

const MINUTE_MS = 60 * 1000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The minimum time between the notice and the charge, in which she can cancel or pay another way. */
export const NOTICE_MS = 3 * DAY_MS;

/** While she has a page of Stripe or of her bank open, the worker does not charge her card: for so long at most. */
export const AT_STRIPE_MS = 30 * MINUTE_MS;
/** For at most this long after the due time can she delay the charge by opening one, however often she does so. */
const MOST_KEPT_BACK_MS = DAY_MS;

type IsObstacle = (record: RegistrationRecord, one: Installment, now: Date) => boolean;

/** Why what she owes is not charged, now or when it is due: the first counts. For a declined card see `isCardSpent`. */
const OBSTACLES = {
  processing: ({ isProcessing }) => isProcessing === true,
  over: ({ edition }, _, now) => now >= new Date(edition.facts.endsAt),
  disputed: ({ disputed }) => disputed,
  /** The younger of two places under one name and address: the office has yet to say whether of two people. */
  'paid-twice': ({ paidTwice }) => paidTwice?.isYounger === true,
  'deposit-refunded': isDepositBack,
  check: isRestByCheck,
  'plan-paused': ({ decisions }, { part }) => part !== undefined && decisions.plan?.paused === true,
  /** A notice of the charge would not reach her. */
  unreachable: isUnreachable,
  'no-consent': (record, one) => !isChargeAgreed(record, one) || isNeverCharged(record, one),
  'plan-not-agreed': isPlanOpen,
  'too-late': ({ edition }, { dueAt }) => dueAt >= new Date(edition.facts.endsAt),
  'no-card': ({ card }) => card === undefined,
  'no-notice': (record, one, now) =>
    now.getTime() >= one.dueAt.getTime() - NOTICE_MS && !isNoticed(record, one),
} as const satisfies Record<string, IsObstacle>;
export type ChargeObstacle = keyof typeof OBSTACLES;
export const chargeObstacles = Object.keys(OBSTACLES).filter(
  (name): name is ChargeObstacle => name in OBSTACLES,
);

export function chargeObstacle(
  record: RegistrationRecord,
  now: Date,
  one: Installment = nextInstallment(record),
): ChargeObstacle | undefined {
  return chargeObstacles.find((name) => {
    const isObstacle: IsObstacle = OBSTACLES[name];
    return isObstacle(record, one, now);
  });
}

/** If she paid her deposit late, her terms must have the same policy on late deposits as the current ones. */
function isChargeAgreed(record: RegistrationRecord, { part }: Installment): boolean {
  const { agreement, edition, paidAt, begunAt } = record;
  if (!agreement || part) return agreement !== undefined;
  const { endsAt } = edition.facts;
  const timing = timingOfBalance({ ...balanceTermsOf(record), endsAt }, paidAt ?? begunAt);
  return timing === 'on-due-day' || edition.lateTerms.includes(agreement.version);
}

/** Asked of her, and never charged: she has not agreed to it, a card has paid its number once, or more went back than came. */
function isNeverCharged(record: RegistrationRecord, one: Installment): boolean {
  const { number, left, isAgreed } = one;
  if (isPlanOpen(record, one)) return false;
  if (allocate(record.ledger).withoutNumberCents > 0) return true;
  return !isAgreed || (left.beforeFeeCents > 0 && isPaidByCard(record.ledger, number));
}

function isPlanOpen(record: RegistrationRecord, { part }: Installment): boolean {
  return part !== undefined && !isPlanAgreed(record);
}

/** Whether she has agreed to her plan: at no moment to more than it asks for by then. */
export function isPlanAgreed(record: RegistrationRecord): boolean {
  const { plan, planAgreed } = record.decisions;
  if (!plan || !planAgreed) return false;
  return installmentsOf(record).every(({ left, isAgreed }) => left.beforeFeeCents === 0 || isAgreed);
}

/** A registration as it is once she has agreed to all that is asked of her now, by her plan if she has one. */
export function onceAgreed(record: RegistrationRecord, done: Done): RegistrationRecord {
  const { ledger, decisions } = record;
  const installments = ledger.installments.map((row) => ({ ...row, agreedIn: row.agreedIn ?? record.id }));
  return {
    ...record,
    ledger: { ...ledger, installments },
    decisions: decisions.plan ? { ...decisions, planAgreed: done } : decisions,
  };
}

/** From when a letter asks her to agree to her plan or pay its next part: the one about the plan itself came before. */
export function askedToAgreeFrom({ decisions: { plan } }: RegistrationRecord): Date | undefined {
  return plan && new Date(plan.at.getTime() + DAY_MS);
}

/** Unpaid after its date: not while it is charged for the first time, or a payment is processing, or the plan is paused. */
export function isMissed(record: RegistrationRecord, one: Installment, now: Date): boolean {
  if (!isOverdue(record, one, now)) return false;
  const obstacle = chargeObstacle(record, now, one);
  if (obstacle) return !NOT_HER_FAULT.includes(obstacle);
  return one.decline !== undefined || isCardSpent(record, one);
}

const NOT_HER_FAULT: readonly ChargeObstacle[] = ['processing', 'plan-paused', 'paid-twice'];

export function isPayingByPlan(record: RegistrationRecord, now: Date): boolean {
  const all = installmentsOf(record);
  const isByPlan = all[0].part !== undefined && owes(record) && isPlanAgreed(record);
  return isByPlan && !all.some((one) => isMissed(record, one, now));
}

/** When what she was told of the balance may have changed: a decision was withdrawn, or money taken back. */
export function lastTakenBack({ decisions, received }: RegistrationRecord): Date | undefined {
  const withdrawn = decisions.withdrawn.filter(({ kind }) => balanceKinds.includes(kind));
  const all = [...withdrawn, ...received.takenBack].map(({ at }) => at);
  return all.toSorted((one, other) => one.getTime() - other.getTime()).at(-1);
}

/** Whether a letter announced this charge in time, after any withdrawal, correction or bounce. */
export function isNoticed(
  record: RegistrationRecord,
  { noticed, dueAt, left }: Installment = nextInstallment(record),
): boolean {
  const { bounced, registrant, corrections } = record;
  if (!noticed || noticed.to !== addressDigest(registrant.email) || isLost(noticed, bounced)) return false;
  // A bounce is on record for the last address only.
  if (corrections.email && noticed.at < corrections.email.at) return false;
  const takenBackAt = lastTakenBack(record);
  if (takenBackAt && takenBackAt >= noticed.at) return false;
  return (
    noticed.dueAt.getTime() === dueAt.getTime() &&
    noticed.cents >= left.byCardCents &&
    noticed.at.getTime() <= dueAt.getTime() - NOTICE_MS
  );
}

export type ChargeStop = ChargeObstacle | 'not-due' | 'paying' | 'declined';

export function chargeStop(
  record: RegistrationRecord,
  now: Date,
  one: Installment = nextInstallment(record),
): ChargeStop | undefined {
  if (!isOverdue(record, one, now)) return 'not-due';
  const obstacle = chargeObstacle(record, now, one);
  if (obstacle) return obstacle;
  if (now < chargeHeldUntil(record, one)) return 'paying';
  return isTryDue(record, one, now) ? undefined : 'declined';
}

export function installmentToCharge(record: RegistrationRecord, now: Date): Installment | undefined {
  return installmentsOf(record).find((one) => chargeStop(record, now, one) === undefined);
}

function isOverdue(record: RegistrationRecord, { left, dueAt }: Installment, now: Date): boolean {
  return owes(record) && left.beforeFeeCents > 0 && now >= dueAt;
}

export function isPaying(record: RegistrationRecord, now: Date): boolean {
  return now < payingUntil(record);
}

/** Until when nothing is charged or asked for because she may be at Stripe or her bank; the epoch if she is not. */
export function payingUntil({ atStripe }: RegistrationRecord): Date {
  return atStripe?.until ?? new Date(0);
}

export function chargeHeldUntil(
  record: RegistrationRecord,
  one: Installment = nextInstallment(record),
): Date {
  const dueAt = nextTryAt(record, one) ?? one.dueAt;
  return new Date(Math.min(payingUntil(record).getTime(), dueAt.getTime() + MOST_KEPT_BACK_MS));
}

export function nextChargeAt(record: RegistrationRecord): Date {
  const one = nextInstallment(record);
  const dueAt = nextTryAt(record, one) ?? one.dueAt;
  return new Date(Math.max(dueAt.getTime(), chargeHeldUntil(record, one).getTime()));
}

export function isTryUnderWay({ tries, decline }: Installment): boolean {
  return tries > (decline?.try ?? 0);
}

function isTryDue(record: RegistrationRecord, one: Installment, now: Date): boolean {
  if (isTryUnderWay(one)) return true;
  if (one.tries >= MOST_TRIES) return false;
  if (!lastDecline(record, one)) return true;
  const next = nextTryAt(record, one);
  return next !== undefined && now >= next;
}

/** How the last try of the card on file failed. Ids are compared too: it may be changed during a try. */
export function lastDecline(
  record: RegistrationRecord,
  one: Installment = nextInstallment(record),
): Decline | undefined {
  const { attempts, card, handedOver } = record;
  const isOfCard = ({ at, card: id }: Decline) =>
    !(handedOver && at < handedOver.at) && !(card && (card.id !== id || card.since > at));
  const { tries, decline } = one;
  if (decline) return decline.try === tries && isOfCard(decline) ? decline : undefined;
  if (isTryUnderWay(one)) return undefined;
  // What was refused for good with another part of her plan is not tried with this one.
  const others = attempts.filter(({ number, final }) => number !== one.number && final === 1);
  return others.flatMap((attempt) => declineOn(attempt) ?? []).find(isOfCard);
}

/** After a decline: when the same card is retried, by plan or by decision of the office; undefined if it is not. */
export function nextTryAt(
  record: RegistrationRecord,
  one: Installment = nextInstallment(record),
): Date | undefined {
  const decline = lastDecline(record, one);
  if (!decline || decline.final || decline.try >= MOST_TRIES) return undefined;
  return newRoundAt(record, one, decline) ?? decline.next;
}

export function newRoundAt(
  { decisions }: RegistrationRecord,
  { part, dueAt }: Installment,
  { at }: Decline,
): Date | undefined {
  const { charge, postponed, plan } = decisions;
  const rounds = [
    ...(charge ? [{ decidedAt: charge.at, begins: charge.at }] : []),
    ...(postponed && !part ? [{ decidedAt: postponed.at, begins: postponed.until }] : []),
    ...(plan && part && dueAt > at ? [{ decidedAt: plan.at, begins: dueAt }] : []),
  ];
  return rounds
    .filter(({ decidedAt }) => decidedAt > at)
    .toSorted((one, other) => other.decidedAt.getTime() - one.decidedAt.getTime())
    .at(0)?.begins;
}

export function isCardSpent(record: RegistrationRecord, one: Installment = nextInstallment(record)): boolean {
  return lastDecline(record, one) !== undefined && nextTryAt(record, one) === undefined;
}

export function tellingTimes({ edition }: RegistrationRecord): { noticeMs: number; reminderMs: number } {
  const { noticeAt, reminderAt, chargeAt } = edition.facts.balance;
  const before = (at: string) => Date.parse(chargeAt) - Date.parse(at);
  return { noticeMs: before(noticeAt), reminderMs: before(reminderAt) };
}
