import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import type Stripe from 'stripe';
import { storeCard, stripeError } from './contract.ts';
import { SANDBOX_KEYS, type Sandbox, type SandboxOptions, startTestSandbox } from './sandbox.ts';

const payment = { amount: 72_100, currency: 'usd' } as const;

const paid = { ...payment, confirm: true, payment_method: 'pm_card_visa' } as const;

async function startLogged(t: Pick<TestContext, 'after'>, options: SandboxOptions = {}) {
  const lines: string[] = [];
  const started = await startTestSandbox(t, { log: (line) => lines.push(line), ...options });
  return { ...started, lines, browser: browserCalls(started.sandbox) };
}

/** The calls that the page's script makes, with the publishable key. */
function browserCalls({ url }: Sandbox) {
  const call = async (path: string, values: Record<string, string>) => {
    const headers = { Authorization: `Bearer ${SANDBOX_KEYS.publishableKey}` };
    const body = new URLSearchParams(values);
    const response = await fetch(`${url}${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text) };
  };
  const confirm = async ({ id, client_secret }: Stripe.PaymentIntent, number: string) => {
    const method = await call('/v1/payment_methods', cardForm(number));
    const values = { client_secret: client_secret ?? '', payment_method: method.body.id ?? '' };
    return call(`/v1/payment_intents/${id}/confirm`, values);
  };
  const authenticate = ({ id, client_secret }: Stripe.PaymentIntent, outcome = 'authenticated') =>
    call(`/sandbox/payment_intents/${id}/challenge`, { client_secret: client_secret ?? '', outcome });
  return { call, confirm, authenticate };
}

const cardForm = (number: string) => ({
  type: 'card',
  'card[number]': number,
  'card[exp_month]': '12',
  'card[exp_year]': '34',
});

/**
 * An endpoint that answers deliveries with the given statuses, then with 200. `next` returns the events in turn, and
 * throws for one that the sandbox has not signed.
 */
async function listen(t: Pick<TestContext, 'after'>, stripe: Stripe, statuses: number[] = []) {
  const server = createServer(async (request, response) => {
    const payload = Buffer.concat(await request.toArray()).toString();
    response.writeHead(statuses.shift() ?? 200).end();
    const signature = String(request.headers['stripe-signature']);
    server.emit('event', stripe.webhooks.constructEvent(payload, signature, SANDBOX_KEYS.webhookSecret));
  }).listen(0, '127.0.0.1');
  const events = on(server, 'event');
  await once(server, 'listening');
  t.after(() => server.close().closeAllConnections());
  const address = server.address();
  assert.ok(address && typeof address === 'object');
  const next = async (): Promise<Stripe.Event> => (await events.next()).value[0];
  return { url: `http://127.0.0.1:${address.port}/webhooks/stripe`, next };
}

const BEGINS = new Date('2026-01-05T22:00:00Z');
const UNEXPECTED_STATE = { code: 'payment_intent_unexpected_state', statusCode: 400 };

const sumsOf = ({ reporting_category, amount, fee, net }: Stripe.BalanceTransaction) => [
  reporting_category,
  amount,
  fee,
  net,
];

/** A sandbox with a payment of $721.00 by this card, and its events from then on. */
async function startWithPayment(t: TestContext, payment_method = 'pm_card_visa') {
  const running = await startLogged(t, { startsAt: BEGINS });
  const { stripe, sandbox } = running;
  const intent = await stripe.paymentIntents.create({ ...paid, payment_method });
  const charge = String(intent.latest_charge);
  const endpoint = await listen(t, stripe);
  sandbox.setWebhookUrl(endpoint.url);
  return {
    ...running,
    charge,
    refund: (amount?: number) =>
      stripe.refunds.create({ payment_intent: intent.id, ...(amount && { amount }) }),
    changes: async () => (await stripe.balanceTransactions.list()).data,
    async told(...types: string[]) {
      const events = [];
      for (const _type of types) events.push((await endpoint.next()).type);
      assert.deepEqual(events, types);
    },
  };
}

// https://docs.stripe.com/testing#use-test-cards
test('R4.3 no card number comes back or is logged; what is not a test card is a card error', async (t) => {
  const { stripe, browser, lines } = await startLogged(t);
  const number = '378282246310005';
  const intent = await stripe.paymentIntents.create({ ...payment, receipt_email: 'ada@example.com' });
  const { text, body } = await browser.confirm(intent, number);
  assert.equal(body.status, 'succeeded');
  const method = await stripe.paymentMethods.retrieve(String(body.payment_method));
  assert.equal(method.card?.last4, '0005');
  assert.ok(!text.includes(number) && !JSON.stringify(method).includes(number));
  await stripe.customers.list({ email: 'ada@example.com' });
  for (const line of lines) assert.doesNotMatch(line, new RegExp(`${number}|ada@|_secret_`));
  const unknown = await browser.call('/v1/payment_methods', cardForm('4111111111111111'));
  assert.match(unknown.body.error.message, /test card numbers only/);
});

// https://docs.stripe.com/payments/3d-secure/authentication-flow
test('R4.3 R4.4 a 3-D Secure challenge succeeds or fails; another card or cancelling ends it', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const begin = async () => {
    const intent = await stripe.paymentIntents.create(payment);
    const { body } = await browser.confirm(intent, '4000000000003220');
    assert.deepEqual([body.status, body.next_action.type], ['requires_action', 'use_stripe_sdk']);
    assert.deepEqual((await stripe.charges.list({ payment_intent: intent.id })).data, []);
    return intent;
  };
  const one = await begin();
  const failed = (await browser.authenticate(one, 'failed')).body;
  assert.equal(failed.last_payment_error.code, 'payment_intent_authentication_failure');
  await browser.confirm(one, '4000000000003220');
  const forged = await browser.authenticate({ ...one, client_secret: `${one.id}_secret_no` });
  assert.equal(forged.body.error.code, 'payment_intent_invalid_parameter');
  assert.equal((await browser.authenticate(one)).body.status, 'succeeded');
  const replaced = await begin();
  assert.equal((await browser.confirm(replaced, '4000000000000002')).status, 402);
  const cancelled = await begin();
  await stripe.paymentIntents.cancel(cancelled.id);
  for (const intent of [replaced, cancelled])
    assert.equal((await browser.authenticate(intent)).body.error.code, UNEXPECTED_STATE.code);
});

// https://docs.stripe.com/payments/save-during-payment#charge-saved-payment-method
test('the card of a deposit pays the balance while its owner is away, if she set it up', async (t) => {
  const { stripe, browser } = await startLogged(t);
  const customer = (await stripe.customers.create({})).id;
  const deposit = { ...payment, customer, setup_future_usage: 'off_session' } as const;
  const intent = await stripe.paymentIntents.create(deposit);
  await browser.confirm(intent, '4000002500003155');
  await browser.authenticate(intent);
  const [card] = (await stripe.customers.listPaymentMethods(customer)).data;
  const { id } = await stripe.paymentIntents.create({ ...payment, customer });
  const asked = { payment_method: card?.id ?? '', off_session: true };
  assert.equal((await stripe.paymentIntents.confirm(id, asked)).status, 'succeeded');
  const unready = await storeCard({ stripe }, 'pm_card_authenticationRequiredOnSetup');
  assert.equal((await stripeError(unready.confirm())).code, 'authentication_required');
});

// https://docs.stripe.com/payments/paymentintents/lifecycle and https://docs.stripe.com/api/events/types
for (const [declineCode, status, event, captured] of [
  [undefined, 'succeeded', 'succeeded', 'succeeded'],
  ['lost_card', 'requires_payment_method', 'payment_failed', 'failed'],
] as const)
  test(`a payment can be processing, refuses changes meanwhile, and is then ${status}`, async (t) => {
    const { stripe, sandbox, told } = await startWithPayment(t);
    const { id } = await stripe.paymentIntents.create(payment);
    const method = await stripe.paymentMethods.retrieve('pm_card_visa');
    sandbox.bank.delayNextCharge(method.id);
    const { latest_charge } = await stripe.paymentIntents.confirm(id, { payment_method: method.id });
    const charge = async () => (await stripe.charges.retrieve(String(latest_charge))).status;
    assert.equal(await charge(), 'pending');
    await assert.rejects(stripe.paymentIntents.update(id, { amount: 1_000 }), UNEXPECTED_STATE);
    await assert.rejects(stripe.paymentIntents.confirm(id), UNEXPECTED_STATE);
    await assert.rejects(stripe.paymentIntents.cancel(id), UNEXPECTED_STATE);
    sandbox.bank.settlePayment(id, declineCode);
    assert.equal((await stripe.paymentIntents.retrieve(id)).status, status);
    assert.equal(await charge(), captured);
    await told(...['created', 'processing', event].map((name) => `payment_intent.${name}`));
  });

// https://docs.stripe.com/api/payment_intents/confirm: cancelled once the limit of confirmations is reached
test('a decline at the limit of attempts cancels the intent', async (t) => {
  const { stripe, sandbox } = await startLogged(t);
  const { id } = await stripe.paymentIntents.create(payment);
  sandbox.bank.endAttempts(id);
  const declined = stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa_chargeDeclined' });
  const { code, payment_intent } = await stripeError(declined);
  assert.deepEqual([code, payment_intent?.status], ['card_declined', 'canceled']);
  const { cancellation_reason, last_payment_error } = await stripe.paymentIntents.retrieve(id);
  assert.deepEqual([cancellation_reason, last_payment_error?.code], ['automatic', 'card_declined']);
});

// https://docs.stripe.com/api/refunds/cancel has the body of a cancelled refund
test('a refund is of a part or the rest; a pending one can be cancelled by hand, and counts no more', async (t) => {
  const { sandbox, stripe, charge, refund, changes, told } = await startWithPayment(
    t,
    'pm_card_pendingRefund',
  );
  await refund(20_000);
  const { id, amount } = await refund();
  assert.equal(amount, 52_100);
  await assert.rejects(refund(), { code: 'charge_already_refunded' });
  sandbox.bank.cancelRefund(id);
  await told(...['refund.created', 'charge.refunded', 'refund.created', 'charge.refunded', 'refund.updated']);
  const { status, failure_reason } = await stripe.refunds.retrieve(id);
  assert.deepEqual([status, failure_reason], ['canceled', 'merchant_request']);
  assert.equal((await stripe.charges.retrieve(charge)).amount_refunded, 20_000);
  assert.deepEqual((await changes()).map(sumsOf), [
    ['refund_failure', 52_100, 0, 52_100],
    ['refund', -52_100, 0, -52_100],
    ['refund', -20_000, 0, -20_000],
    ['charge', 72_100, 2_121, 69_979],
  ]);
});

/** $721.00, or a part of it, that a dispute withdraws with its fee, and that comes back without. */
const withdrawn = (cents: number, fee = 1_500) => ['dispute', -cents, fee, -cents - fee];
const reinstated = (cents: number) => ['dispute_reversal', cents, 0, cents];

type Opening = NonNullable<Parameters<Sandbox['bank']['openDispute']>[1]>;
type Status = Parameters<Sandbox['bank']['moveDispute']>[1];
/** How it goes on, the events that tell so, what moves, and whether the charge can be refunded then. */
type Course = [Opening, Status[], events: string, moved: (string | number)[][], isRefundable: boolean];

const inquiry: Opening = { status: 'warning_needs_response' };

const COURSES: Record<string, Course> = {
  'that is lost, appealed, and won after all': [
    {},
    ['lost', 'appeal_needs_response', 'won'],
    'created funds_withdrawn closed updated funds_reinstated closed',
    [withdrawn(72_100), reinstated(72_100)],
    true,
  ],
  'that is prevented': [
    { status: 'prevented' },
    [],
    'created funds_withdrawn',
    [withdrawn(72_100, 0)],
    false,
  ],
  'about a part, which is won': [
    { amount: 20_000 },
    ['won'],
    'created funds_withdrawn funds_reinstated closed',
    [withdrawn(20_000), reinstated(20_000)],
    true,
  ],
  'that is an inquiry, turns into a dispute, and is lost': [
    inquiry,
    ['needs_response', 'lost'],
    'created funds_withdrawn updated closed',
    [withdrawn(72_100)],
    false,
  ],
};

// https://docs.stripe.com/disputes/how-disputes-work, https://docs.stripe.com/api/disputes/object,
// https://docs.stripe.com/api/events/types and https://docs.stripe.com/error-codes#charge-disputed
for (const [name, [opening, statuses, events, moved, isRefundable]] of Object.entries(COURSES))
  test(`a dispute ${name}: its events, what it moves, and whether the charge can be refunded`, async (t) => {
    const { stripe, sandbox, charge, refund, changes, told } = await startWithPayment(t);
    const id = sandbox.bank.openDispute(charge, opening);
    for (const status of statuses) sandbox.bank.moveDispute(id, status);
    await told(...events.split(' ').map((event) => `charge.dispute.${event}`));
    const dispute = await stripe.disputes.retrieve(id);
    assert.equal(dispute.status, statuses.at(-1) ?? opening.status);
    assert.deepEqual(dispute.balance_transactions.map(sumsOf), moved);
    assert.deepEqual((await changes()).slice(0, -1).map(sumsOf), moved.toReversed());
    assert.equal((await stripe.charges.retrieve(charge)).disputed, true);
    if (isRefundable) assert.equal((await refund()).status, 'succeeded');
    else await assert.rejects(refund(), { code: 'charge_disputed', statusCode: 400 });
  });

// https://docs.stripe.com/webhooks/signature and https://docs.stripe.com/webhooks#automatic-retries
test('R4.6 events are signed, in business time, and sent again until they are accepted', async (t) => {
  const { stripe, sandbox, lines } = await startLogged(t, { startsAt: BEGINS });
  const { url, next } = await listen(t, stripe, [500, 302]);
  sandbox.setWebhookUrl(url);
  await stripe.customers.create({});
  const { id, created } = await next();
  assert.ok(Math.abs(created - BEGINS.getTime() / 1000) < 30);
  assert.deepEqual([(await next()).id, (await next()).id], [id, id]);
  assert.ok(lines.some((line) => /^webhook customer\.created \S+ -> 500$/.test(line)));
});
