import { randomUUID } from 'node:crypto';
import type Stripe from 'stripe';
import {
  ApiError,
  connect,
  type Intercept,
  SANDBOX_KEYS,
  type Sandbox,
  startSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import { goesToOffice } from '#server/mail/job.ts';
import type { Due, Found } from '#server/payments/find-all-due.ts';
import { createPayments, type Payments } from '#server/payments/payments.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import { type Life, type LifeName, lifeNames, officeLives } from './office-lives.ts';
import { isRefusedAddress, officePerson } from './office-people.ts';

/** The moment at which the office's day begins. */
export const OFFICE_DAY = new Date('2026-01-20T10:00-08:00');
const BEGINS = new Date('2025-12-01T10:00-08:00');

/** The days of the edition's letters and charges, and of tries after a decline. Those of lives come to them. */
const WORKING_DAYS = [
  '12-10',
  '12-18',
  '12-21',
  '12-22',
  '12-25',
  '01-01',
  '01-06',
  '01-12',
  '01-18',
  '01-19',
];
const AT_ONCE = 8;
const STEP = 37;

/** Somebody of the office's world. */
export interface OfficePerson {
  life: LifeName;
  /** Her deposit's. */
  id: string;
  /** As she registered. */
  name: string;
  email: string;
}

/** A Stripe with two hundred registrations in every state, and the walker's and the mails' share of each. */
export interface OfficeWorld {
  sandbox: Sandbox;
  stripe: Stripe;
  payments: Payments;
  people: readonly OfficePerson[];
  /** The first who lives a life. */
  find(life: LifeName): OfficePerson;
  /** By the sandbox's clock. */
  now(): Date;
}

type Registering = Life & { name: LifeName; number: number };

/**
 * Plays the months before the office's day at a payment sandbox: people register, pay and act by what the product itself
 * writes at Stripe, and once a day the worker's part is done, its letters being recorded as sent. What is due on the last day is
 * left to a real worker, and so are letters to addresses that are refused. No event is delivered until the sandbox is told where to.
 */
export async function makeOfficeWorld(): Promise<OfficeWorld> {
  const troubled = new Set<string>();
  const sandbox = await startSandbox({
    ...{ startsAt: BEGINS, intercept: refuseFor(troubled) },
    nextMoment: (now) => nextMoment([edition], now),
  });
  const stripe = connect(sandbox);
  const payments = createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url });
  const now = () => new Date(sandbox.clock.now());
  const people: OfficePerson[] = [];

  const register = async ({ number, isRefused, name: life, ...how }: Registering) => {
    const contact = officePerson(number, isRefused === true);
    const deposit = { contact, facts: edition.facts, timeZone: 'America/Los_Angeles', somebodyElse: false };
    const { id, clientSecret } = await payments.createDeposit(deposit, { value: randomUUID() });
    const { firstName, lastName, email } = contact;
    people.push({ life, id, name: `${firstName} ${lastName}`, email });
    if (how.pays === false) return;
    const { version, digest } = edition.terms;
    if (how.consents !== false)
      await payments.recordConsent({ clientSecret, version, digest, agreedAt: now() });
    await stripe.paymentIntents.confirm(id, { payment_method: how.card ?? 'pm_card_visa' });
  };
  const act = async (day: string, { id, life }: OfficePerson): Promise<void> => {
    const { deeds = [] }: Life = officeLives[life];
    for (const [on, deed] of deeds) {
      const record = on === day ? await payments.findRegistration(id) : undefined;
      const refuseAll = () => void troubled.add(id);
      if (record) await deed({ record, payments, stripe, bank: sandbox.bank, now: now(), refuseAll });
    }
  };

  const registering = everybody();
  for (const day of daysOf(registering)) {
    moveTo(sandbox, momentOf(day, day === '01-20' ? '09:00' : '12:00'));
    await each(people, (person) => act(day, person));
    await each(
      registering.filter(({ on }) => on === day),
      register,
    );
    if (day === '01-20') continue;
    moveTo(sandbox, momentOf(day, '17:10'));
    await work(payments, now());
  }
  await payDifferently(stripe, payments);
  moveTo(sandbox, OFFICE_DAY);
  return {
    ...{ sandbox, stripe, payments, people, now },
    find(life) {
      const found = people.find((person) => person.life === life);
      if (!found) throw new Error(`Nobody lives the life ${life}`);
      return found;
    },
  };
}

/** The lives are mixed, as they are in a list: the step and the number of people have no common divisor. */
function everybody(): Registering[] {
  const all = lifeNames.flatMap((name) => {
    const life: Life = officeLives[name];
    const days = life.on.split(' ');
    return Array.from({ length: life.count }, (_, at) => ({
      ...life,
      name,
      on: days[at % days.length] ?? '',
    }));
  });
  return all.map((one, at) => ({ ...one, number: (at * STEP) % all.length }));
}

/** All on which something happens, in their order. */
function daysOf(registering: readonly Registering[]): string[] {
  const days = registering.flatMap(({ on, deeds = [] }) => [on, ...deeds.map(([day]) => day)]);
  const dated = (day: string) => momentOf(day, '00:00').getTime();
  return [...new Set([...days, ...WORKING_DAYS])].toSorted((one, other) => dated(one) - dated(other));
}

/** At the retreat's place. */
function momentOf(day: string, clock: string): Date {
  return new Date(`${day.startsWith('12') ? '2025' : '2026'}-${day}T${clock}-08:00`);
}

/** It runs on by itself while something is done. */
function moveTo({ clock }: Sandbox, moment: Date): void {
  clock.moveTo(new Date(Math.max(moment.getTime(), clock.now())));
}

/** What the worker does: letters, then charges and refunds. */
async function work(payments: Payments, now: Date): Promise<void> {
  const found: Found[] = [];
  for await (const one of payments.findAllDue(BEGINS, now, () => false)) found.push(one);
  await each(found, async ({ paymentIntentId, due }) => {
    for (const one of due) await workOff(payments, paymentIntentId, one, now);
  });
}

async function workOff(payments: Payments, id: string, due: Due, now: Date): Promise<void> {
  if (due.type === 'letter' && (goesToOffice(due.letter) || !isRefusedAddress(due.letter.email)))
    await payments.markSent(due.letter, now);
  // Stripe refuses what is asked for some.
  if (due.type === 'charge') await payments.chargeBalance(id, now).catch(() => undefined);
  if (due.type === 'refund') await payments.workOffRefunds(id, now).catch(() => undefined);
}

/** Somebody pays another sum than the site asks for: a person has to look at that. */
async function payDifferently(stripe: Stripe, payments: Payments): Promise<void> {
  const contact = { ...officePerson(lifeNames.length, false), email: 'other.sum@people.example' };
  const deposit = { contact, facts: edition.facts, timeZone: '', somebodyElse: false };
  const { id } = await payments.createDeposit(deposit, { value: randomUUID() });
  await stripe.paymentIntents.update(id, { amount: 50_000 });
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
}

/** Stripe makes no payment and no refund for some: the account is not allowed to do so. */
function refuseFor(troubled: ReadonlySet<string>): Intercept {
  return ({ method, path, parameters }) => {
    if (method !== 'POST' || !['/v1/payment_intents', '/v1/refunds'].includes(path)) return;
    const asked = JSON.stringify(parameters);
    if (![...troubled].some((id) => asked.includes(id))) return;
    throw new ApiError(400, { type: 'invalid_request_error', message: 'Your account cannot do this now.' });
  };
}

/** Several at a time. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  });
  await Promise.all(workers);
}
