import * as v from 'valibot';
import type { Account, Endpoint } from './account.ts';
import { ApiError, ParameterError, resourceMissing } from './answer.ts';
import { createdFilter, listPage, matchesCreated, pageParameters } from './list.ts';
import type { Charge } from './objects.ts';
import { integer, mergeMetadata, metadata, parseParameters, text } from './parameters.ts';
import { findRefund, newRefund, saveRefund, sumOfRefunds } from './refund.ts';

const createParameters = v.strictObject({
  amount: v.exactOptional(v.pipe(integer, v.minValue(1, 'This value must be greater than or equal to 1'))),
  charge: v.exactOptional(text(255)),
  metadata: v.exactOptional(metadata),
  payment_intent: v.exactOptional(text(255)),
  reason: v.exactOptional(
    v.picklist(
      ['duplicate', 'fraudulent', 'requested_by_customer'],
      'Invalid reason: must be one of duplicate, fraudulent, or requested_by_customer',
    ),
  ),
});

const updateParameters = v.strictObject({ metadata: v.exactOptional(metadata) });

const listParameters = v.strictObject({
  ...pageParameters,
  charge: v.exactOptional(text(255)),
  created: v.exactOptional(createdFilter),
  payment_intent: v.exactOptional(text(255)),
});

type Create = v.InferOutput<typeof createParameters>;

/** The operations on refunds. https://docs.stripe.com/api/refunds */
export function refundEndpoints(account: Account) {
  const create: Endpoint = (call) => {
    const parameters = parseParameters(createParameters, call.parameters);
    const charge = chargeToRefund(account, parameters);
    const left = charge.amount - sumOfRefunds(account, charge.id);
    const { amount = left, reason = null, metadata: pairs } = parameters;
    checkAmount(charge.id, amount, left);
    const refund = saveRefund(
      account,
      newRefund(account, charge, { amount, reason, metadata: mergeMetadata({}, pairs) }),
    );
    account.publish('refund.created', refund, call);
    account.publish('charge.refunded', account.charges.get(charge.id) ?? charge, call);
    return refund;
  };

  const retrieve: Endpoint = (call) => {
    parseParameters(v.strictObject({}), call.parameters);
    return findRefund(account, call.id);
  };

  const update: Endpoint = (call) => {
    const refund = findRefund(account, call.id);
    const { metadata: pairs } = parseParameters(updateParameters, call.parameters);
    const updated = saveRefund(account, { ...refund, metadata: mergeMetadata(refund.metadata, pairs) });
    account.publish('refund.updated', updated, call);
    return updated;
  };

  const list: Endpoint = (call) => {
    const { charge, created, payment_intent, ...page } = parseParameters(listParameters, call.parameters);
    const refunds = [...account.refunds.values()].filter(
      (refund) =>
        (charge === undefined || refund.charge === charge) &&
        (payment_intent === undefined || refund.payment_intent === payment_intent) &&
        matchesCreated(refund.created, created),
    );
    return listPage('/v1/refunds', 'refund', refunds, page);
  };

  return { create, retrieve, update, list };
}

/** The charge to refund: it must have succeeded, and the bank must not have taken it back in a dispute. */
function chargeToRefund(account: Account, { charge: chargeId, payment_intent }: Create): Charge {
  if (chargeId === undefined && payment_intent === undefined) {
    throw new ParameterError(
      'One of the following params should be provided for this request: payment_intent or charge.',
      {},
    );
  }
  const intent = payment_intent === undefined ? undefined : account.paymentIntents.get(payment_intent);
  if (payment_intent !== undefined && !intent) throw resourceMissing('payment_intent', payment_intent);
  const id = chargeId ?? intent?.latest_charge ?? '';
  const charge = account.charges.get(id);
  if (!charge && chargeId !== undefined) throw resourceMissing('charge', chargeId);
  if (charge?.status !== 'succeeded') {
    const intentId = payment_intent ?? charge?.payment_intent;
    throw new ParameterError(
      `This PaymentIntent (${intentId}) does not have a successful charge to refund.`,
      {},
    );
  }
  if (
    [...account.disputes.values()].some((dispute) => dispute.charge === id && !dispute.is_charge_refundable)
  ) {
    // https://docs.stripe.com/error-codes#charge-disputed
    throw refusal('charge_disputed', `Charge ${id} has been charged back; cannot issue a refund.`);
  }
  return charge;
}

/** Refuses to refund more than what is left of a charge. https://docs.stripe.com/api/refunds/create */
function checkAmount(chargeId: string, amount: number, left: number): void {
  if (left === 0) throw refusal('charge_already_refunded', `Charge ${chargeId} has already been refunded.`);
  if (amount <= left) return;
  throw new ParameterError(
    `Refund amount (${dollars(amount)}) is greater than unrefunded amount on charge (${dollars(left)})`,
    { param: 'amount' },
  );
}

function refusal(code: string, message: string): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message });
}

const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`;
