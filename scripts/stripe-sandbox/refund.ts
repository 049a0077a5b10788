import { type Account, NO_REQUEST, newObjectId } from './account.ts';
import { ParameterError, resourceMissing } from './answer.ts';
import type { Charge, Refund } from './objects.ts';

/** The refund of this id. */
export function findRefund(account: Account, id: string): Refund {
  const refund = account.refunds.get(id);
  if (!refund) throw resourceMissing('refund', id);
  return refund;
}

/** A refund of this charge that is not stored yet. */
export function newRefund(
  account: Account,
  charge: Charge,
  fields: Pick<Refund, 'amount' | 'metadata' | 'reason'>,
): Refund {
  const { currency, customer, payment_intent, payment_method } = charge;
  const isPending = refundBehaviour(account, payment_method) === 'pending-first';
  return {
    id: newObjectId('re'),
    object: 'refund',
    charge: charge.id,
    created: account.nowSeconds(),
    currency,
    customer,
    payment_intent,
    payment_method,
    ...(isPending && { pending_reason: 'processing' }),
    receipt_number: null,
    status: isPending ? 'pending' : 'succeeded',
    ...fields,
  };
}

function refundBehaviour(account: Account, paymentMethodId: string) {
  return account.paymentMethods.get(paymentMethodId)?.behaviour.refund;
}

/** The sum of a charge's refunds that have not failed, pending ones included. */
export function sumOfRefunds(account: Account, chargeId: string): number {
  const refunds = [...account.refunds.values()].filter(
    ({ charge, status }) => charge === chargeId && status !== 'failed',
  );
  return refunds.reduce((sum, { amount }) => sum + amount, 0);
}

/** Stores a refund, and updates the refunded amount of its charge. */
export function saveRefund(account: Account, refund: Refund): Refund {
  account.refunds.set(refund.id, refund);
  const charge = account.charges.get(refund.charge);
  if (charge) {
    const amount_refunded = sumOfRefunds(account, charge.id);
    account.charges.set(charge.id, {
      ...charge,
      amount_refunded,
      refunded: amount_refunded === charge.amount,
    });
  }
  return refund;
}

/**
 * The status that a refund gets some time later, if it changes at all.
 * https://docs.stripe.com/testing#refunds
 */
export function laterStatus(
  account: Account,
  { status, payment_method }: Refund,
): Refund['status'] | undefined {
  if (status === 'pending') return 'succeeded';
  const fails = status === 'succeeded' && refundBehaviour(account, payment_method) === 'fails-later';
  return fails ? 'failed' : undefined;
}

/** Gives a refund the status that it gets some time later. */
export function settleRefund(account: Account, id: string): void {
  const { pending_reason: _over, ...refund } = findRefund(account, id);
  const status = laterStatus(account, refund);
  if (status === undefined) {
    throw new ParameterError(`The refund ${id} has a status of ${refund.status}, which stays.`, {});
  }
  const reason = status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {};
  const settled = saveRefund(account, { ...refund, ...reason, status });
  account.publish('refund.updated', settled, NO_REQUEST);
  if (status === 'failed') account.publish('refund.failed', settled, NO_REQUEST);
}
