import type { Facts } from '#shared/content/edition.ts';
import { isDepositBack } from './charge-plan.ts';
import { type RegistrationRecord, refundedCentsOf } from './registration-record.ts';

/**
 * Whether somebody is going to attend: she paid, has not cancelled, and her deposit was not refunded. The
 * room on her page, the recordings, and the letters about both depend on it.
 */
export function hasPlace(record: RegistrationRecord): boolean {
  const { deposit, decisions, cancelled } = record;
  return deposit === 'paid' && !decisions.cancel && !cancelled && !isDepositBack(record);
}

/** A registration in the count of its edition's places. */
export interface CountedRegistration {
  /** Its name, see `registrationName`. */
  registration: string;
  /**
   * Whether it takes a place, takes none, or is not decided yet (`open`): then it has a place only while one
   * is held for it.
   */
  place: 'taken' | 'free' | 'open';
}

export function placeOfRecord(record: RegistrationRecord): CountedRegistration {
  const { registration } = record;
  return { registration, place: standingOf(record) };
}

/** By how many the people who have paid for a place exceed the places of an edition. */
export function overbookedBy(facts: Facts, records: readonly RegistrationRecord[]): number {
  const taken = records.filter((record) => standingOf(record) === 'taken').length;
  return Math.max(0, taken - (facts.places ?? taken));
}

/**
 * A registrant who paid takes a place until her cancellation is carried out (she may undo it before) or her
 * whole deposit was refunded. One who has not paid has a place only while it is held for her (`open`).
 */
function standingOf(record: RegistrationRecord): CountedRegistration['place'] {
  if (record.deposit === 'unpaid') return 'open';
  const isGivenBack = refundedCentsOf(record, 'deposit') >= record.depositCents;
  return record.deposit === 'closed' || record.cancelled || isGivenBack ? 'free' : 'taken';
}
