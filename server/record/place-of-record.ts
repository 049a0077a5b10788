import { isDepositBack, isDepositGivenBack } from './charge-plan.ts';
import type { RegistrationRecord } from './registration-record.ts';

/**
 * Whether somebody is going to attend by this registration: she paid, has not cancelled, her deposit was not
 * refunded, and it is no second payment. The room on her page, the recordings, and the letters about both
 * depend on it.
 */
export function hasPlace(record: RegistrationRecord): boolean {
  const { deposit, decisions, cancelled, secondOf } = record;
  const isAttending = deposit === 'paid' && !decisions.cancel && !cancelled && secondOf === undefined;
  return isAttending && !isDepositBack(record);
}

/** Whether she has a page of her own: she has paid, or the office holds or held a place for her. */
export function hasOwnPage({ deposit, decisions, forgottenAt }: RegistrationRecord): boolean {
  const isHers = deposit === 'paid' || (deposit === 'unpaid' && decisions.held !== undefined);
  return isHers && forgottenAt === undefined;
}

/**
 * Whether a registration takes a place, takes none, or is not decided yet (`open`). A registrant who paid takes a
 * place until her cancellation is carried out (she may undo it before) or her whole deposit was refunded. One who has
 * not paid has a place only while it is held for her.
 */
export function placeOf(record: RegistrationRecord): 'taken' | 'free' | 'open' {
  if (record.deposit === 'unpaid') return 'open';
  const isFree = record.deposit === 'closed' || record.cancelled || isDepositGivenBack(record);
  return isFree ? 'free' : 'taken';
}
