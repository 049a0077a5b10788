import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import Stripe from 'stripe';
import {
  type Fault,
  SANDBOX_KEYS,
  type Sandbox,
  type SandboxOptions,
} from '#scripts/stripe-sandbox/sandbox.ts';
import type { Database } from '#server/database/database.ts';
import { balanceLetters } from '#server/letters/balance-letters.ts';
import { type Mail, mailOf } from '#server/letters/letter-kind.ts';
import type { LetterLog } from '#server/letters/letter-log.ts';
import {
  type ActFacts,
  findRegistration,
  HERSELF,
  type HoldPlace,
  installmentsOf,
  NOTICE_MS,
  nextInstallment,
  type RegistrationRecord,
  readRegistrations,
  stateOf,
  WITHDRAWAL,
} from '#server/registration/registration.ts';
import { catchUp } from '#server/stripe/catch-up.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import type { Payments } from '#server/stripe/connect-stripe.ts';
import { decide, recordActs, recordConsent } from '#server/stripe/decide.ts';
import { createDeposit } from '#server/stripe/deposit.ts';
import type { Records } from '#server/stripe/record-payments.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { type Due, dueOf } from '#server/worker/due.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import type { Contact } from '#shared/registration.ts';
import type { TestScope } from './clean-up.ts';
import { recordAct } from './test-database.ts';
import { contactStep } from './test-registrations.ts';
import { type StageOptions, startStage } from './test-stage.ts';

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * 60 * 1000;
export const DAY_MS = 24 * HOUR_MS;
export const DUE = new Date(edition.facts.balance.chargeAt);
/** When the deposits of tests are paid by default. */
const BEGINS = new Date('2025-12-01T17:00:00Z');

export const daysAfter = (date: Date, days: number): Date => new Date(date.getTime() + days * DAY_MS);

/**
 * The Stripe client of a worker that is killed at its n-th request: before the request is sent, or before its answer is
 * read. From then on it sends nothing more.
 */
export function killedAt(step: number, isSent: boolean, sandbox: Sandbox): Stripe {
  let left = step;
  const killed = new Error('The worker was killed');
  const send: typeof fetch = async (...request) => {
    left -= 1;
    if (left > 0) return fetch(...request);
    if (left === 0 && isSent) await fetch(...request);
    throw killed;
  };
  return stripeBy(send, sandbox);
}

/** A client of the sandbox that sends its requests by this. */
export function stripeBy(send: typeof fetch, { host, port }: Pick<Sandbox, 'host' | 'port'>): Stripe {
  return new Stripe(SANDBOX_KEYS.secretKey, {
    host,
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    httpClient: Stripe.createFetchHttpClient(send),
  });
}

/** The payment that a client secret opens. */
export const paymentIn = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';

/** Holds a place for everybody who registers. */
export function alwaysHeld(database: Database, now: () => Date): HoldPlace {
  const heldUntil = () => new Date(now().getTime() + HOUR_MS);
  const nobody = { agreedAt: null, heldBy: null, heldNetwork: null };
  return async (record) => {
    const held = { standing: 'open', submittedAt: now(), heldUntil: heldUntil(), ...nobody } as const;
    await database.write(async (transaction) => void (await record(transaction, held)));
  };
}

/** Who registers: Wilma, unless the test says otherwise. */
interface Beginning extends Partial<Contact> {
  timeZone?: string;
  /** She may have a place already; otherwise the office has said that these are two people. */
  isSamePerson?: boolean;
}

interface Registering extends Beginning {
  card?: string;
  consents?: boolean;
}

const { package: _, ...WILMA } = contactStep;

/** The payment sandbox, one worker's payments on it, and registrations whose balance is not due yet. */
export async function startCharges(
  t: TestScope,
  options: SandboxOptions & Pick<StageOptions, 'engine' | 'writesOnce'> = {},
) {
  const stage = await startStage(t, { startsAt: BEGINS, ...options });
  const { sandbox, stripe, database, letterLog, payments, sync, now } = stage;
  const find = async (id: string) => {
    await sync(id);
    return (await findRegistration(payments, id)) ?? assert.fail(id);
  };
  let hasBegun = false;
  const begin = async ({ timeZone = '', isSamePerson = false, ...changes }: Beginning = {}) => {
    const contact = { ...WILMA, ...changes };
    const deposit = {
      contact,
      facts: edition.facts,
      timeZone,
      admitLetter: async () => true,
    };
    const begun = await payments.ask(
      createDeposit,
      deposit,
      { value: randomUUID() },
      alwaysHeld(database, now),
    );
    const id = begun.registration;
    if (hasBegun && !isSamePerson) await recordAct(database, id, 'twoPeople', { at: now() });
    hasBegun = true;
    return { ...begun, id, payment: paymentIn(begun.clientSecret) };
  };
  const consent = (clientSecret: string) => {
    const { version, digest } = edition.terms;
    return payments.ask(recordConsent, clientSecret, { version, digest, agreedAt: now() });
  };
  /** Registers somebody as the site does, with her deposit paid. */
  const register = async ({ card = 'pm_card_visa', consents = true, ...who }: Registering = {}) => {
    const { id, payment, clientSecret } = await begin(who);
    if (consents) await consent(clientSecret);
    await stripe.paymentIntents.confirm(payment, { payment_method: card });
    await sync(id);
    return id;
  };
  const chargesOf = async (id: string) => {
    const { customerId } = await find(id);
    assert.ok(customerId);
    const { data } = await stripe.charges.list({ customer: customerId, limit: 100 });
    const deposit = await stage.depositOf(id);
    return data.filter(({ payment_intent }) => payment_intent !== deposit);
  };
  return {
    ...stage,
    find,
    begin,
    register,
    moveTo: (moment: Date) => sandbox.clock.moveTo(moment),
    /**
     * She begins on one device, where the payment stays open, and pays on another; a minute later the open one is paid,
     * too. Returns her deposits in the order in which they were paid.
     */
    async registerTwice({ card = 'pm_card_visa', ...who }: Registering = {}) {
      const { id: second, payment, clientSecret } = await begin({ isSamePerson: true, ...who });
      await consent(clientSecret);
      const first = await register({ isSamePerson: true, ...who });
      await find(first);
      sandbox.clock.moveTo(new Date(sandbox.clock.now() + MINUTE_MS));
      await stripe.paymentIntents.confirm(payment, { payment_method: card });
      await find(second);
      return { first, second };
    },
    /** Records that she was notified of the charge as it is due now, or of a part of her plan, from 1. */
    async tell(
      id: string,
      at?: Date,
      { part: position, cents: told }: { cents?: number; part?: number } = {},
    ) {
      const record = await find(id);
      const one =
        installmentsOf(record).find(({ part }) => part?.position === position) ?? nextInstallment(record);
      const { dueAt, number, left } = one;
      const cents = told ?? left.byCardCents;
      const notice = mailOf('balance-notice', balanceLetters['balance-notice'], record, {
        key: [dueAt, cents, now()],
        notice: { dueAt, cents, number },
        says: () => assert.fail('It is not sent'),
      });
      const inTime = new Date(dueAt.getTime() - NOTICE_MS);
      await recordSent(letterLog, notice, at ?? inTime);
    },
    /** Tries to charge her, as the worker does at this moment. */
    charge: (id: string) => payments.ask(chargeBalance, id, now()),
    state: async (id: string) => stateOf(await find(id), now()),
    /** All charges of her balance in cents, the newest first; failed ones are negative. */
    async charged(id: string) {
      return (await chargesOf(id)).map(({ status, amount }) => (status === 'succeeded' ? amount : -amount));
    },
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
      const given = { id: method.id, brand, last4, expMonth, expYear };
      await recordAct(database, id, 'card', { at: now(), by: HERSELF, ...given });
      return method.id;
    },
  };
}

/** Records that a letter was owed and sent, as the worker does. */
export async function recordSent(letterLog: LetterLog, letter: Mail, at: Date): Promise<void> {
  await letterLog.owe([letter], at);
  await letterLog.markSent(letter, at);
}

export type Charges = Awaited<ReturnType<typeof startCharges>>;

/** Something that happens before Stripe gets a request, which it may answer with a fault. */
type Happening = () => Promise<Fault | undefined> | Fault | undefined;

/** A registrant whose balance is due now. */
export async function startDue(t: TestScope, options: SandboxOptions & { card?: string } = {}) {
  const { card, ...sandboxOptions } = options;
  let countdown = Number.POSITIVE_INFINITY;
  let what: Happening | undefined;
  const charges = await startCharges(t, {
    intercept: () => {
      countdown -= 1;
      return countdown === 0 ? what?.() : undefined;
    },
    ...sandboxOptions,
  });
  const id = await charges.register({ ...(card && { card }) });
  await charges.tell(id);
  charges.moveTo(DUE);
  return {
    ...charges,
    id,
    /** Something happens at the n-th request from now on, unless the test intercepts requests itself. */
    at(step: number, happening: Happening) {
      countdown = step;
      what = happening;
    },
  };
}

/** A registrant whose balance was by default charged on its day, and what Stripe refunded to her. */
export async function startCharged(
  t: TestScope,
  { isCharged = true, ...options }: SandboxOptions & { card?: string; isCharged?: boolean } = {},
) {
  const due = await startDue(t, options);
  const { id, payments, stripe, database, letterLog, sandbox, now, moveTo } = due;
  if (isCharged) await due.charge(id);
  const find = () => due.find(id);
  // The clock runs on by itself, and refuses to move to a moment that has passed meanwhile.
  const afterHours = (hours: number) => {
    if (hours > 0) moveTo(new Date(now().getTime() + hours * HOUR_MS));
  };
  return {
    ...due,
    find,
    state: () => due.state(id),
    afterHours,
    /** She cancels, and the day passes on which the cancellation can be undone. */
    async cancel(writtenAt = now()) {
      await payments.ask(decide, await find(), 'cancel', { at: now(), by: 'Anna', writtenAt });
      afterHours(25);
    },
    async except(cents: number) {
      await payments.ask(decide, await find(), 'refund', { at: now(), by: 'Anna', cents, reason: 'illness' });
    },
    workOff: () => payments.ask(makeDueRefunds, id, now()),
    /** The same by a worker that is killed at its n-th request; fails if the worker makes fewer requests. */
    async workOffAndBeKilled(step: number, isSent: boolean) {
      const worker = { stripe: killedAt(step, isSent, sandbox), database, letterLog };
      await makeDueRefunds(worker, id, now()).then(
        () => Promise.reject(new Error(`It takes fewer than ${step} requests`)),
        () => {},
      );
    },
    /** All refunds, whatever became of them: of which payment, and how much (US cents). */
    async refunds() {
      const { data } = await stripe.refunds.list({ limit: 100 });
      const deposit = await due.depositOf(id);
      return data
        .toReversed()
        .map(({ payment_intent, amount }) => [payment_intent === deposit ? 'deposit' : 'balance', amount]);
    },
    /** Support makes a refund in Stripe's dashboard. */
    async refundByHand(cents: number) {
      const { payment } = nextInstallment(await find());
      return stripe.refunds.create({ payment_intent: payment?.id ?? '', amount: cents });
    },
    async dispute() {
      const [balance] = await due.balances(id);
      const charge = String(balance?.latest_charge);
      return { charge, id: sandbox.bank.openDispute(charge) };
    },
  };
}

interface DueFor extends Pick<Due, 'letters' | 'deeds'> {
  id: string;
  attention: string | null;
}

/** Catches up with Stripe, and finds what is due for all registrations, the newest first. */
export async function findAllDue(
  { payments, database }: { payments: Pick<Payments, 'ask'>; database: Database },
  now: Date,
  isOver = () => false,
): Promise<DueFor[]> {
  await payments.ask(catchUp, now);
  return database.read(async (transaction) => {
    const rows = await transaction
      .selectFrom('registrations')
      .select('id')
      .orderBy('begunAt', 'desc')
      .orderBy('id')
      .execute();
    const all = await readRegistrations(
      transaction,
      rows.map(({ id }) => id),
    );
    return [...all].map(([id, reading]) => {
      const { letters, deeds, row } = dueOf(reading, { now, isOver });
      return { id, letters, deeds, attention: row.attention };
    });
  });
}

/** A check or a transfer came. */
export function recordReceived(
  records: Records,
  record: RegistrationRecord,
  { at, by, ...facts }: ActFacts<'received'>,
): Promise<void> {
  return recordActs(records, record, [{ kind: 'received', at, by, facts }]);
}

/** It bounced, or was a mistake. */
export function takeBackReceived(
  records: Records,
  record: RegistrationRecord,
  { id: undoes }: { id: string },
  { at, by, why }: ActFacts<'withdrawal'>,
): Promise<void> {
  return recordActs(records, record, [{ kind: WITHDRAWAL, at, by, facts: { why }, undoes }]);
}
