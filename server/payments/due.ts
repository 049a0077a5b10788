import { causeOf } from '#server/http/app-error.ts';
import { CARD_EXPIRY_MS } from '#server/letters/balance-letters.ts';
import { heldMoments } from '#server/letters/held-letters.ts';
import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import { laterLettersDue } from '#server/letters/letters-due.ts';
import { remindAt } from '#server/letters/registration-received.ts';
import { roomlessMoments } from '#server/letters/retreat-letters.ts';
import { linksEndAt } from '#server/links/own-page-links.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import { refundStop, workedOffFrom } from '#server/record/cancel-plan.ts';
import {
  askedToAgreeFrom,
  chargeHeldUntil,
  partToCharge,
  payingUntil,
  tellingTimes,
} from '#server/record/charge-plan.ts';
import { lettersOfPayment, lettersOwed } from '#server/record/deposit-letters.ts';
import { depositOf, type OnRecord } from '#server/record/on-record.ts';
import { paidBalances, partsOf } from '#server/record/owed.ts';
import { healthDueAt, isHealthOver, questionsRemindAt } from '#server/record/questions.ts';
import { readRecord } from '#server/record/read-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { chargeMomentOf, heldEnd, LAPSED_AFTER_MS, nextTryAt } from '#server/record/registration-state.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { momentsOf } from '#shared/content/moments.ts';
import { registrationOverAt } from '#shared/content/registration-window.ts';
import { isToBeClosed } from './close-unpaid.ts';
import { isMirrored, isMirrorStale } from './mirror.ts';
import { isToBeFitted } from './open-balance.ts';
import { isHandled } from './outbox.ts';

/** Something that is due for a registration, beside letters. */
export type Deed =
  /** Registration is over, and this deposit unpaid. */
  | 'closing'
  /**
   * An open payment of the balance does not match what is left to pay, or that of a deposit is open which was paid in
   * another way: a decision was interrupted before cancelling it.
   */
  | 'fit-balance'
  /** Her customer at Stripe does not yet say what was decided. */
  | 'mirror'
  /** The balance is to be charged. */
  | 'charge'
  /** Answers about her health have been kept for as long as promised. */
  | 'remove-health'
  /** A refund is to be made, or a cancellation without a refund to be completed. */
  | 'refund';

/** What is due for a registration at a moment. */
export interface Due {
  letters: readonly RegistrationMail[];
  deeds: readonly Deed[];
  /** Why a person must look: it was paid, but not as this site made it, or it cannot be read. */
  attention?: string;
  /** Absent where it cannot be read, or is no deposit of an edition that this release knows. */
  registration?: RegistrationRecord;
  /** The next moment at which anything of this changes by time alone, see `nextMomentOf`. */
  next?: Date;
}

/** What is due depends on, beside what is on record of a registration. */
export interface Circumstances {
  now: Date;
  /** Whether registration for an edition is over, so that nobody pays for it any more. */
  isOver: (facts: Facts) => boolean;
  /** What the office has announced to everyone, by edition; without it no letter about an announcement is due. */
  announced?: ReadonlyMap<string, AnnouncedToAll>;
}

/** What is due for a registration, from what is on record of it. One that cannot be read keeps nothing from others. */
export function dueOf(onRecord: OnRecord, circumstances: Circumstances): Due {
  try {
    const registration = readRecord(onRecord);
    const due = dueOfDeposit(onRecord, registration, circumstances);
    if (!registration) return due;
    const { now, announced } = circumstances;
    const later = laterLettersDue(registration, now, announced?.get(registration.edition.facts.id));
    const next = nextMomentOf(registration, now);
    return {
      ...due,
      registration,
      ...(next && { next }),
      letters: [...due.letters, ...later],
      deeds: [...due.deeds, ...laterDeeds(registration, onRecord, now)],
    };
  } catch (error) {
    return { letters: [], deeds: [], attention: causeOf(error).message };
  }
}

function dueOfDeposit(
  onRecord: OnRecord,
  registration: RegistrationRecord | undefined,
  { now, isOver }: Circumstances,
): Due {
  const deposit = depositOf(onRecord);
  const edition = findEdition(deposit?.edition ?? '');
  const isHeld = deposit?.status === 'paid' && lettersOfPayment(onRecord) === undefined;
  if (isHeld && !isHandled(onRecord))
    return { letters: [], deeds: [], attention: 'It was paid, and nobody can be welcomed' };
  const isKept = registration && isKeptOpen(registration, now);
  if (edition && !isKept && isToBeClosed(onRecord) && isOver(edition.facts))
    return { letters: [], deeds: ['closing'] };
  return { letters: lettersOwed(onRecord), deeds: [] };
}

function laterDeeds(registration: RegistrationRecord, { registration: row }: OnRecord, now: Date): Deed[] {
  const deeds: Deed[] = [];
  if (row && isMirrored(registration, row) && isMirrorStale(registration, row)) deeds.push('mirror');
  if (isHealthOver(registration, now)) deeds.push('remove-health');
  if (isToBeFitted(registration)) deeds.push('fit-balance');
  if (partToCharge(registration, now)) deeds.push('charge');
  if (refundStop(registration, now) === undefined) deeds.push('refund');
  return deeds;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a registration is not closed although its deposit is not paid at Stripe: it is paid otherwise, or was, or a part
 * of it is; or her place is held. What becomes of her is for the office to decide.
 */
function isKeptOpen(record: RegistrationRecord, now: Date): boolean {
  const { deposit, decisions, received } = record;
  const isTouched = received.counting.length + received.takenBack.length + paidBalances(record).length > 0;
  const wasWaived = decisions.withdrawn.some(({ kind }) => kind === 'waived');
  return deposit === 'paid' || isTouched || wasWaived || now < keptUntil(record);
}

/** Until when the place of somebody who has not paid is held, and a day more, in which a letter tells her that it ended. */
function keptUntil({ decisions: { held } }: RegistrationRecord): Date {
  return new Date(held ? heldEnd(held).getTime() + DAY_MS : 0);
}

/** What is due is done within minutes: after this long something is wrong, and the office is told. */
export const STUCK_AFTER_MS = DAY_MS;

/**
 * The next moment at which something falls due for a registration through the passing of time alone. At least once a day
 * until its page closes: a fault here must not keep a letter or a charge back for good. Undefined after that.
 */
export function nextMomentOf(record: RegistrationRecord, now: Date): Date | undefined {
  const { edition, begunAt, decisions } = record;
  const { facts } = edition;
  const carriedOutAt = [workedOffFrom(record), decisions.refund?.at].filter((at) => at !== undefined);
  const moments = [
    ...(decisions.held ? heldMoments(decisions.held) : []),
    keptUntil(record),
    ...(record.deposit === 'unpaid'
      ? [new Date(begunAt.getTime() + LAPSED_AFTER_MS), registrationOverAt(facts), remindAt(record)]
      : []),
    ...partsOf(record).flatMap(chargeMoments),
    askedToAgreeFrom(record),
    questionsRemindAt(record),
    healthDueAt(record),
    ...carriedOutAt.flatMap((at) => [at, new Date(at.getTime() + STUCK_AFTER_MS)]),
    ...momentsOf(edition).map(({ at }) => new Date(at)),
    ...roomlessMoments(edition.timetable),
    ...(now < linksEndAt(facts) ? [new Date(now.getTime() + DAY_MS)] : []),
  ];
  const ahead = moments.filter((moment) => moment !== undefined && moment > now);
  return ahead.toSorted((one, other) => Number(one) - Number(other)).at(0);
}

/** The moments at which something may fall due about the charge of a balance, or of a part of it. */
function chargeMoments(record: RegistrationRecord): readonly (Date | undefined)[] {
  const dueAt = chargeMomentOf(record);
  const { noticeMs, reminderMs } = tellingTimes(record);
  const besides = [0, -noticeMs, -reminderMs, -CARD_EXPIRY_MS, STUCK_AFTER_MS];
  const nextTry = nextTryAt(record);
  return [
    ...besides.map((ms) => new Date(dueAt.getTime() + ms)),
    nextTry,
    nextTry && new Date(nextTry.getTime() + STUCK_AFTER_MS),
    chargeHeldUntil(record),
    payingUntil(record),
  ];
}
