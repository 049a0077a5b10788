import type { NewRow, RegistrationIndexRow } from '#server/database/database.ts';
import type { AnnouncedToAll, Mail } from '#server/letters/letter-kind.ts';
import { isFirstLetter } from '#server/letters/registration-letters.ts';
import { letterMoments, lettersDue } from '#server/letters/table.ts';
import {
  chargeHeldUntil,
  chargeStop,
  heldEnd,
  installmentsOf,
  installmentToCharge,
  LAPSED_AFTER_MS,
  linksEndAt,
  nextTryAt,
  payingUntil,
  type Reading,
  type RegistrationRecord,
  type RegistrationState,
  refundStop,
  stateOf,
  workedOffFrom,
} from '#server/registration/registration.ts';
import { stalePayments } from '#server/stripe/balance.ts';
import { isToBeClosed } from '#server/stripe/forget.ts';
import { isCustomerToBeFitted } from '#server/stripe/hand-over.ts';
import { causeOf } from '#server/web/app-error.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { momentsOf, registrationOverAt } from '#shared/content/moments.ts';
import { hasPaidOtherwise } from './office-needs.ts';
import { listedOf, UNREADABLE } from './registration-index.ts';

export type Deed =
  /** Registration is over, and this deposit unpaid. */
  | 'closing'
  /** An open payment does not match what is left to pay: a decision was interrupted before cancelling it. */
  | 'fit-balance'
  /** The customer at Stripe may have the name, or a card, of who had the place before. */
  | 'fit-customer'
  | 'charge'
  | 'refund';

export interface Due {
  letters: readonly Mail[];
  deeds: readonly Deed[];
  row: NewRow<'registrationIndex'> & Pick<RegistrationIndexRow, 'attention' | 'validUntil'>;
}

export interface Circumstances {
  now: Date;
  isOver: (facts: Facts) => boolean;
  /** What the office has announced to everyone, by edition; without it no letter about an announcement is due. */
  announced?: ReadonlyMap<string, AnnouncedToAll> | undefined;
}

/** From what is on record. What cannot be read keeps nothing from others. */
export function dueOf({ row, record, problem }: Reading, circumstances: Circumstances): Due {
  const { now, announced } = circumstances;
  const { id: registration, edition, version, begunAt } = row;
  const looked = { registration, edition, version, begunAt, lookedAt: now };
  const unreadable = (attention: string | null): Due => {
    const validUntil = attention === null ? null : withinADay(now);
    return { letters: [], deeds: [], row: { ...UNREADABLE, ...looked, attention, validUntil } };
  };
  if (!record) return unreadable(problem?.needsPerson ? problem.why : null);
  try {
    const deeds = deedsOf(record, circumstances);
    const letters = lettersDue(record, now, announced?.get(record.edition.facts.id));
    const stop = chargeStop(record, now) ?? 'waiting';
    return {
      deeds,
      letters: deeds.includes('closing') ? letters.filter((letter) => !isFirstLetter(letter)) : letters,
      row: {
        ...looked,
        ...listedOf(record, now),
        overdue: stop === 'not-due' ? null : stop,
        attention: null,
        validUntil: nextLookAt(record, now, deeds),
      },
    };
  } catch (error) {
    return unreadable(causeOf(error).message);
  }
}

function deedsOf(record: RegistrationRecord, { now, isOver }: Circumstances): Deed[] {
  const deeds: Deed[] = [];
  if (!isKeptOpen(record, now) && isToBeClosed(record) && isOver(record.edition.facts)) deeds.push('closing');
  if (isCustomerToBeFitted(record)) deeds.push('fit-customer');
  if (stalePayments(record, now).length > 0) deeds.push('fit-balance');
  if (installmentToCharge(record, now)) deeds.push('charge');
  if (refundStop(record, now) === undefined) deeds.push('refund');
  return deeds;
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const RETRY_MS = HOUR_MS / 4;

/** Paid otherwise, once or in part, or her place is held: what becomes of her is for the office to decide. */
function isKeptOpen(record: RegistrationRecord, now: Date): boolean {
  const { deposit, decisions } = record;
  const wasWaived = decisions.withdrawn.some(({ kind }) => kind === 'waived');
  return deposit === 'paid' || hasPaidOtherwise(record) || wasWaived || now < keptUntil(record);
}

function keptUntil({ decisions: { held } }: RegistrationRecord): Date {
  return new Date(held ? heldEnd(held).getTime() + DAY_MS : 0);
}

const UNDER_WAY: readonly RegistrationState[] = [
  'begun',
  'held',
  'due',
  'retrying',
  'action-needed',
  'cancelling',
  'cancelled',
  'refund-pending',
];

/**
 * When to look at a registration again: at the next moment that follows from its own rows; after a quarter of an hour where
 * something is due that may fail; within an hour while something is under way, and within a day in any case, until her page
 * closes. Else when it changes, or a moment of its edition passes (`lastMomentOf`).
 */
export function nextLookAt(record: RegistrationRecord, now: Date, deeds: readonly Deed[] = []): Date | null {
  const { begunAt, decisions, deposit } = record;
  const inMs = (ms: number) => new Date(now.getTime() + ms);
  const isOpen = now < linksEndAt(record.edition.facts);
  const moments = [
    ...letterMoments(record),
    ...(decisions.held ? [keptUntil(record)] : []),
    ...(deposit === 'unpaid' ? [new Date(begunAt.getTime() + LAPSED_AFTER_MS)] : []),
    ...installmentsOf(record).flatMap((one) => [
      one.dueAt,
      nextTryAt(record, one),
      chargeHeldUntil(record, one),
    ]),
    payingUntil(record),
    workedOffFrom(record),
    ...(isOpen && UNDER_WAY.includes(stateOf(record, now)) ? [inMs(HOUR_MS)] : []),
    ...(deeds.length > 0 ? [inMs(RETRY_MS)] : []),
    ...(isOpen ? [withinADay(now)] : []),
  ];
  const ahead = moments.filter((moment) => moment !== undefined && moment > now);
  return ahead.toSorted((one, other) => Number(one) - Number(other)).at(0) ?? null;
}

/** A fault holds nothing back for good. Drawn at random, as a moment of the edition brings everybody at once. */
function withinADay(now: Date): Date {
  return new Date(now.getTime() + DAY_MS * (1 - Math.random() / 2));
}

/** The latest moment of an edition that has passed: at it something may have fallen due for all who registered for it. */
export function lastMomentOf(edition: Edition, now: Date): Date {
  const { facts } = edition;
  const moments = [
    ...momentsOf(edition).map(({ at }) => new Date(at)),
    registrationOverAt(facts),
    ...(facts.handOverUntil ? [new Date(facts.handOverUntil)] : []),
  ];
  return new Date(Math.max(0, ...moments.map(Number).filter((moment) => moment <= now.getTime())));
}
