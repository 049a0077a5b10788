import { type Account, type Charge, type Dispute, newId, type Refund } from './account.ts';
import { ParameterError, refusal } from './answer.ts';
import { changeBalance } from './balance.ts';
import { mergeMetadata } from './routes.ts';

type RefundOrder = Pick<Refund, 'payment_intent'> &
  Partial<Pick<Refund, 'amount' | 'reason'>> & { metadata?: Parameters<typeof mergeMetadata>[1] };

export function createRefund(account: Account, order: RefundOrder): Refund {
  const charge = chargeToRefund(account, order.payment_intent);
  const { currency, payment_intent, payment_method } = charge;
  const left = charge.amount - sumOfRefunds(account, charge.id);
  const { amount = left, reason = null, metadata } = order;
  if (left === 0) {
    const code = 'charge_already_refunded';
    throw refusal(400, `Charge ${charge.id} has already been refunded.`, { code });
  }
  if (amount > left) {
    const message = `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`;
    throw new ParameterError(message, { param: 'amount' });
  }
  const id = newId('re');
  const isPending = account.cardOf(payment_method).refunds === 'pending-first';
  const refund = saveRefund(account, {
    id,
    object: 'refund',
    amount,
    balance_transaction: changeBalance(account, 'refund', { id, amount, currency }).id,
    charge: charge.id,
    created: account.nowSeconds(),
    currency,
    metadata: mergeMetadata({}, metadata),
    payment_intent,
    payment_method,
    reason,
    ...(isPending && { pending_reason: 'processing' }),
    status: isPending ? 'pending' : 'succeeded',
  });
  account.publish('refund.created', refund);
  account.publish('charge.refunded', account.find('charge', charge.id));
  return refund;
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

function chargeToRefund(account: Account, intentId: string): Charge {
  const { latest_charge } = account.find('payment_intent', intentId, 'payment_intent');
  const charge = account.get('charge', latest_charge ?? '');
  if (charge?.status !== 'succeeded')
    throw new ParameterError(`This PaymentIntent (${intentId}) does not have a successful charge to refund.`);
  if (account.all('dispute').some((one) => one.charge === charge.id && !one.is_charge_refundable)) {
    const message = `Charge ${charge.id} has been charged back; cannot issue a refund.`;
    throw refusal(400, message, { code: 'charge_disputed' });
  }
  return charge;
}

/** Pending ones count. */
function sumOfRefunds(account: Account, chargeId: string): number {
  const refunds = account.all('refund').filter(({ charge }) => charge === chargeId);
  const counting = refunds.filter(({ status }) => status === 'pending' || status === 'succeeded');
  return counting.reduce((sum, { amount }) => sum + amount, 0);
}

function saveRefund(account: Account, refund: Refund): Refund {
  account.save(refund);
  const charge = account.find('charge', refund.charge);
  const amount_refunded = sumOfRefunds(account, charge.id);
  account.save({ ...charge, amount_refunded });
  return refund;
}

/**
 * Some time later a pending refund succeeds, and one of the card 5126 fails. A pending one can be cancelled by hand.
 * https://docs.stripe.com/testing#refunds, https://docs.stripe.com/api/refunds/cancel and
 * https://docs.stripe.com/refunds#failed-refunds
 */
export function endRefund(account: Account, id: string, later?: 'canceled'): void {
  const { pending_reason: _, ...refund } = account.find('refund', id);
  const failsLater = account.cardOf(refund.payment_method).refunds === 'fail-later';
  const isPending = refund.status === 'pending';
  if (!isPending && (later || !failsLater || refund.status !== 'succeeded'))
    throw new ParameterError(`The refund ${id} has a status of ${refund.status}, which stays.`);
  const status = later ?? (isPending ? 'succeeded' : 'failed');
  const ended = saveRefund(account, {
    ...refund,
    ...(status !== 'succeeded' && {
      failure_balance_transaction: changeBalance(account, 'refund_failure', refund).id,
      failure_reason: later ? 'merchant_request' : 'unknown',
    }),
    status,
  });
  account.publish('refund.updated', ended);
  if (status === 'failed') account.publish('refund.failed', ended);
}

export type DisputeStatus = Dispute['status'];

const EVIDENCE_S = 9 * 24 * 60 * 60;

/** An inquiry takes nothing. https://docs.stripe.com/disputes/how-disputes-work */
const takesMoney = (status: DisputeStatus): boolean => status !== 'won' && !status.startsWith('warning_');

/** How a dispute begins; by default with all of the charge that no other dispute has taken. */
export type Opening = {
  amount?: number;
  status?: 'needs_response' | 'prevented' | 'warning_needs_response';
};

/** https://docs.stripe.com/disputes/how-disputes-work */
export function openDispute(account: Account, chargeId: string, opening: Opening = {}): Dispute {
  const charge = account.find('charge', chargeId);
  const others = account.all('dispute').filter((one) => one.charge === chargeId);
  const disputed = others.filter(({ status }) => status !== 'won' && status !== 'warning_closed');
  const left = disputed.reduce((sum, one) => sum - one.amount, charge.amount);
  const { amount = left, status = 'needs_response' } = opening;
  if (charge.status !== 'succeeded' || amount < 1 || amount > left) {
    throw new ParameterError(`The charge ${chargeId} was disputed already, or has not succeeded.`);
  }
  account.save({ ...charge, disputed: true });
  const { dispute, moved } = moveFunds(account, {
    id: newId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: chargeId,
    created: account.nowSeconds(),
    currency: charge.currency,
    evidence_details: { due_by: account.nowSeconds() + EVIDENCE_S },
    is_charge_refundable: true,
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status,
  });
  account.publish('charge.dispute.created', dispute);
  if (moved) account.publish(moved, dispute);
  return dispute;
}

/** Its status decides whether the money is withdrawn, with a fee, or reinstated. */
function moveFunds(account: Account, changed: Dispute) {
  const { status, balance_transactions: before } = changed;
  const isTaken = before.length % 2 === 1;
  const takes = takesMoney(status);
  if (isTaken === takes) return { dispute: account.save(changed) };
  const fee = status === 'prevented' ? 0 : undefined;
  const change = changeBalance(account, takes ? 'dispute' : 'dispute_reversal', changed, fee);
  const balance_transactions = [...before, change];
  const dispute = account.save({ ...changed, balance_transactions, is_charge_refundable: !takes });
  return { dispute, moved: `charge.dispute.funds_${takes ? 'withdrawn' : 'reinstated'}` };
}

/**
 * An inquiry (`warning_…`) may be closed or turn into a dispute, a lost dispute may be appealed. The charge stays `disputed`;
 * if the dispute was won, the charge can be refunded again. https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
export function moveDispute(account: Account, id: string, status: DisputeStatus): Dispute {
  const { dispute, moved } = moveFunds(account, { ...account.find('dispute', id), status });
  if (moved) account.publish(moved, dispute);
  const isClosed = ['won', 'lost', 'warning_closed'].includes(status);
  account.publish(`charge.dispute.${isClosed ? 'closed' : 'updated'}`, dispute);
  return dispute;
}

/** Evidence that decides a test dispute some time after it was submitted. https://docs.stripe.com/testing#disputes */
const VERDICTS: Readonly<Record<string, DisputeStatus>> = {
  winning_evidence: 'won',
  escalate_inquiry_evidence: 'needs_response',
};

export function submitEvidence(account: Account, id: string, evidence: string): Dispute {
  const verdict = VERDICTS[evidence];
  if (verdict) setImmediate(() => moveDispute(account, id, verdict));
  const isInquiry = account.find('dispute', id).status.startsWith('warning_');
  return moveDispute(account, id, isInquiry ? 'warning_under_review' : 'under_review');
}
