import { setTimeout as delay } from 'node:timers/promises';
import Stripe from 'stripe';

export type Host = {
  stripe: Stripe;
  /** Lets a refund of the card 5126 fail; at Stripe it does so by itself. */
  failRefund: (id: string) => void;
};

type Connected = Pick<Host, 'stripe'>;
type Row = { says: string; expected: unknown; look: (host: Host) => Promise<unknown> };

const CENTS = 5_000;
const BY_CARD: Stripe.PaymentIntentCreateParams = {
  amount: CENTS,
  currency: 'usd',
  allowed_payment_method_types: ['card'],
};

async function pay({ stripe }: Connected, payment_method: string) {
  const asked = { ...BY_CARD, confirm: true, payment_method, expand: ['latest_charge'] };
  const { id: payment_intent, latest_charge: charge } = await stripe.paymentIntents.create(asked);
  if (typeof charge !== 'object' || !charge) throw new Error(`${payment_intent} has no charge`);
  return { payment_intent, charge };
}

export async function storeCard({ stripe }: Connected, card = 'pm_card_visa') {
  const { id: customer } = await stripe.customers.create({ name: 'Ada Long' });
  const { id: payment_method } = await stripe.paymentMethods.attach(card, { customer });
  const { id: intent } = await stripe.paymentIntents.create({ ...BY_CARD, customer });
  const confirm = (changes: Stripe.PaymentIntentConfirmParams = {}, options: Stripe.RequestOptions = {}) =>
    stripe.paymentIntents.confirm(intent, { payment_method, off_session: true, ...changes }, options);
  return { customer, payment_method, intent, confirm };
}

function openSession(stripe: Stripe, minutes: number, customer?: string): Promise<Stripe.Checkout.Session> {
  return stripe.checkout.sessions.create({
    mode: 'setup',
    allowed_payment_method_types: ['card'],
    expires_at: Math.floor(Date.now() / 1000) + minutes * 60,
    success_url: 'https://site.example/back?session={CHECKOUT_SESSION_ID}',
    ...(customer !== undefined && { customer }),
  });
}

async function detachCard(host: Connected) {
  const stored = await storeCard(host);
  await host.stripe.paymentMethods.detach(stored.payment_method);
  return stored;
}

async function refusalOf(call: Promise<unknown>) {
  const { statusCode, rawType, code, param } = await stripeError(call);
  return [statusCode, rawType, code ?? null, param ?? null];
}

export async function stripeError(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  const error = await call.then(
    () => new Error('The call was not refused'),
    (reason: unknown) => reason,
  );
  if (error instanceof Stripe.errors.StripeError) return error;
  throw error;
}

/** Reads for a minute until it is there. */
async function eventually<Value>(read: () => Promise<Value>, isThere: (value: Value) => boolean) {
  for (let left = 60; ; left -= 1) {
    const value = await read();
    if (isThere(value) || left === 0) return value;
    await delay(1_000);
  }
}

async function eventAbout(
  { stripe }: Connected,
  type: string,
  id: string,
): Promise<Stripe.Event | undefined> {
  const find = ({ data }: Stripe.ApiList<Stripe.Event>) =>
    data.find(({ data: { object } }) => 'id' in object && object.id === id);
  const list = () => stripe.events.list({ types: [type], limit: 20 });
  return find(await eventually(list, (listed) => find(listed) !== undefined));
}

const changeOf = ({ reporting_category, amount }: Stripe.BalanceTransaction) => [reporting_category, amount];

/** A disputed payment at first, and once it has this status; whether its charge is disputed, and this event tells so. */
async function dispute(
  { stripe }: Host,
  [card, status, event]: readonly [card: string, status: string, event: string],
  evidence?: string,
) {
  const { payment_intent, charge } = await pay({ stripe }, card);
  const list = async () => (await stripe.disputes.list({ payment_intent })).data;
  const [opened] = await eventually(list, ({ length }) => length > 0);
  if (!opened) throw new Error(`${payment_intent} is not disputed`);
  if (evidence) await stripe.disputes.update(opened.id, { evidence: { uncategorized_text: evidence } });
  const found = await eventually(
    () => stripe.disputes.retrieve(opened.id),
    (one) => one.status === status,
  );
  const { disputed } = await stripe.charges.retrieve(charge.id);
  const told = await eventAbout({ stripe }, `charge.dispute.${event}`, opened.id);
  return [courseOf(opened), courseOf(found), disputed, told !== undefined];
}

const courseOf = (one: Stripe.Dispute) => [
  one.status,
  one.balance_transactions.map(changeOf),
  one.is_charge_refundable,
];

const INVALID = [400, 'invalid_request_error'];
const WITHDRAWN = ['dispute', -CENTS];
const DISPUTED = ['needs_response', [WITHDRAWN], false];
const ASKED = ['warning_needs_response', [], true];

/** What the site and the sandbox assume of Stripe without finding it in the documentation. */
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
  'setup-without-customer': {
    says: 'a card that a setup without a customer has stored can be attached later, and pays off-session',
    expected: [null, 'succeeded'],
    async look(host) {
      const { setupIntents, paymentMethods } = host.stripe;
      const { customer, confirm } = await storeCard(host);
      const { id } = await setupIntents.create({
        usage: 'off_session',
        allowed_payment_method_types: ['card'],
      });
      const setup = await setupIntents.confirm(id, { payment_method: 'pm_card_visa' });
      const card = String(setup.payment_method);
      const { customer: before } = await paymentMethods.retrieve(card);
      await paymentMethods.attach(card, { customer });
      return [before, (await confirm({ payment_method: card })).status];
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
    expected: Array.from({ length: 2 }, () => [...INVALID, 'payment_intent_unexpected_state', null]),
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
    says: 'a charge has no balance transaction in the answer, and gets it within a minute',
    expected: [null, 'string'],
    async look(host) {
      const { charge } = await pay(host, 'pm_card_visa');
      const { balance_transaction } = await eventually(
        () => host.stripe.charges.retrieve(charge.id),
        (found) => found.balance_transaction !== null,
      );
      return [charge.balance_transaction, typeof balance_transaction];
    },
  },
  'failed-refund-comes-back': {
    says: 'a failed refund is not in amount_refunded, and its sum comes back as refund_failure',
    expected: [0, ['refund_failure', CENTS]],
    async look({ stripe, failRefund }) {
      const { payment_intent, charge } = await pay({ stripe }, 'pm_card_refundFail');
      const { id } = await stripe.refunds.create({ payment_intent });
      failRefund(id);
      const { failure_balance_transaction: back } = await eventually(
        () => stripe.refunds.retrieve(id),
        ({ status }) => status === 'failed',
      );
      const change = await stripe.balanceTransactions.retrieve(String(back));
      return [(await stripe.charges.retrieve(charge.id)).amount_refunded, changeOf(change)];
    },
  },
  'dispute-withdraws-once': {
    says: 'a dispute is made with one withdrawal, which charge.dispute.funds_withdrawn tells, and its charge cannot be refunded',
    expected: [DISPUTED, DISPUTED, true, true],
    look: (host) => dispute(host, ['pm_card_createDispute', 'needs_response', 'funds_withdrawn']),
  },
  'won-dispute-gives-back': {
    says: 'a won dispute gives the sum back once, which charge.dispute.funds_reinstated tells, and its charge stays disputed',
    expected: [DISPUTED, ['won', [WITHDRAWN, ['dispute_reversal', CENTS]], true], true, true],
    look: (host) => dispute(host, ['pm_card_createDispute', 'won', 'funds_reinstated'], 'winning_evidence'),
  },
  'inquiry-takes-nothing': {
    says: 'an inquiry marks its charge as disputed, and moves no money until it turns into a dispute',
    expected: [ASKED, DISPUTED, true, true],
    look: (host) =>
      dispute(
        host,
        ['pm_card_createDisputeInquiry', 'needs_response', 'funds_withdrawn'],
        'escalate_inquiry_evidence',
      ),
  },
  'detaching-names-customer': {
    says: 'payment_method.detached names in previous_attributes the customer that it was detached from',
    expected: true,
    async look(host) {
      const { customer, payment_method } = await detachCard(host);
      const event = await eventAbout(host, 'payment_method.detached', payment_method);
      return (
        event?.type === 'payment_method.detached' && event.data.previous_attributes?.customer === customer
      );
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
  'session-lasts-half-an-hour': {
    says: 'a Checkout session of setup mode may last 31 minutes, not 29: that names expires_at',
    expected: ['open', ...INVALID, null, 'expires_at'],
    async look({ stripe }) {
      const session = await openSession(stripe, 31);
      return [session.status, ...(await refusalOf(openSession(stripe, 29)))];
    },
  },
  'session-expires-once': {
    says: 'an expired session has no address any more, and is refused to be expired again as an invalid request',
    expected: ['expired', null, ...INVALID],
    async look({ stripe }) {
      const { id } = await openSession(stripe, 31);
      const { status, url } = await stripe.checkout.sessions.expire(id);
      const [code, type] = await refusalOf(stripe.checkout.sessions.expire(id));
      return [status, url, code, type];
    },
  },
  'deleted-customer-gives-no-card': {
    says: 'a session for a deleted customer is refused: resource_missing, naming customer',
    expected: [...INVALID, 'resource_missing', 'customer'],
    async look({ stripe }) {
      const { id } = await stripe.customers.create({});
      await stripe.customers.del(id);
      return refusalOf(openSession(stripe, 31, id));
    },
  },
  'bank-page-stays': {
    says: 'a payment confirmed with return_url names the page of its bank, and the same one when it is read again',
    expected: ['requires_action', true],
    async look(host) {
      const { confirm, intent } = await storeCard(host, 'pm_card_authenticationRequired');
      const asked = await confirm({ off_session: false, return_url: 'https://site.example/back' });
      const url = asked.next_action?.redirect_to_url?.url;
      const again = await host.stripe.paymentIntents.retrieve(intent);
      return [again.status, url !== undefined && again.next_action?.redirect_to_url?.url === url];
    },
  },
};
