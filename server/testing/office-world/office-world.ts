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
import { createPayments, type Payments } from '#server/payments/payments.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import { daysOf, FIRST_DAY, momentOf, moveTo, OFFICE_DAY } from './days.ts';
import { type Life, type LifeName, lifeNames, officeLives } from './lives.ts';
import { officePerson } from './people.ts';
import { each, workOffAll } from './worker.ts';

const STEP = 37;

/** A person in the office's world. */
export interface OfficePerson {
  life: LifeName;
  /** The payment ID of her deposit. */
  id: string;
  /** As she registered. */
  name: string;
  email: string;
}

/** A payment sandbox with two hundred registrations in every state, after the worker has done its part for each. */
export interface OfficeWorld {
  sandbox: Sandbox;
  stripe: Stripe;
  payments: Payments;
  people: readonly OfficePerson[];
  /** The first person who lives a life. */
  find(life: LifeName): OfficePerson;
  /** The time on the sandbox's clock. */
  now(): Date;
}

type Registering = Life & { name: LifeName; number: number };

/**
 * Plays the months before the office's day at a payment sandbox. People register, pay and act through the product's own
 * functions; once a day the worker's part is done, and its letters are recorded as sent. What is due on the last day is left
 * to a real worker, and so are letters to refused addresses. The sandbox delivers no events before it gets a webhook URL.
 */
export async function makeOfficeWorld(): Promise<OfficeWorld> {
  const troubled = new Set<string>();
  const sandbox = await startSandbox({
    ...{ startsAt: FIRST_DAY, intercept: refuseFor(troubled) },
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
    await workOffAll(payments, now());
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

/** Mixes the lives, as in a real list: `STEP` and the number of people have no common divisor. */
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

/** Somebody pays a different sum than the site asks for: a person has to look at that payment. */
async function payDifferently(stripe: Stripe, payments: Payments): Promise<void> {
  const contact = { ...officePerson(lifeNames.length, false), email: 'other.sum@people.example' };
  const deposit = { contact, facts: edition.facts, timeZone: '', somebodyElse: false };
  const { id } = await payments.createDeposit(deposit, { value: randomUUID() });
  await stripe.paymentIntents.update(id, { amount: 50_000 });
  await stripe.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' });
}

/** Makes Stripe refuse payments and refunds for some people, as if the account were not allowed to make them. */
function refuseFor(troubled: ReadonlySet<string>): Intercept {
  return ({ method, path, parameters }) => {
    if (method !== 'POST' || !['/v1/payment_intents', '/v1/refunds'].includes(path)) return;
    const asked = JSON.stringify(parameters);
    if (![...troubled].some((id) => asked.includes(id))) return;
    throw new ApiError(400, { type: 'invalid_request_error', message: 'Your account cannot do this now.' });
  };
}
