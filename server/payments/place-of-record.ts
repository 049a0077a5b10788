import type { CountedRegistration } from '#server/capacity/capacity-in-redis.ts';
import type { Facts } from '#shared/content/edition.ts';
import { isDepositBack } from './charge-plan.ts';
import { type RegistrationRecord, refundedCentsOf } from './registration-record.ts';

/**
 * Whether somebody comes: she paid, has not cancelled, and her deposit was not given back. The room on her page, the
 * recordings, and the letters about both go by it.
 */
export function hasPlace(record: RegistrationRecord): boolean {
  const { deposit, decisions, cancelled } = record;
  return deposit === 'paid' && !decisions.cancel && !cancelled && !isDepositBack(record);
}

/** A registration in the count of its edition's places. */
export function placeOfRecord(record: RegistrationRecord): CountedRegistration {
  const { id, registration = id, offer } = record;
  return { registration, place: standingOf(record), ...(offer && { offer }) };
}

/** So many more people of an edition have paid for a place than there are places. */
export function overbookedBy(facts: Facts, records: readonly RegistrationRecord[]): number {
  const taken = records.filter((record) => standingOf(record) === 'taken').length;
  return Math.max(0, taken - (facts.places ?? taken));
}

/**
 * Who paid takes a place, until her cancelling is worked off, since she may take it back, or her whole deposit has gone
 * back. Who has not paid has one while it is held for her.
 */
function standingOf(record: RegistrationRecord): CountedRegistration['place'] {
  if (record.deposit === 'unpaid') return 'open';
  const isGivenBack = refundedCentsOf(record, 'deposit') >= record.depositCents;
  return record.deposit === 'closed' || record.cancelled || isGivenBack ? 'free' : 'taken';
}
