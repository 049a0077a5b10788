import { type Account, type Charge, newId, type Refund } from './account.ts';
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
