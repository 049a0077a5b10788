import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import {
  SANDBOX_KEYS,
  type Sandbox,
  type SandboxOptions,
  startTestSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import { addressDigest } from '#server/payments/address-digest.ts';
import { NOTICE_MS } from '#server/payments/charge-plan.ts';
import { createPayments } from '#server/payments/payments.ts';
import {
  balanceOfRecord,
  NOTICED_MARK,
  type RegistrationRecord,
} from '#server/payments/registration-record.ts';
import { chargeMomentOf, stateOf } from '#server/payments/registration-state.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import type { TestScope } from './clean-up.ts';

export const DAY_MS = 24 * 60 * 60 * 1000;
/** When the balances of the edition are charged. */
export const DUE = new Date(edition.facts.balance.chargeAt);
/** When the deposits of tests are paid by default. */
const BEGINS = new Date('2025-12-01T17:00:00Z');

export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/** Her customer's metadata once the mail server has accepted the letter that announces her charge as it is due now. */
export function noticeOf(record: RegistrationRecord, at?: Date): { [NOTICED_MARK]: string } {
  const dueAt = chargeMomentOf(record);
  const noticed = {
    at: at ?? new Date(dueAt.getTime() - NOTICE_MS),
    dueAt,
    cents: balanceOfRecord(record).byCardCents,
    to: addressDigest(record.registrant.email),
  };
  return { [NOTICED_MARK]: JSON.stringify(noticed) };
}

/**
 * The Stripe client of a worker that is killed at its n-th request: before the request is sent, or before its answer is
 * read. From then on it sends nothing more.
 */
export function killedAt(step: number, isSent: boolean, { host, port }: Sandbox): Stripe {
  let left = step;
  const killed = new Error('The worker was killed');
  const send: typeof fetch = async (...request) => {
    left -= 1;
    if (left > 0) return fetch(...request);
    if (left === 0 && isSent) await fetch(...request);
    throw killed;
  };
  return new Stripe(SANDBOX_KEYS.secretKey, {
    ...{ host, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false },
    httpClient: Stripe.createFetchHttpClient(send),
  });
}

interface Registering {
  email?: string;
  /** A test card's ready-made payment method. */
  card?: string;
  consents?: boolean;
}

/** The payment sandbox, one worker's payments on it, and registrations whose balance is not due yet. */
export async function startCharges(t: TestScope, options: SandboxOptions = {}) {
  const { sandbox, stripe } = await startTestSandbox(t, { startsAt: BEGINS, ...options });
  const connect = () => createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url });
  const payments = connect();
  const now = () => new Date(sandbox.clock.now());
  const find = async (id: string) => {
    const record = await payments.findRegistration(id);
    assert.ok(record);
    return record;
  };
  const chargesOf = async (id: string) => {
    const { customerId } = await find(id);
    assert.ok(customerId);
    const { data } = await stripe.charges.list({ customer: customerId, limit: 100 });
    return data.filter(({ payment_intent }) => payment_intent !== id);
  };
  return {
    sandbox,
    stripe,
    payments,
    now,
    find,
    /** The payments of another worker. */
    connect,
    moveTo: (moment: Date) => sandbox.clock.moveTo(moment),
    /** Registers somebody as the site does, with her deposit paid. */
    async register({
      email = 'wilma@example.org',
      card = 'pm_card_visa',
      consents = true,
    }: Registering = {}) {
      const contact = { firstName: 'Wilma', lastName: 'O’Hara', email, phoneNumber: '+1 (555) 555-0142' };
      const deposit = { contact, facts: edition.facts, timeZone: '', somebodyElse: true };
      const { id, clientSecret } = await payments.createDeposit(deposit, { value: randomUUID() });
      const { version, digest } = edition.terms;
      if (consents) await payments.recordConsent({ clientSecret, version, digest, agreedAt: now() });
      await stripe.paymentIntents.confirm(id, { payment_method: card });
      return id;
    },
    /** Records that she was notified of the charge as it is due now. */
    async tell(id: string, at?: Date) {
      const record = await find(id);
      assert.ok(record.customerId);
      await stripe.customers.update(record.customerId, { metadata: noticeOf(record, at) });
    },
    /** Tries to charge her, as the worker does at this moment. */
    charge: (id: string) => payments.chargeBalance(id, now()),
    state: async (id: string) => stateOf(await find(id), now()),
    /** All charges of her balance in cents, the newest first; failed ones are negative. */
    async charged(id: string) {
      return (await chargesOf(id)).map(({ status, amount }) => (status === 'succeeded' ? amount : -amount));
    },
    /** The payments of her balance. */
    async balances(id: string): Promise<Stripe.PaymentIntent[]> {
      const { customerId } = await find(id);
      const { data } = await stripe.paymentIntents.list({ customer: customerId ?? '', limit: 100 });
      return data.filter(({ metadata }) => metadata.kind === 'balance');
    },
    /** She gives another card, as the app records it. */
    async giveCard(id: string, card = 'pm_card_visa') {
      const { customerId } = await find(id);
      const method = await stripe.paymentMethods.attach(card, { customer: customerId ?? '' });
      const { brand = '', last4 = '', exp_month: expMonth, exp_year: expYear } = method.card ?? {};
      const given = { id: method.id, brand, last4, expMonth, expYear, since: now() };
      await stripe.paymentIntents.update(id, { metadata: { card: JSON.stringify(given) } });
      return method.id;
    },
  };
}

export type Charges = Awaited<ReturnType<typeof startCharges>>;

/** A registrant whose balance is due now. */
export async function startDue(t: TestScope, options: SandboxOptions & { card?: string } = {}) {
  const { card, ...sandboxOptions } = options;
  const charges = await startCharges(t, sandboxOptions);
  const id = await charges.register({ ...(card && { card }) });
  await charges.tell(id);
  charges.moveTo(DUE);
  return { ...charges, id };
}
