import { type Account, type Dispute, newId } from './account.ts';
import { ParameterError } from './answer.ts';
import { changeBalance } from './balance.ts';

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
