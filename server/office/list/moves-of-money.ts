import { balanceOfRecord, type RegistrationRecord } from '#server/payments/registration-record.ts';
import { chargeMomentOf, owingStates, type RegistrationState } from '#server/payments/registration-state.ts';

/** Money that came from a registrant, or went back to her. */
export interface Move {
  way: 'in' | 'back';
  /** US cents. */
  cents: number;
  at: Date;
}

/**
 * The money that has moved for a registration. In: the deposit; the balance once it is paid by card; a check
 * that was received. Back: refunds to her card, including those on their way, but not those that failed;
 * checks that were sent; what her bank took back in a dispute that the office recorded as over. For earlier
 * checks only the sum is on record: it counts on the day of the last check.
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
  const moves: Move[] = [{ way: 'in', cents: depositCents, at: paidAt ?? begunAt }];
  if (balance?.paidAt) moves.push({ way: 'in', cents: balance.cents, at: balance.paidAt });
  if (check?.receivedAt) moves.push({ way: 'in', cents: check.cents, at: check.receivedAt });
  for (const { status, cents, at } of refunds)
    if (status !== 'failed') moves.push({ way: 'back', cents, at });
  if (checkSent) {
    const cents = checkSent.cents + (checkSent.sentBefore ?? 0);
    moves.push({ way: 'back', cents, at: checkSent.sentAt });
  }
  if (disputeOver?.lost) {
    const cents = disputeOver.lost.deposit + disputeOver.lost.balance;
    moves.push({ way: 'back', cents, at: disputeOver.at });
  }
  return moves.filter(({ cents }) => cents > 0);
}

/** The total that came in or went back, in US cents. */
export function sumOfWay(moves: readonly Pick<Move, 'way' | 'cents'>[], wanted: Move['way']): number {
  return moves.reduce((sum, { way, cents }) => (way === wanted ? sum + cents : sum), 0);
}

/** What is open for a registration in a state, in US cents. */
export interface Open {
  /** What is left to pay: by card including the card fee, or without the fee if she promised a check. */
  toPayCents: number;
  /** When it is due; absent when nothing is left to pay. */
  dueAt?: Date;
  /** The waived part of the tuition; 0 if she cancelled. */
  waivedCents: number;
}

export function openOf(record: RegistrationRecord, state: RegistrationState): Open {
  const waivedCents = hasPlace(state) ? (record.decisions.waived?.cents ?? 0) : 0;
  if (!owingStates.includes(state)) return { toPayCents: 0, waivedCents };
  const { byCardCents, byCheckCents } = balanceOfRecord(record);
  const toPayCents = record.decisions.check ? byCheckCents : byCardCents;
  return { toPayCents, dueAt: chargeMomentOf(record), waivedCents };
}

/** Whether her deposit is paid, is no second payment, and she has not cancelled. */
export function hasPlace(state: RegistrationState): boolean {
  return state === 'settled' || owingStates.includes(state);
}
