import { canDecide } from '#server/registration/allowed.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import { lastAct } from '#server/registration/acts.ts';
import { cardOfBalance, owedByCheck } from '#server/registration/balance.ts';
import { canUndoCancel, refundAt, undoUntil } from '#server/registration/cancelling.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { checksSent } from '#server/registration/ledger.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type {
  CancelledStanding,
  Cancelling,
  CancellingStanding,
  OwnPageRefund,
  OwnPageRepayment,
} from '#shared/content/own-page-view.ts';

/**
 * What she gets back if she cancels on her page now; undefined if she has to cancel through the office, or
 * cannot cancel.
 */
export function offerNow(record: RegistrationRecord, now: Date): OwnPageRefund | undefined {
  const isOver = now >= new Date(record.edition.facts.endsAt);
  if (isOver || record.disputed || !canDecide(record, 'cancel', now)) return undefined;
  return refundOf(record, now);
}

/** What a written cancelling of a given moment brings back, and why. */
function refundOf(record: RegistrationRecord, writtenAt: Date): OwnPageRefund {
  const { byCardCents, byCheckCents: checkCents, lines } = refundAt(record, writtenAt);
  const card = cardOfBalance(record);
  return { cents: byCardCents + checkCents, checkCents, ...(card && { card }), lines };
}

/** The state of her cancellation; undefined without one. */
export function cancelStanding(
  record: RegistrationRecord,
  now: Date,
): CancellingStanding | CancelledStanding | undefined {
  const { decisions, cancelled: mark } = record;
  const { cancel } = decisions;
  if (mark) return cancelledStanding(record, mark);
  if (!cancel) return undefined;
  const until = undoUntilOf(record, now);
  return {
    kind: 'cancelling',
    cancelled: cancellingOf(cancel),
    ...(until && { undoUntil: until }),
    refund: refundOf(record, cancel.writtenAt),
  };
}

/** Until when she can take it back, at most until the end of the retreat. */
function undoUntilOf(record: RegistrationRecord, now: Date): Date | undefined {
  const until = undoUntil(record);
  if (!until || !canUndoCancel(record, now)) return undefined;
  const endsAt = new Date(record.edition.facts.endsAt);
  return until < endsAt ? until : endsAt;
}

const cancellingOf = ({ writtenAt, onPage, whole, by }: Decision<'cancel'>): Cancelling => ({
  at: writtenAt,
  onPage: onPage === true || by === HERSELF,
  ...(whole && { whole }),
});

type Mark = NonNullable<RegistrationRecord['cancelled']>;

function cancelledStanding(record: RegistrationRecord, mark: Mark): CancelledStanding {
  const { cancel } = record.decisions;
  const cents = mark.cents + mark.checkCents;
  const { state, at } = stateOfRefund(record, mark);
  const refund = cancel && refundOf(record, cancel.writtenAt);
  return {
    kind: 'cancelled',
    cancelled: cancel ? cancellingOf(cancel) : { at: mark.at, onPage: false },
    state,
    cents,
    ...(refund?.cents === cents && { refund }),
    ...(at && { at }),
  };
}

/**
 * A check that the office owes her counts for the cancellation only if its refund did not go to her card:
 * otherwise the check may be for an exception.
 */
function stateOfRefund(
  record: RegistrationRecord,
  { cents, checkCents, refund }: Mark,
): Pick<CancelledStanding, 'state' | 'at'> {
  if (cents + checkCents === 0) return { state: 'nothing' };
  const { checkSent } = record.decisions;
  if (cents > 0 && refund !== 'failed') {
    if (refund === undefined) return { state: 'in-work' };
    const made = record.refunds.findLast(({ orderedBy }) => orderedBy === lastAct(record.acts, 'cancel')?.id);
    return { state: refund === 'succeeded' ? 'refunded' : 'pending', ...(made && { at: made.at }) };
  }
  if (owedByCheck(record) > 0) return { state: refund === 'failed' ? 'failed' : 'check-due' };
  return { state: 'check-sent', ...(checkSent && { at: checkSent.sentAt }) };
}

/** What went back to her, the oldest first; without refunds that her bank did not accept. */
export function repaymentsOf({ refunds, ledger }: RegistrationRecord): OwnPageRepayment[] {
  const repayments: OwnPageRepayment[] = refunds
    .filter(({ status }) => status !== 'failed')
    .map(({ cents, at, status }) => ({ cents, by: 'card', at, pending: status === 'pending' }));
  for (const { cents, feeCents, movedAt: at } of checksSent(ledger))
    repayments.push({ cents: 0 - cents - feeCents, by: 'check', at, pending: false });
  return repayments;
}
