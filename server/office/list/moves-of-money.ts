import { balanceOfRecord, type RegistrationRecord } from '#server/payments/registration-record.ts';
import {
  chargeMomentOf,
  owedByCheck,
  owingStates,
  type RegistrationState,
} from '#server/payments/registration-state.ts';

/** Money that came from a registrant, or went back to her. */
export interface Move {
  way: 'in' | 'back';
  /** US cents. */
  cents: number;
  at: Date;
  by: 'card' | 'check' | 'dispute';
}

/**
 * The money that has moved for a registration. In: the deposit; the balance once it is paid by card; a check that was
 * received. Back: refunds to her card, also those on their way, but not those that failed; checks that were sent; what her
 * bank took back in a dispute that the office called over. Of earlier checks only the sum is on record: it counts on the
 * day of the last one.
 */
export function movesOf({
  depositCents,
  paidAt,
  begunAt,
  balance,
  refunds,
  decisions,
}: RegistrationRecord): Move[] {
  const { check, checkSent, disputeOver } = decisions;
  const moves: Move[] = [{ way: 'in', cents: depositCents, at: paidAt ?? begunAt, by: 'card' }];
  if (balance?.paidAt) moves.push({ way: 'in', cents: balance.cents, at: balance.paidAt, by: 'card' });
  if (check?.receivedAt) moves.push({ way: 'in', cents: check.cents, at: check.receivedAt, by: 'check' });
  for (const { status, cents, at } of refunds)
    if (status !== 'failed') moves.push({ way: 'back', cents, at, by: 'card' });
  if (checkSent) {
    const cents = checkSent.cents + (checkSent.sentBefore ?? 0);
    moves.push({ way: 'back', cents, at: checkSent.sentAt, by: 'check' });
  }
  if (disputeOver?.lost) {
    const cents = disputeOver.lost.deposit + disputeOver.lost.balance;
    moves.push({ way: 'back', cents, at: disputeOver.at, by: 'dispute' });
  }
  return moves.filter(({ cents }) => cents > 0);
}

/** What has moved for a registration in all, in US cents, whatever the time. */
export interface Moved {
  inCents: number;
  backCents: number;
  /** What the office still has to send her by check. */
  toSendCents: number;
}

export function movedOf(record: RegistrationRecord): Moved {
  const moves = movesOf(record);
  return {
    inCents: sumOfWay(moves, 'in'),
    backCents: sumOfWay(moves, 'back'),
    toSendCents: owedByCheck(record),
  };
}

function sumOfWay(moves: readonly Move[], wanted: Move['way']): number {
  return moves.reduce((sum, { way, cents }) => (way === wanted ? sum + cents : sum), 0);
}

/** What is open for a registration in a state, in US cents. */
export interface Open {
  /** What is left to pay: as she is to pay it, so by card with its fee, by a check that she promised without. */
  toPayCents: number;
  /** When that is due; absent when nothing is left to pay. */
  dueAt?: Date;
  /** What of the tuition is not asked of her; 0 for who cancelled. */
  waivedCents: number;
}

export function openOf(record: RegistrationRecord, state: RegistrationState): Open {
  const waivedCents = hasPlace(state) ? (record.decisions.waived?.cents ?? 0) : 0;
  if (!owingStates.includes(state)) return { toPayCents: 0, waivedCents };
  const { byCardCents, byCheckCents } = balanceOfRecord(record);
  const toPayCents = record.decisions.check ? byCheckCents : byCardCents;
  return { toPayCents, dueAt: chargeMomentOf(record), waivedCents };
}

/** Whether her deposit is paid and she has not cancelled. */
export function hasPlace(state: RegistrationState): boolean {
  return state === 'settled' || owingStates.includes(state);
}
