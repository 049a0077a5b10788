import type {
  CancelledState,
  Cancelling,
  CancellingState,
  OwnPageRefund,
} from '#shared/content/own-page-view.ts';
import { HERSELF } from './act-kinds.ts';
import { lastAct } from './acts.ts';
import { cardOfBalance, owedByCheck } from './balance.ts';
import { canUndoCancel, refundAt, undoUntil } from './cancelling.ts';
import type { Decision } from './decisions.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** What a written cancelling of a given moment brings back, and why. */
export function refundOf(record: RegistrationRecord, writtenAt: Date): OwnPageRefund {
  const { byCardCents, byCheckCents: checkCents, lines } = refundAt(record, writtenAt);
  const card = cardOfBalance(record);
  return { cents: byCardCents + checkCents, checkCents, ...(card && { card }), lines };
}

export function cancelState(
  record: RegistrationRecord,
  now: Date,
): CancellingState | CancelledState | undefined {
  const { decisions, cancelled: mark } = record;
  const { cancel } = decisions;
  if (mark) return cancelledState(record, mark);
  if (!cancel) return undefined;
  const until = undoUntilOf(record, now);
  return {
    kind: 'cancelling',
    cancelled: cancellingOf(cancel),
    ...(until && { undoUntil: until }),
    refund: refundOf(record, cancel.writtenAt),
  };
}

/** At most until the end of the retreat. */
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

function cancelledState(record: RegistrationRecord, mark: Mark): CancelledState {
  const { cancel } = record.decisions;
  const cents = mark.cents + mark.checkCents;
  const refund = cancel && refundOf(record, cancel.writtenAt);
  return {
    kind: 'cancelled',
    cancelled: cancel ? cancellingOf(cancel) : { at: mark.at, onPage: false },
    ...repaymentOf(record, mark),
    cents,
    ...(refund?.cents === cents && { refund }),
  };
}

/**
 * A check that the office owes her counts for the cancellation only if its refund did not go to her card: otherwise the check
 * may be for an exception.
 */
function repaymentOf(
  record: RegistrationRecord,
  { cents, checkCents, refund }: Mark,
): Pick<CancelledState, 'repayment' | 'at'> {
  if (cents + checkCents === 0) return { repayment: 'nothing' };
  const { checkSent } = record.decisions;
  if (cents > 0 && refund !== 'failed') {
    if (refund === undefined) return { repayment: 'in-work' };
    const made = record.refunds.findLast(({ orderedBy }) => orderedBy === lastAct(record.acts, 'cancel')?.id);
    return { repayment: refund === 'succeeded' ? 'refunded' : 'pending', ...(made && { at: made.at }) };
  }
  if (owedByCheck(record) > 0) return { repayment: refund === 'failed' ? 'failed' : 'check-due' };
  return { repayment: 'check-sent', ...(checkSent && { at: checkSent.sentAt }) };
}
