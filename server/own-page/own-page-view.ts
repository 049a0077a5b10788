import type { Announcements } from '#server/letters/announcements.ts';
import { confirmUntil } from '#server/letters/holder-letters.ts';
import {
  areRecordingsOpen,
  awaitsRecordings,
  recordingsFor,
  roomOpenFor,
} from '#server/letters/retreat-letters.ts';
import {
  type Installment,
  installmentsOf,
  leftToPay,
  nextInstallment,
  owes,
  paidBalances,
} from '#server/registration/balance.ts';
import { isUnreachable } from '#server/registration/bounces.ts';
import { balanceTermsOf, expiryOf } from '#server/registration/card-on-file.ts';
import {
  chargeHeldUntil,
  chargeObstacle,
  isCardSpent,
  isMissed,
  isPlanAgreed,
  isTryUnderWay,
  lastDecline,
  nextTryAt,
} from '#server/registration/charges.ts';
import { type Decision, reductionOf } from '#server/registration/decisions.ts';
import { MOST_TRIES, reasonOfDecline } from '#server/registration/declines.ts';
import {
  depositByCardOf,
  depositLeftOf,
  type ReceivedPart,
  receivedCentsOf,
  receivedFor,
} from '#server/registration/deposit.ts';
import { pendingHandOver } from '#server/registration/hand-over.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { canAnswer, hasPlace, stateOf } from '#server/registration/registration-state.ts';
import { canPay } from '#server/stripe/pay.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import type {
  OwnPagePart,
  OwnPagePayment,
  OwnPageStanding,
  OwnPageView,
} from '#shared/content/own-page-view.ts';
import { termsPathOf } from '#shared/content/policies.ts';
import { asAgreed } from '#shared/content/tuition.ts';
import { withoutExtension } from '#shared/mail-and-phone.ts';
import { cancelStanding, offerNow, repaymentsOf } from './cancel-view.ts';

type Beside = Pick<OwnPageView, 'mayAct' | 'asOffice' | 'token' | 'told' | 'secondFactor' | 'letters'> & {
  /** What the office has announced about her edition; absent on a page that shows nothing of it. */
  announced?: Announcements;
};

/** All that her page shows, computed from what is on record of a paid registration. */
export function viewOf(
  record: RegistrationRecord,
  now: Date,
  { announced = {}, ...beside }: Beside,
): OwnPageView {
  const { id, edition, disputed, addressAsked } = record;
  const { firstName, lastName, email, phoneNumber, timeZone } = record.registrant;
  const openFor = roomOpenFor(record, now);
  return {
    ...beside,
    id,
    edition: asAgreed(edition, balanceTermsOf(record)),
    now,
    disputed,
    registrant: { firstName, lastName, email, maskedPhone: maskPhone(phoneNumber), timeZone },
    askedAddress: addressAsked && isAwaited(record, now) ? maskAddress(addressAsked.to) : undefined,
    standing: standingOf(record, now),
    handOver: handOverOf(record, now),
    plan: planOf(record, now),
    unreachable: isUnreachable(record),
    questions: questionsOf(record, now),
    payments: paymentsIn(record),
    reduced: reductionOf(record.decisions),
    receivedCents: receivedCentsOf(record),
    repayments: repaymentsOf(record),
    offer: offerNow(record, now),
    card: cardOf(record, now),
    termsPath: termsPathOfRecord(record),
    room: openFor && { openFor, ...(announced.room && { url: announced.room.url }) },
    recordings: recordingsOf(record, now, announced),
  };
}

/** The state of her balance, as her page shows it. */
export function standingOf(record: RegistrationRecord, now: Date): OwnPageStanding {
  const cancelled = cancelStanding(record, now);
  if (cancelled) return cancelled;
  const state = stateOf(record, now);
  if (state === 'settled') return { kind: 'settled' };
  const { held, postponed } = record.decisions;
  if (record.deposit === 'unpaid' && held) {
    const sums = { cents: depositByCardOf(record), beforeFeeCents: depositLeftOf(record) };
    const { way, until } = held;
    const balance = {
      cents: nextInstallment(record).left.byCardCents,
      dueAt: balanceDueAt(balanceTermsOf(record), now),
    };
    const receivedCents = record.received.counting.reduce((sum, one) => sum + one.cents, 0);
    const left = { balance, receivedCents, isPayable: canPay(record, now) };
    const { isProcessing } = record;
    return { kind: 'held', ...sums, way, until, isOver: state !== 'held', ...left, isProcessing };
  }
  if (!owes(record)) throw new RangeError(`${record.id} is ${state}: it has no page`);
  const next = nextInstallment(record);
  const { dueAt, part } = next;
  const { byCardCents: cents, beforeFeeCents } = next.left;
  const obstacle = chargeObstacle(record, now, next);
  if (obstacle === 'processing') return { kind: 'processing' };
  if (obstacle === 'over') return { kind: 'over', cents: leftToPay(record).byCardCents };
  const payBy = dueAt < new Date(record.edition.facts.endsAt) ? { payBy: dueAt } : {};
  if (obstacle === 'check') return { kind: 'by-check', cents: beforeFeeCents, ...payBy };
  if (obstacle === 'plan-paused' || obstacle === 'paid-twice') return { kind: 'to-pay', cents };
  if (state === 'action-needed' || isCardSpent(record, next))
    return {
      kind: 'action-needed',
      cents,
      reason: reasonNow(record, next),
      newCard: newCardOf(record, next, now),
    };
  if (obstacle) return { kind: 'to-pay', cents, ...payBy };
  if (now < dueAt)
    return { kind: 'charged-later', cents, dueAt, wasPostponed: postponed !== undefined && !part };
  const nextAt = nextTryAt(record, next);
  if (nextAt && now < nextAt) return { kind: 'retrying', cents, reason: reasonNow(record, next), nextAt };
  const chargedAt = chargeHeldUntil(record, next);
  return now < chargedAt && !isTryUnderWay(next)
    ? { kind: 'to-pay', cents, ...payBy, chargedAt }
    : { kind: 'being-charged', cents };
}

/**
 * When another card would be charged a part of her plan whose card was refused for good; undefined where it would not, and
 * without a plan, where she pays instead.
 */
function newCardOf(
  record: RegistrationRecord,
  next: Installment,
  now: Date,
): 'at-once' | 'when-due' | undefined {
  if (!next.part || chargeObstacle(record, now, next) || next.tries >= MOST_TRIES) return undefined;
  return now < next.dueAt ? 'when-due' : 'at-once';
}

/** The last answer of her bank. */
function reasonNow(record: RegistrationRecord, next: Installment) {
  const decline = lastDecline(record, next) ?? next.decline;
  return decline ? reasonOfDecline(decline.code) : ('declined' as const);
}

/** The sum of her payments, in US cents. */
export function paidCentsOf(record: RegistrationRecord): number {
  return paymentsIn(record).reduce((sum, { cents }) => sum + cents, 0);
}

export function handOverOf(record: RegistrationRecord, now: Date): OwnPageView['handOver'] {
  const pending = pendingHandOver(record, now);
  if (!pending) return undefined;
  const { firstName, lastName, email, at: decidedAt, agreedAt, until } = pending;
  return { name: `${firstName} ${lastName}`, email, isAgreed: agreedAt !== undefined, decidedAt, until };
}

/** Whether something is left to pay, and the retreat is not over. */
function isOwing(record: RegistrationRecord, now: Date): boolean {
  return owes(record) && now < new Date(record.edition.facts.endsAt);
}

/** How what is left to pay is divided, and what of it is paid. */
export function planOf(record: RegistrationRecord, now: Date): OwnPageView['plan'] {
  const { plan, planAgreed } = record.decisions;
  if (!plan || !nextInstallment(record).part || !isOwing(record, now)) return undefined;
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

/** Her payments, in chronological order. */
export function paymentsIn(record: RegistrationRecord): OwnPagePayment[] {
  const { handedOver } = record;
  const payments = depositPayments(record);
  const parts = installmentsOf(record);
  for (const { id: reference, cents, beforeFeeCents, paidAt } of paidBalances(record)) {
    const { part } = parts.find(({ payment }) => payment?.id === reference) ?? {};
    payments.push({
      what: 'balance',
      by: 'card',
      cents,
      feeCents: cents - beforeFeeCents,
      paidAt,
      reference,
      ...(part && { part }),
    });
  }
  payments.push(...receivedFor(record).balance.map((one) => paidBesideCard('balance', one)));
  const place = ({ part }: OwnPagePayment) => part?.position ?? 0;
  const sorted = payments.toSorted(
    (one, other) => one.paidAt.getTime() - other.paidAt.getTime() || place(one) - place(other),
  );
  if (!handedOver) return sorted;
  return sorted.map((one) => ({ ...one, ...(one.paidAt < handedOver.at && { isEarlier: true }) }));
}

/** The payments of her deposit: by her card, or what came by check or transfer. */
function depositPayments(record: RegistrationRecord): OwnPagePayment[] {
  const { depositPayment, edition, depositCents, paidAt, begunAt } = record;
  if (record.depositDueCents !== undefined)
    return receivedFor(record).deposit.map((one) => paidBesideCard('deposit', one));
  const { prices } = edition.facts;
  const feeCents =
    depositCents === prices.depositCents ? prices.depositCents - prices.depositBeforeFeeCents : 0;
  return [
    {
      what: 'deposit',
      by: 'card',
      cents: depositCents,
      feeCents,
      paidAt: paidAt ?? begunAt,
      ...(depositPayment && { reference: depositPayment.id }),
    },
  ];
}

function paidBesideCard(
  what: OwnPagePayment['what'],
  { way: by, ofCents: cents, on: paidAt, number }: ReceivedPart,
): OwnPagePayment {
  return { what, by, cents, feeCents: 0, paidAt, ...(number !== undefined && { reference: number }) };
}

/** The card that is charged, or would be; absent once nothing will be charged any more. */
function cardOf(record: RegistrationRecord, now: Date): OwnPageView['card'] {
  const { card } = record;
  if (!card || !isOwing(record, now)) return undefined;
  const { brand, last4, expMonth, expYear } = card;
  const { dueAt } = nextInstallment(record);
  const expiry = expiryOf(card);
  const expiresBeforeDue = expiry <= (now > dueAt ? now : dueAt);
  return { brand, last4, expMonth, expYear, expired: expiry <= now, expiresBeforeDue };
}

/** Absent if she has no place any more. */
function recordingsOf(
  record: RegistrationRecord,
  now: Date,
  announced: Announcements,
): OwnPageView['recordings'] {
  if (!announced.recordings || !areRecordingsOpen(record, now)) return undefined;
  const url = recordingsFor(record, now, announced);
  if (url !== undefined) return { url };
  return awaitsRecordings(record) ? {} : undefined;
}

/** Absent if nothing is asked of her and she answered nothing. */
function questionsOf(record: RegistrationRecord, now: Date): OwnPageView['questions'] {
  const { edition } = record;
  const asked = hasPlace(record) ? (edition.questions?.items ?? []) : [];
  if (record.answers.length === 0 && asked.length === 0) return undefined;
  return { asked, isOpen: canAnswer(record, now), answers: record.answers };
}

function termsPathOfRecord({ edition, agreement }: RegistrationRecord): string | undefined {
  const agreed = edition.agreed.find(({ version }) => version === agreement?.version);
  return agreed && termsPathOf(edition.facts, agreed);
}

/** Whether a new address can still be confirmed. */
function isAwaited(record: RegistrationRecord, now: Date): boolean {
  const until = confirmUntil(record);
  return until !== undefined && now < until;
}

/** How many digits of a number stay hidden at least, and its extension: the last four are a proof of identity. */
const HIDDEN = 7;
/** The country code and the area code. */
const MOST_SHOWN = 4;

/** `+1 (555) 555-0142` -> `+1 (555) •••-••••`. */
export function maskPhone(phoneNumber: string): string {
  const digits = withoutExtension(phoneNumber).replaceAll(/\D/g, '').length;
  const shown = Math.max(0, Math.min(MOST_SHOWN, digits - HIDDEN));
  let place = 0;
  return phoneNumber.replaceAll(/\d/g, (digit) => {
    place += 1;
    return place <= shown ? digit : '•';
  });
}

/** `wilma@example.org` -> `w…@example.org`: someone with an old link does not learn the new address. */
function maskAddress(email: string): string {
  const at = email.lastIndexOf('@');
  return `${email.slice(0, 1)}…${email.slice(at)}`;
}
