import { type Account, newId } from './account.ts';
import { ParameterError, refusal } from './answer.ts';
import { changeBalance } from './balance.ts';
import type {
  Charge,
  Decline,
  Dispute,
  DisputeReason,
  PaymentIntent,
  PaymentMethod,
  Refund,
} from './objects.ts';
import { mergeMetadata } from './parameters.ts';

const EVIDENCE_S = 9 * 24 * 60 * 60;

/** Charges a card for an intent. The charge is stored even when the bank declines it. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  method: PaymentMethod,
): { charge: Charge; decline: Decline | null } {
  const { amount, currency, customer, metadata, receipt_email } = intent;
  const ordered = (owner: string) => account.nextDeclines.get(owner)?.shift();
  const usual = account.cardOf(method.id).decline;
  const decline = ordered(method.id) ?? ordered(customer ?? '') ?? usual;
  const charge = account.save({
    id: newId('ch'),
    object: 'charge',
    amount,
    amount_refunded: 0,
    billing_details: method.billing_details,
    created: account.nowSeconds(),
    currency,
    customer,
    disputed: false,
    failure_code: decline?.code ?? null,
    metadata,
    payment_intent: intent.id,
    payment_method: method.id,
    payment_method_details: { type: 'card', card: { ...method.card, ...intent.payment_method_options.card } },
    receipt_email,
    status: decline ? 'failed' : 'succeeded',
  } satisfies Charge);
  if (!decline) changeBalance(account, 'charge', charge);
  return { charge, decline };
}

type RefundOrder = Partial<Pick<Refund, 'amount' | 'charge' | 'payment_intent' | 'reason'>> & {
  metadata?: Parameters<typeof mergeMetadata>[1];
};

/** Gives back a charge, or a part of it. https://docs.stripe.com/api/refunds/create */
export function createRefund(account: Account, order: RefundOrder): Refund {
  const charge = chargeToRefund(account, order);
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
  const isPending = account.cardOf(payment_method).refunds === 'pending-first';
  const refund = saveRefund(account, {
    id: newId('re'),
    object: 'refund',
    amount,
    charge: charge.id,
    created: account.nowSeconds(),
    currency,
    metadata: mergeMetadata({}, metadata),
    payment_intent,
    payment_method,
    reason,
    status: isPending ? 'pending' : 'succeeded',
  });
  changeBalance(account, 'refund', refund);
  account.publish('refund.created', refund);
  account.publish('charge.refunded', account.find('charge', charge.id));
  return refund;
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;

/** The charge to refund: it must have succeeded, and the bank must not have taken it back in a dispute. */
function chargeToRefund(account: Account, { charge: chargeId, payment_intent }: RefundOrder): Charge {
  const id = chargeId ?? account.find('payment_intent', payment_intent ?? '').latest_charge ?? '';
  const charge = chargeId === undefined ? account.get('charge', id) : account.find('charge', id, 'charge');
  if (charge?.status !== 'succeeded') {
    const intentId = payment_intent ?? charge?.payment_intent;
    throw new ParameterError(`This PaymentIntent (${intentId}) does not have a successful charge to refund.`);
  }
  if (isTakenBack(account, id)) {
    const message = `Charge ${id} has been charged back; cannot issue a refund.`;
    throw refusal(400, message, { code: 'charge_disputed' });
  }
  return charge;
}

/** The sum of a charge's refunds that have not failed, pending ones included. */
function sumOfRefunds(account: Account, chargeId: string): number {
  const refunds = account.all('refund').filter(({ charge }) => charge === chargeId);
  return refunds.reduce((sum, { amount, status }) => (status === 'failed' ? sum : sum + amount), 0);
}

/** Stores a refund, and updates the refunded amount of its charge. */
function saveRefund(account: Account, refund: Refund): Refund {
  account.save(refund);
  const charge = account.find('charge', refund.charge);
  const amount_refunded = sumOfRefunds(account, charge.id);
  account.save({ ...charge, amount_refunded });
  return refund;
}

/** The status that a refund gets some time later, if it changes at all. https://docs.stripe.com/testing#refunds */
export function laterStatus(account: Account, refund: Refund): Refund['status'] | undefined {
  if (refund.status === 'pending') return 'succeeded';
  const fails = account.cardOf(refund.payment_method).refunds === 'fail-later';
  return fails && refund.status === 'succeeded' ? 'failed' : undefined;
}

/** Gives a refund the status that it gets some time later. */
export function settleRefund(account: Account, id: string): void {
  const refund = account.find('refund', id);
  const status = laterStatus(account, refund);
  if (status === undefined) {
    throw new ParameterError(`The refund ${id} has a status of ${refund.status}, which stays.`);
  }
  const settled = saveRefund(account, { ...refund, status });
  if (status === 'failed') changeBalance(account, 'refund_failure', settled);
  account.publish('refund.updated', settled);
  if (status === 'failed') account.publish('refund.failed', settled);
}

function isTakenBack(account: Account, chargeId: string): boolean {
  return account.all('dispute').some(({ charge, status }) => charge === chargeId && status !== 'won');
}

/**
 * The cardholder disputes a charge with her bank, which takes the money back until the dispute is closed.
 * https://docs.stripe.com/disputes/how-disputes-work
 */
export function openDispute(account: Account, chargeId: string, reason: DisputeReason): Dispute {
  const charge = account.find('charge', chargeId);
  if (charge.status !== 'succeeded' || isTakenBack(account, chargeId)) {
    throw new ParameterError(`The charge ${chargeId} was disputed already, or has not succeeded.`);
  }
  const dispute: Dispute = account.save({
    id: newId('du'),
    object: 'dispute',
    amount: charge.amount,
    charge: chargeId,
    created: account.nowSeconds(),
    currency: charge.currency,
    evidence_details: { due_by: account.nowSeconds() + EVIDENCE_S },
    payment_intent: charge.payment_intent,
    reason,
    status: 'needs_response',
  });
  account.save({ ...charge, disputed: true });
  changeBalance(account, 'dispute', dispute);
  account.publish('charge.dispute.created', dispute);
  return dispute;
}

/**
 * The bank decides the dispute. The charge stays `disputed`; if the dispute was won, the charge can be
 * refunded again. https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
export function closeDispute(account: Account, id: string, status: 'won' | 'lost'): void {
  const dispute = account.find('dispute', id);
  if (dispute.status !== 'needs_response') throw new ParameterError('This dispute is already closed');
  const closed = account.save({ ...dispute, status });
  if (status === 'won') changeBalance(account, 'dispute_reversal', closed);
  account.publish('charge.dispute.closed', closed);
}
