import {
  CARD_ONLY,
  CENTS,
  chargeOf,
  courseOf,
  detachCard,
  dispute,
  eventually,
  type Host,
  isTold,
  pay,
  refund,
  refusalOf,
  storeCard,
  stripeError,
} from './contract-calls.ts';

type Row = { says: string; expected: unknown; look: (host: Host) => Promise<unknown> };

const INVALID = [400, 'invalid_request_error'];
const UNEXPECTED_STATE = [...INVALID, 'payment_intent_unexpected_state', null];
const WITHDRAWN = ['dispute', -CENTS];
const REINSTATED = ['dispute_reversal', CENTS];
/** Test cards, without `pm_card_`, and the advice to their declines. */
const ADVICE = {
  visa_chargeDeclinedInsufficientFunds: 'try_again_later',
  visa_chargeDeclinedLostCard: 'do_not_try_again',
  chargeDeclinedExpiredCard: 'do_not_try_again',
  chargeDeclinedIncorrectCvc: 'confirm_card_data',
  chargeDeclinedProcessingError: 'try_again_later',
};

/**
 * What the site and the sandbox assume of Stripe without finding it in the documentation, and what is to come when it is
 * tried. The sandbox is held to it by its tests, an account at Stripe by `npm run stripe-contract`.
 */
export const CONTRACT: Readonly<Record<string, Row>> = {
  'detached-card': {
    says: 'an off-session charge of a detached card is refused without code and parameter',
    expected: [...INVALID, null, null],
    look: async (host) => refusalOf((await detachCard(host)).confirm()),
  },
  'refusal-is-kept': {
    says: 'the refusal of a detached card is kept under its idempotency key',
    expected: [400, 'true'],
    async look(host) {
      const { intent, confirm } = await detachCard(host);
      await stripeError(confirm({}, { idempotencyKey: intent }));
      const { statusCode, headers } = await stripeError(confirm({}, { idempotencyKey: intent }));
      return [statusCode, headers?.['idempotent-replayed']];
    },
  },
  'spent-card': {
    says: 'attaching a card that has paid without a customer is refused without code and parameter',
    expected: [...INVALID, null, null],
    async look(host) {
      const { customer } = await storeCard(host);
      const { payment_method } = (await pay(host, 'pm_card_visa')).charge;
      return refusalOf(host.stripe.paymentMethods.attach(String(payment_method), { customer }));
    },
  },
  'unattached-card': {
    says: 'an off-session charge of a card that was never attached is refused, naming payment_method',
    expected: [...INVALID, null, 'payment_method'],
    look: async (host) => refusalOf((await storeCard(host)).confirm({ payment_method: 'pm_card_visa' })),
  },
  'usage-is-shown': {
    says: 'an off-session charge may be an installment, and its charge shows that',
    expected: 'installment',
    async look(host) {
      const { intent, confirm } = await storeCard(host);
      await confirm();
      const { payment_method_details: details } = await chargeOf(host, intent);
      return details?.card?.stored_credential_usage;
    },
  },
  'authentication-charges-nothing': {
    says: 'a decline as authentication_required leaves the intent open, without a charge and a card',
    expected: ['authentication_required', 'requires_payment_method', null, null],
    async look(host) {
      const { intent, confirm } = await storeCard(host, 'pm_card_authenticationRequired');
      const { code } = await stripeError(confirm());
      const { status, latest_charge, payment_method } = await host.stripe.paymentIntents.retrieve(intent);
      return [code, status, latest_charge, payment_method];
    },
  },
  advice: {
    says: 'each decline has the advice that its code suggests',
    expected: Object.values(ADVICE),
    look(host) {
      const errors = Object.keys(ADVICE).map((card) => stripeError(pay(host, `pm_card_${card}`)));
      return Promise.all(errors.map(async (error) => (await error).advice_code));
    },
  },
  'update-clears-error': {
    says: 'an update of an intent takes its last_payment_error away',
    expected: null,
    async look(host) {
      const { intent, confirm } = await storeCard(host, 'pm_card_chargeCustomerFail');
      await stripeError(confirm());
      return (await host.stripe.paymentIntents.update(intent, { amount: CENTS + 1 })).last_payment_error;
    },
  },
  'cancelled-takes-nothing': {
    says: 'a cancelled intent refuses metadata and a confirmation as payment_intent_unexpected_state',
    expected: [UNEXPECTED_STATE, UNEXPECTED_STATE],
    async look(host) {
      const { paymentIntents } = host.stripe;
      const { intent, confirm } = await storeCard(host);
      await paymentIntents.cancel(intent);
      const update = paymentIntents.update(intent, { metadata: { seen: 'yes' } });
      return [await refusalOf(update), await refusalOf(confirm())];
    },
  },
  'two-confirms-pay-once': {
    says: 'of two confirmations at the same moment one pays, the other is refused as lock_timeout or unexpected state',
    expected: [1, true],
    async look(host) {
      const { intent, confirm } = await storeCard(host);
      const both = [confirm(), confirm()];
      const { code = '' } = await Promise.any(both.map((one) => stripeError(one)));
      await Promise.allSettled(both);
      const { data } = await host.stripe.charges.list({ payment_intent: intent });
      return [data.length, ['lock_timeout', 'payment_intent_unexpected_state'].includes(code)];
    },
  },
  'balance-comes-later': {
    says: 'a charge has no balance transaction in the answer, gets it within a minute, and charge.updated tells it',
    expected: [null, 'string', true],
    async look(host) {
      const card = { confirm: true, payment_method: 'pm_card_visa', expand: ['latest_charge'] };
      const { id, latest_charge: charge } = await host.stripe.paymentIntents.create({
        ...CARD_ONLY,
        ...card,
      });
      const first = typeof charge === 'object' && charge?.balance_transaction;
      const settled = await eventually(
        () => chargeOf(host, id),
        ({ balance_transaction }) => balance_transaction !== null,
      );
      return [first, typeof settled.balance_transaction, await isTold(host, 'charge.updated', settled.id)];
    },
  },
  'refund-beyond-rest': {
    says: 'a refund of more than is left is refused without a code, naming amount',
    expected: [...INVALID, null, 'amount'],
    async look(host) {
      const { payment_intent } = await pay(host, 'pm_card_visa');
      return refusalOf(host.stripe.refunds.create({ payment_intent, amount: CENTS + 1 }));
    },
  },
  'pending-refund-counts': {
    says: 'a pending refund is in amount_refunded',
    expected: ['pending', 'processing', CENTS],
    async look(host) {
      const { made, refunded } = await refund(host, 'pm_card_pendingRefund');
      return [made.status, made.pending_reason, await refunded()];
    },
  },
  'failed-refund-comes-back': {
    says: 'a failed refund is not in amount_refunded, and its sum comes back as refund_failure',
    expected: ['failed', 0, ['refund_failure', CENTS]],
    async look(host) {
      const { made, refunded } = await refund(host, 'pm_card_refundFail');
      host.failRefund(made.id);
      const { status, failure_balance_transaction: back } = await eventually(
        () => host.stripe.refunds.retrieve(made.id, { expand: ['failure_balance_transaction'] }),
        (found) => found.status === 'failed',
      );
      const change = typeof back === 'object' && [back.reporting_category, back.amount];
      return [status, await refunded(), change];
    },
  },
  'dispute-withdraws-once': {
    says: 'a dispute is made with one withdrawal, which charge.dispute.funds_withdrawn tells, and its charge cannot be refunded',
    expected: [['needs_response', [WITHDRAWN], false], true, true],
    async look(host) {
      const { opened, isDisputed } = await dispute(host, 'pm_card_createDispute');
      const told = await isTold(host, 'charge.dispute.funds_withdrawn', opened.id);
      return [courseOf(opened), await isDisputed(), told];
    },
  },
  'won-dispute-gives-back': {
    says: 'a won dispute gives the sum back once, which charge.dispute.funds_reinstated tells, and its charge stays disputed',
    expected: [['won', [WITHDRAWN, REINSTATED], true], true, true],
    async look(host) {
      const { opened, submit, reach, isDisputed } = await dispute(host, 'pm_card_createDispute');
      await submit('winning_evidence');
      const course = courseOf(await reach('won'));
      return [course, await isDisputed(), await isTold(host, 'charge.dispute.funds_reinstated', opened.id)];
    },
  },
  'inquiry-takes-nothing': {
    says: 'an inquiry marks its charge as disputed, and moves no money until it turns into a dispute',
    expected: [['warning_needs_response', [], true], true, ['needs_response', [WITHDRAWN], false]],
    async look(host) {
      const { opened, submit, reach, isDisputed } = await dispute(host, 'pm_card_createDisputeInquiry');
      await submit('escalate_inquiry_evidence');
      return [courseOf(opened), await isDisputed(), courseOf(await reach('needs_response'))];
    },
  },
  'refund-ends-inquiry': {
    says: 'a full refund ends an inquiry as warning_closed, which charge.dispute.closed tells',
    expected: ['warning_closed', true],
    async look(host) {
      const { payment_intent, opened, reach } = await dispute(host, 'pm_card_createDisputeInquiry');
      await host.stripe.refunds.create({ payment_intent });
      const { status } = await reach('warning_closed');
      return [status, await isTold(host, 'charge.dispute.closed', opened.id)];
    },
  },
  'deleting-detaches': {
    says: 'deleting a customer detaches her cards, each with payment_method.detached',
    expected: [null, true],
    async look(host) {
      const { customer, payment_method } = await storeCard(host);
      await host.stripe.customers.del(customer);
      const { customer: holder } = await host.stripe.paymentMethods.retrieve(payment_method);
      return [holder, await isTold(host, 'payment_method.detached', payment_method)];
    },
  },
  'deleted-customer-pays-nothing': {
    says: 'an open intent of a deleted customer cannot be confirmed: resource_missing, naming customer',
    expected: [...INVALID, 'resource_missing', 'customer'],
    async look(host) {
      const { customer, confirm } = await storeCard(host);
      await host.stripe.customers.del(customer);
      return refusalOf(confirm());
    },
  },
};
