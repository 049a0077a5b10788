import * as v from 'valibot';
import { type Account, type Endpoint, NO_REQUEST, newObjectId } from './account.ts';
import { ParameterError, resourceMissing } from './answer.ts';
import { createdFilter, listPage, matchesCreated, pageParameters } from './list.ts';
import type { Dispute, DisputeReason } from './objects.ts';
import { parseParameters, text } from './parameters.ts';

const listParameters = v.strictObject({
  ...pageParameters,
  charge: v.exactOptional(text(255)),
  created: v.exactOptional(createdFilter),
  payment_intent: v.exactOptional(text(255)),
});

/** The read operations on disputes. https://docs.stripe.com/api/disputes */
export function disputeEndpoints(account: Account) {
  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    return findDispute(account, call.id);
  };

  const list: Endpoint = (call) => {
    const { charge, created, payment_intent, ...page } = parseParameters(listParameters, call.parameters);
    const disputes = [...account.disputes.values()].filter(
      (dispute) =>
        (charge === undefined || dispute.charge === charge) &&
        (payment_intent === undefined || dispute.payment_intent === payment_intent) &&
        matchesCreated(dispute.created, created),
    );
    return listPage('/v1/disputes', 'dispute', disputes, page);
  };

  return { retrieve, list };
}

function findDispute(account: Account, id: string): Dispute {
  const dispute = account.disputes.get(id);
  if (!dispute) throw resourceMissing('dispute', id);
  return dispute;
}

/**
 * The cardholder disputes a charge with her bank, which takes the money back until the dispute is closed.
 * https://docs.stripe.com/disputes/how-disputes-work
 */
export function openDispute(account: Account, chargeId: string, reason: DisputeReason): Dispute {
  const charge = account.charges.get(chargeId);
  if (!charge) throw resourceMissing('charge', chargeId);
  const others = [...account.disputes.values()].filter((one) => one.charge === chargeId);
  if (charge.status !== 'succeeded' || others.some(({ status }) => status !== 'won')) {
    throw new ParameterError(`The charge ${chargeId} was disputed already, or has not succeeded.`, {});
  }
  const { amount, currency, payment_intent } = charge;
  const dispute: Dispute = {
    id: newObjectId('du'),
    object: 'dispute',
    amount,
    balance_transactions: [],
    charge: chargeId,
    created: account.nowSeconds(),
    currency,
    is_charge_refundable: false,
    livemode: false,
    metadata: {},
    payment_intent,
    reason,
    status: 'needs_response',
  };
  account.disputes.set(dispute.id, dispute);
  account.charges.set(chargeId, { ...charge, disputed: true });
  account.publish('charge.dispute.created', dispute, NO_REQUEST);
  return dispute;
}

/**
 * The bank decides the dispute. The charge stays `disputed`; if the dispute was won, the charge can be
 * refunded again. https://docs.stripe.com/api/disputes/object#dispute_object-status
 */
export function closeDispute(account: Account, id: string, outcome: 'won' | 'lost'): Dispute {
  const dispute = findDispute(account, id);
  if (dispute.status !== 'needs_response') throw new ParameterError('This dispute is already closed', {});
  const closed: Dispute = { ...dispute, status: outcome, is_charge_refundable: outcome === 'won' };
  account.disputes.set(id, closed);
  account.publish('charge.dispute.closed', closed, NO_REQUEST);
  return closed;
}
