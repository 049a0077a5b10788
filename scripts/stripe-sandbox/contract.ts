import {
  CARD_ONLY,
  CENTS,
  chargeOf,
  courseOf,
  dispute,
  errorOf,
  eventually,
  type Host,
  isTold,
  pay,
  refund,
  refusalOf,
  storeCard,
} from './contract-calls.ts';

type Row = {
  id: string;
  says: string;
  /** What comes of it, as plain values. */
  look: (host: Host) => Promise<unknown>;
  expected: unknown;
};

const INVALID = [400, 'invalid_request_error'];
const UNEXPECTED_STATE = [...INVALID, 'payment_intent_unexpected_state', null];

/**
 * What the site and the sandbox assume of Stripe without finding it in the documentation. The sandbox is held to it by its
 * tests, an account at Stripe by `npm run stripe-contract`.
 */
export const CONTRACT: readonly Row[] = [
  {
    id: 'detached-card',
    says: 'an off-session charge of a detached card is refused without code and parameter',
    async look(host) {
      const { method, confirm } = await storeCard(host);
      await host.stripe.paymentMethods.detach(method);
      return refusalOf(confirm());
    },
    expected: [...INVALID, null, null],
  },
  {
    id: 'refusal-is-kept',
    says: 'the refusal of a detached card is kept under its idempotency key',
    async look(host) {
      const { method, intent, confirm } = await storeCard(host);
      await host.stripe.paymentMethods.detach(method);
      const again = () => errorOf(confirm(method, { idempotencyKey: intent }));
      return [(await again()).statusCode, (await again()).headers?.['idempotent-replayed']];
    },
    expected: [400, 'true'],
  },
  {
    id: 'spent-card',
    says: 'attaching a card that has paid without a customer is refused without code and parameter',
    async look(host) {
      const { customer } = await storeCard(host);
      const { payment_method } = (await pay(host, 'pm_card_visa')).charge;
      return refusalOf(host.stripe.paymentMethods.attach(String(payment_method), { customer }));
    },
    expected: [...INVALID, null, null],
  },
  {
    id: 'unattached-card',
    says: 'an off-session charge of a card that was never attached is refused, naming payment_method',
    look: async (host) => refusalOf((await storeCard(host)).confirm('pm_card_visa')),
    expected: [...INVALID, null, 'payment_method'],
  },
  {
    id: 'usage-is-shown',
    says: 'an off-session charge may be an installment, and its charge shows that',
    async look(host) {
      const { intent, confirm } = await storeCard(host);
      await confirm();
      const { payment_method_details: details } = await chargeOf(host.stripe, intent);
      return details?.card?.stored_credential_usage;
    },
    expected: 'installment',
  },
  {
    id: 'authentication-charges-nothing',
    says: 'a decline as authentication_required leaves the intent open, without a charge and a card',
    async look(host) {
      const { intent, confirm } = await storeCard(host, 'pm_card_authenticationRequired');
      const { code } = await errorOf(confirm());
      const { status, latest_charge, payment_method } = await host.stripe.paymentIntents.retrieve(intent);
      return [code, status, latest_charge, payment_method];
    },
    expected: ['authentication_required', 'requires_payment_method', null, null],
  },
  {
    id: 'advice',
    says: 'each decline has the advice that its code suggests',
    async look(host) {
      const adviceTo = async (card: string) => (await errorOf(pay(host, `pm_card_${card}`))).advice_code;
      return [
        await adviceTo('visa_chargeDeclinedInsufficientFunds'),
        await adviceTo('visa_chargeDeclinedLostCard'),
        await adviceTo('chargeDeclinedExpiredCard'),
        await adviceTo('chargeDeclinedIncorrectCvc'),
        await adviceTo('chargeDeclinedProcessingError'),
      ];
    },
    expected: [
      'try_again_later',
      'do_not_try_again',
      'do_not_try_again',
      'confirm_card_data',
      'try_again_later',
    ],
  },
  {
    id: 'update-clears-error',
    says: 'an update of an intent takes its last_payment_error away',
    async look(host) {
      const { intent, confirm } = await storeCard(host, 'pm_card_chargeCustomerFail');
      await errorOf(confirm());
      return (await host.stripe.paymentIntents.update(intent, { amount: CENTS + 1 })).last_payment_error;
    },
    expected: null,
  },
  {
    id: 'cancelled-takes-nothing',
    says: 'a cancelled intent refuses metadata and a confirmation as payment_intent_unexpected_state',
    async look(host) {
      const { paymentIntents } = host.stripe;
      const { intent, confirm } = await storeCard(host);
      await paymentIntents.cancel(intent);
      const update = paymentIntents.update(intent, { metadata: { seen: 'yes' } });
      return [await refusalOf(update), await refusalOf(confirm())];
    },
    expected: [UNEXPECTED_STATE, UNEXPECTED_STATE],
  },
  {
    id: 'two-confirms-pay-once',
    says: 'of two confirmations at the same moment one pays, the other is refused as lock_timeout or unexpected state',
    async look(host) {
      const { intent, confirm } = await storeCard(host);
      const [one, other] = [confirm(), confirm()];
      const { code = '' } = await Promise.any([errorOf(one), errorOf(other)]);
      const { data } = await host.stripe.charges.list({ payment_intent: intent });
      return [data.length, ['lock_timeout', 'payment_intent_unexpected_state'].includes(code)];
    },
    expected: [1, true],
  },
  {
    id: 'balance-comes-later',
    says: 'a charge has no balance transaction in the answer, gets it within a minute, and charge.updated tells it',
    async look(host) {
      const card = { confirm: true, payment_method: 'pm_card_visa', expand: ['latest_charge'] };
      const paid = await host.stripe.paymentIntents.create({ ...CARD_ONLY, ...card });
      const first = typeof paid.latest_charge === 'object' && paid.latest_charge?.balance_transaction;
      const settled = await eventually(
        () => chargeOf(host.stripe, paid.id),
        (charge) => charge.balance_transaction !== null,
      );
      return [first, typeof settled.balance_transaction, await isTold(host, 'charge.updated', settled.id)];
    },
    expected: [null, 'string', true],
  },
  {
    id: 'refund-beyond-rest',
    says: 'a refund of more than is left is refused without a code, naming amount',
    async look(host) {
      const { payment_intent } = await pay(host, 'pm_card_visa');
      return refusalOf(host.stripe.refunds.create({ payment_intent, amount: CENTS + 1 }));
    },
    expected: [...INVALID, null, 'amount'],
  },
  {
    id: 'pending-refund-counts',
    says: 'a pending refund is in amount_refunded',
    async look(host) {
      const { status, pending_reason, refunded } = await refund(host, 'pm_card_pendingRefund');
      return [status, pending_reason, await refunded()];
    },
    expected: ['pending', 'processing', CENTS],
  },
  {
    id: 'failed-refund-comes-back',
    says: 'a failed refund is not in amount_refunded, and its sum comes back as refund_failure',
    async look(host) {
      const { id, refunded } = await refund(host, 'pm_card_refundFail');
      host.failRefund(id);
      const expand = ['failure_balance_transaction'];
      const failed = await eventually(
        () => host.stripe.refunds.retrieve(id, { expand }),
        ({ status }) => status === 'failed',
      );
      const back = failed.failure_balance_transaction;
      const change = typeof back === 'object' && [back.reporting_category, back.amount];
      return [failed.status, await refunded(), change];
    },
    expected: ['failed', 0, ['refund_failure', CENTS]],
  },
  {
    id: 'dispute-withdraws-once',
    says: 'a dispute is made with one withdrawal, which charge.dispute.funds_withdrawn tells, and its charge cannot be refunded',
    async look(host) {
      const { opened, isDisputed } = await dispute(host, 'pm_card_createDispute');
      const told = await isTold(host, 'charge.dispute.funds_withdrawn', opened.id);
      return [courseOf(opened), await isDisputed(), told];
    },
    expected: [['needs_response', [['dispute', -CENTS]], false], true, true],
  },
  {
    id: 'won-dispute-gives-back',
    says: 'a won dispute gives the sum back once, which charge.dispute.funds_reinstated tells, and its charge stays disputed',
    async look(host) {
      const { opened, reach, isDisputed } = await dispute(host, 'pm_card_createDispute');
      await host.stripe.disputes.update(opened.id, { evidence: { uncategorized_text: 'winning_evidence' } });
      const won = await reach('won');
      const told = await isTold(host, 'charge.dispute.funds_reinstated', opened.id);
      return [courseOf(won), await isDisputed(), told];
    },
    expected: [
      [
        'won',
        [
          ['dispute', -CENTS],
          ['dispute_reversal', CENTS],
        ],
        true,
      ],
      true,
      true,
    ],
  },
  {
    id: 'inquiry-takes-nothing',
    says: 'an inquiry marks its charge as disputed, and moves no money until it turns into a dispute',
    async look(host) {
      const { opened, reach, isDisputed } = await dispute(host, 'pm_card_createDisputeInquiry');
      const evidence = { uncategorized_text: 'escalate_inquiry_evidence' };
      await host.stripe.disputes.update(opened.id, { evidence });
      return [courseOf(opened), await isDisputed(), courseOf(await reach('needs_response'))];
    },
    expected: [['warning_needs_response', [], true], true, ['needs_response', [['dispute', -CENTS]], false]],
  },
  {
    id: 'refund-ends-inquiry',
    says: 'a full refund ends an inquiry as warning_closed, which charge.dispute.closed tells',
    async look(host) {
      const { payment_intent, opened, reach } = await dispute(host, 'pm_card_createDisputeInquiry');
      await host.stripe.refunds.create({ payment_intent });
      const closed = await reach('warning_closed');
      return [closed.status, await isTold(host, 'charge.dispute.closed', opened.id)];
    },
    expected: ['warning_closed', true],
  },
  {
    id: 'deleting-detaches',
    says: 'deleting a customer detaches her cards, each with payment_method.detached',
    async look(host) {
      const { customer, method } = await storeCard(host);
      await host.stripe.customers.del(customer);
      const { customer: holder } = await host.stripe.paymentMethods.retrieve(method);
      return [holder, await isTold(host, 'payment_method.detached', method)];
    },
    expected: [null, true],
  },
  {
    id: 'deleted-customer-pays-nothing',
    says: 'an open intent of a deleted customer cannot be confirmed: resource_missing, naming customer',
    async look(host) {
      const { customer, confirm } = await storeCard(host);
      await host.stripe.customers.del(customer);
      return refusalOf(confirm());
    },
    expected: [...INVALID, 'resource_missing', 'customer'],
  },
];
