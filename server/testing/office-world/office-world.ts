import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type Stripe from 'stripe';
import { findFreePort } from '#scripts/product/ports.ts';
import { startRedis } from '#scripts/product/redis.ts';
import {
  ApiError,
  connect,
  type Intercept,
  SANDBOX_KEYS,
  type Sandbox,
  startSandbox,
} from '#scripts/stripe-sandbox/sandbox.ts';
import { letterContext } from '#scripts/world/letters.ts';
import type { Card } from '#scripts/world/life.ts';
import { LIVES, type LifeName, lifeNames } from '#scripts/world/lives.ts';
import { type PlannedDeed, personOf } from '#scripts/world/people.ts';
import type { ActContext } from '#server/acts/act-context.ts';
import { goesToOffice } from '#server/mail/job.ts';
import { composeMessage } from '#server/mail/letters/compose-message.ts';
import { MAIL_QUEUE_NAME } from '#server/mail/queued-job.ts';
import { HERSELF } from '#server/payments/decisions.ts';
import type { Due, Found } from '#server/payments/find-all-due.ts';
import { createPayments, type Payments } from '#server/payments/payments.ts';
import { balanceOfRecord, type RegistrationRecord } from '#server/payments/registration-record.ts';
import { queueOn } from '#server/redis/queue-on.ts';
import { readCommand } from '#server/support/commands.ts';
import { edition } from '#shared/content/compiled/on-sale/edition.ts';
import { nextMoment } from '#shared/content/moments.ts';
import type { Contact } from '#shared/registration.ts';

/** The moment at which the office's day begins. */
const OFFICE_DAY = momentAt('01-20', '10:00');
/** When the first people register. */
const FIRST_DAY = momentAt('12-01', '10:00');

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** A day (month-day) and a time in the retreat's time zone, in milliseconds since the epoch. */
function momentAt(day: string, clock: string): number {
  return Date.parse(`${day.startsWith('12') ? '2025' : '2026'}-${day}T${clock}-08:00`);
}

/** Invented names that lists, letters and spreadsheets easily get wrong. */
const UNUSUAL: readonly (readonly [first: string, last: string])[] = [
  ['Zoë', 'Åström-Nuñez'],
  ['Siobhán', 'O’Hara'],
  ["D'Arcy", "O'Neil"],
  ['נועה', 'לוי'],
  ['مريم', 'الفاسي'],
  ['さくら', '高橋'],
  ['<script>alert(1)</script>', '<b>Bold</b> & Sons'],
  ['=1+1', '@SUM(A1:A9)'],
  ['+49', '-2+3'],
  ['"Quote", Comma', 'Semi;colon'],
  ['Wilhelmine Friederike Auguste Charlotte', `von ${'Hohenberg-Langenfels-'.repeat(4)}Ende`],
  ['Donaudampfschifffahrtsgesellschaftskapitänswitwe', 'Übermäßiglangenamensträgerin'],
  ['Ng', 'O'],
  ['Ivana', 'Žižek Čapková'],
];
const FIRST =
  'Ada Bruna Carla Delphine Edda Frida Greta Hanna Ines Judith Klara Lena Mina Nora Olga Paula'.split(' ');
const LAST =
  'Amsel Birkner Courtois Drossel Eichhorn Fuchs Grünwald Hirsch Igel Jansen Kranich Lachs Möwe'.split(' ');
const REFUSED_DOMAIN = 'refused.example';

/** Whether the mail server permanently refuses all letters to an address. */
export const isRefusedAddress = (email: string): boolean => email.endsWith(`@${REFUSED_DOMAIN}`);

/** The person with a number: each has her own name and address. */
function contactAt(number: number, isRefused = false): Contact {
  const spread = number - UNUSUAL.length;
  const usual = [FIRST[spread % FIRST.length], LAST[Math.floor(spread / FIRST.length) % LAST.length]];
  const [firstName = '', lastName = ''] = UNUSUAL[number] ?? usual;
  const email = `person.${number}@${isRefused ? REFUSED_DOMAIN : 'people.example'}`;
  return { firstName, lastName, email, phoneNumber: `+1 (555) 555-${String(1000 + number)}` };
}

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
  /** The time on the sandbox's clock. */
  now(): Date;
  moveTo(moment: Date): void;
}

/** What her bank and Stripe's dashboard are asked by, and what the office's commands work on. */
interface Stage extends Pick<OfficeWorld, 'sandbox' | 'stripe' | 'payments' | 'now'> {
  office: ActContext;
  /** The registrations for which Stripe refuses every payment and refund. */
  troubled: Set<string>;
}

/**
 * Plays the months before the office's day, as `scripts/world/lives.ts` tells them, at a payment sandbox. People register,
 * pay and act through the product's own functions, the office by support's commands; once a day the worker's part is done,
 * and its letters are recorded as sent. What is due on the last day is left to a real worker, and so are letters to
 * refused addresses. The sandbox delivers no events before it gets a webhook URL.
 */
export async function makeOfficeWorld(): Promise<OfficeWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'office-world-'));
  const port = await findFreePort();
  // For the office's commands; its queue is not needed when they are done.
  const server = await startRedis({ port, folder });
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  try {
    return await playLives(redis);
  } finally {
    redis.disconnect();
    await server.stop();
    await rm(folder, { recursive: true });
  }
}

async function playLives(redis: Redis): Promise<OfficeWorld> {
  const troubled = new Set<string>();
  const sandbox = await startSandbox({
    ...{ startsAt: new Date(FIRST_DAY), intercept: refuseFor(troubled) },
    nextMoment: (now) => nextMoment([edition], now),
  });
  const payments = createPayments({ secretKey: SANDBOX_KEYS.secretKey, apiBase: sandbox.url });
  const now = () => new Date(sandbox.clock.now());
  const queue = new Queue<unknown>(MAIL_QUEUE_NAME, queueOn(redis));
  const office: ActContext = {
    ...{ queue, redis, now: async () => now(), openRecord: async () => payments },
    ...{ openLinks: async () => letterContext.links, nameOf: (id) => id, list: async () => [] },
    subjectOf: (mail) => composeMessage(mail, letterContext).subject,
    readingOf: (mail) => composeMessage(mail, letterContext),
    // The worker's part is done once a day anyway.
    askForWalk: async () => {},
  };
  const stage = { sandbox, stripe: connect(sandbox), payments, now, troubled, office };
  const people: OfficePerson[] = [];

  const plans = everybody().map(({ life, beganAt, contact, events }) => {
    let id = '';
    const register = async () => {
      id = await registers(stage, life, contact);
      people.push({ life, id, name: `${contact.firstName} ${contact.lastName}`, email: contact.email });
    };
    const later = events.map(({ at, does }) => ({
      at,
      async happens() {
        const record = await payments.findRegistration(id);
        if (record) await does(stage, record);
      },
    }));
    return [{ at: beganAt, happens: register }, ...later];
  });
  const moments = plans.flat().map(({ at }) => at);
  const workings = Array.from({ length: 50 }, (_, day) => momentAt('12-01', '17:10') + day * DAY_MS);
  for (const at of [...new Set([...moments, ...workings])].toSorted((one, other) => one - other)) {
    moveTo(sandbox, at);
    await each(plans, async (plan) => {
      for (const one of plan) if (one.at === at) await one.happens();
    });
    if (workings.includes(at)) await workOffAll(payments, now());
  }
  await payDifferently(stage);
  moveTo(sandbox, OFFICE_DAY);
  await queue.close();
  return { ...stage, people, moveTo: (moment) => moveTo(sandbox, moment.getTime()) };
}

const dayOf = (at: number): string => new Date(at - 8 * HOUR_MS).toISOString().slice(5, 10);

/** Moves the sandbox's clock. It also runs on by itself, so it may be past the moment already: it never moves back. */
function moveTo({ clock }: Sandbox, at: number): void {
  clock.moveTo(new Date(Math.max(at, clock.now())));
}

const STEP = 37;
const BOUNCED_AT = momentAt('12-15', '12:00');

/**
 * Everybody of the sample, with the moments of her life; on January 20 all happens at nine. The lives are mixed, as in a
 * real list: `STEP` and the number of people have no common divisor.
 */
function everybody() {
  const all = lifeNames.flatMap((life) => {
    const days = LIVES[life].on.split(' ');
    return Array.from({ length: LIVES[life].sample }, (_, at) => ({
      life,
      on: days[at % days.length] ?? '',
    }));
  });
  return all.map(({ life, on }, at) => {
    const number = (at * STEP) % all.length;
    const beganAt = momentAt(on, on === '01-20' ? '09:00' : '12:00');
    const { deeds, bounces } = personOf(number, life, LIVES[life], beganAt);
    const planned = deeds.map((deed) => ({
      at: dayOf(deed.at) === '01-20' ? momentAt('01-20', '09:00') : deed.at,
      does: (stage: Stage, record: RegistrationRecord) => doDeed(stage, record, deed),
    }));
    const reported = bounces.map(({ type }) => ({
      at: BOUNCED_AT,
      does: ({ payments, now }: Stage, { id, registrant }: RegistrationRecord) =>
        payments.recordBounce(
          {
            ...{ type: type === 'complaint' ? ('complaint' as const) : ('bounce' as const), permanent: true },
            ...{ at: now(), paymentIntentId: id, kind: 'balance-notice', address: registrant.email },
          },
          now(),
        ),
    }));
    const contact = contactAt(number, LIVES[life].isRefused);
    return { life, beganAt, contact, events: [...planned, ...reported] };
  });
}

/** Stripe's ready-made payment methods for the cards of the lives. */
const METHODS: Readonly<Record<Card, string>> = {
  good: 'pm_card_visa',
  other: 'pm_card_mastercard',
  // Her bank asks for her when the balance is charged, as `registers` arranges.
  authentication: 'pm_card_visa',
  pendingRefund: 'pm_card_pendingRefund',
  failingRefund: 'pm_card_refundFail',
};

/** Registers somebody as the site does; pays her deposit, unless her life never gets there. */
async function registers(
  { sandbox, stripe, payments, now }: Stage,
  life: LifeName,
  contact: Contact,
): Promise<string> {
  const { card, consents, declines, ending, deeds } = LIVES[life];
  const deposit = { contact, facts: edition.facts, timeZone: 'America/Los_Angeles', somebodyElse: false };
  const { id, clientSecret } = await payments.createDeposit(deposit, { value: randomUUID() });
  if (ending === 'never-registered') return id;
  const { version, digest } = edition.terms;
  if (consents) await payments.recordConsent({ clientSecret, version, digest, agreedAt: now() });
  await stripe.paymentIntents.confirm(id, { payment_method: METHODS[card] });
  const record = await payments.findRegistration(id);
  const codes = card === 'authentication' ? 'authentication_required' : declines;
  // It is her first card that is declined.
  if (deeds.some(({ does }) => does === 'new-card')) return id;
  for (const code of codes.split(' ').filter(Boolean))
    sandbox.bank.declineNextCharge(record?.customerId ?? '', code);
  return id;
}

/** What she does on her page, what the office does, her bank, or somebody in Stripe's dashboard. */
async function doDeed(stage: Stage, record: RegistrationRecord, { does, card, words }: PlannedDeed) {
  const { sandbox, stripe, payments, office } = stage;
  const at = stage.now();
  const { bank } = sandbox;
  const lastRefund = record.refunds.at(-1)?.id ?? '';
  const byOffice = ([act = '', ...rest]: readonly string[]) =>
    readCommand([act, record.id, ...rest, '--by', 'Anna'])((work) => work(office));
  const dispute = async (payment = '') => {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
    return bank.openDispute(String(charge));
  };
  const endDispute = async (outcome: 'won' | 'lost') => {
    for (const { id } of await payments.findDisputes(record)) bank.closeDispute(id, outcome);
    return byOffice(['dispute-over']);
  };
  const deeds: Readonly<Record<PlannedDeed['does'], () => unknown>> = {
    office: () => byOffice(words),
    async 'pay-now'() {
      const { byCardCents } = balanceOfRecord(record);
      const { clientSecret } = await payments.payBalance(record, byCardCents, at);
      await stripe.paymentIntents.confirm(idIn(clientSecret), { payment_method: METHODS[card] });
    },
    async 'new-card'() {
      const id = idIn(await payments.beginCardChange(record));
      await stripe.setupIntents.confirm(id, { payment_method: METHODS[card] });
      await payments.recordCard(record, id);
    },
    cancel: () => payments.decide(record, 'cancel', { at, by: HERSELF, writtenAt: at, onPage: true }),
    undo: () => payments.decide(record, 'cancel', { at, by: HERSELF, withdrawn: true }),
    'ask-address': () => payments.askForAddress(record, `own.${record.registrant.email}`, at),
    'new-address': () => payments.correctAddress(record.id, `own.${record.registrant.email}`, HERSELF, at),
    'disputes-deposit': () => dispute(record.id),
    'disputes-balance': () => dispute(record.balance?.id),
    'dispute-won': () => endDispute('won'),
    'dispute-lost': () => endDispute('lost'),
    'settles-refunds': () => bank.settleRefund(lastRefund),
    'dashboard-cancels': () => stripe.paymentIntents.cancel(record.id),
    'dashboard-refunds': () => stripe.refunds.create({ payment_intent: record.id }),
    'dashboard-renames-refund': () => stripe.refunds.update(lastRefund, { metadata: { order: '' } }),
    'stripe-refuses': () => stage.troubled.add(record.id),
  };
  await deeds[does]();
}

const idIn = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';

/** Somebody pays a different sum than the site asks for: a person has to look at that payment. */
async function payDifferently({ stripe, payments }: Stage): Promise<void> {
  const contact = { ...contactAt(200), email: 'other.sum@people.example' };
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

/** What the worker does: letters, then charges and refunds. */
async function workOffAll(payments: Payments, now: Date): Promise<void> {
  const found: Found[] = [];
  for await (const one of payments.findAllDue(new Date(FIRST_DAY), now, () => false)) found.push(one);
  await each(found, async ({ paymentIntentId, due }) => {
    for (const one of due) await workOff(payments, paymentIntentId, one, now);
  });
}

async function workOff(payments: Payments, id: string, due: Due, now: Date): Promise<void> {
  if (due.type === 'letter' && (goesToOffice(due.letter) || !isRefusedAddress(due.letter.email)))
    await payments.markSent(due.letter, now);
  // Stripe refuses the requests for some people.
  if (due.type === 'charge') await payments.chargeBalance(id, now).catch(() => undefined);
  if (due.type === 'refund') await payments.workOffRefunds(id, now).catch(() => undefined);
}

/** Runs `act` for each item, several at a time. */
async function each<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await act(next);
  });
  await Promise.all(workers);
}

const AT_ONCE = 8;
