import { type Account, type Dispute, type DisputeReason, type DisputeStatus, newId } from './account.ts';
import { ParameterError } from './answer.ts';
import { changeBalance } from './balance.ts';

const EVIDENCE_S = 9 * 24 * 60 * 60;

/**
 * What a dispute can become: an inquiry (`warning_…`) may be closed or turn into a dispute, a lost one may be appealed.
 * https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
export const NEXT_STATUSES: Readonly<Record<DisputeStatus, readonly DisputeStatus[]>> = {
  warning_needs_response: ['warning_under_review', 'warning_closed', 'needs_response'],
  warning_under_review: ['warning_closed', 'needs_response'],
  needs_response: ['under_review', 'won', 'lost'],
  under_review: ['won', 'lost'],
  lost: ['appeal_needs_response'],
  appeal_needs_response: ['appeal_under_review', 'won', 'lost'],
  appeal_under_review: ['won', 'lost'],
  warning_closed: [],
  won: [],
  prevented: [],
};

/** An inquiry takes nothing. https://docs.stripe.com/disputes/how-disputes-work */
const takesMoney = (status: DisputeStatus): boolean => status !== 'won' && !status.startsWith('warning_');

/** How a dispute begins; by default with all of the charge that no other dispute has taken. */
export type Opening = {
  amount?: number;
  reason?: DisputeReason;
  status?: 'needs_response' | 'prevented' | 'warning_needs_response';
};

/**
 * The cardholder disputes a charge with her bank, which takes the money back until the dispute is won.
 * https://docs.stripe.com/disputes/how-disputes-work
 */
export function openDispute(account: Account, chargeId: string, opening: Opening = {}): Dispute {
  const charge = account.find('charge', chargeId);
  const others = account.all('dispute').filter((one) => one.charge === chargeId);
  const disputed = others.filter(({ status }) => status !== 'won' && status !== 'warning_closed');
  const left = disputed.reduce((sum, one) => sum - one.amount, charge.amount);
  const { amount = left, reason = 'fraudulent', status = 'needs_response' } = opening;
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
    reason,
    status,
  });
  account.publish('charge.dispute.created', dispute);
  if (moved) account.publish(moved, dispute);
  return dispute;
}

/** Stores a dispute; where its status asks for that, the money is withdrawn, with a fee, or reinstated. */
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

/** The charge stays `disputed`; if the dispute was won, the charge can be refunded again. */
export function moveDispute(account: Account, id: string, status: DisputeStatus): Dispute {
  const found = account.find('dispute', id);
  if (!NEXT_STATUSES[found.status].includes(status)) {
    throw new ParameterError(`A dispute with a status of ${found.status} does not become ${status}.`);
  }
  const { dispute, moved } = moveFunds(account, { ...found, status });
  if (moved) account.publish(moved, dispute);
  const isClosed = ['won', 'lost', 'warning_closed'].includes(status);
  account.publish(`charge.dispute.${isClosed ? 'closed' : 'updated'}`, dispute);
  return dispute;
}

/** A full refund ends the inquiries about a charge: recorded in woocommerce-payments pull request 738. */
export function closeInquiries(account: Account, chargeId: string): void {
  for (const { id, charge, status } of account.all('dispute'))
    if (charge === chargeId && status.startsWith('warning_') && status !== 'warning_closed')
      moveDispute(account, id, 'warning_closed');
}

/** Evidence that decides a test dispute some time after it was submitted. https://docs.stripe.com/testing#disputes */
const VERDICTS = new Map<string, DisputeStatus>([
  ['winning_evidence', 'won'],
  ['losing_evidence', 'lost'],
  ['escalate_inquiry_evidence', 'needs_response'],
]);

export function submitEvidence(account: Account, id: string, evidence: string): Dispute {
  const isInquiry = account.find('dispute', id).status.startsWith('warning_');
  const verdict = VERDICTS.get(evidence);
  const ends = isInquiry && verdict && verdict !== 'needs_response' ? 'warning_closed' : verdict;
  if (ends) setImmediate(() => moveDispute(account, id, ends));
  return moveDispute(account, id, isInquiry ? 'warning_under_review' : 'under_review');
}
