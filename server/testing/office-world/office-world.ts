import { Readable } from 'node:stream';
import { buildWhenStale } from '#scripts/build/when-stale.ts';
import { noLimits } from '#scripts/product/environment.ts';
import { prepareProduct } from '#scripts/product/product.ts';
import { ApiError, type Intercept } from '#scripts/stripe-sandbox/sandbox.ts';
import type { Card } from '#scripts/world/life.ts';
import { LIVES, type LifeName, lifeNames } from '#scripts/world/lives.ts';
import { contactOf, type PlannedDeed, personOf } from '#scripts/world/people.ts';
import type { CommandContext } from '#server/office/commands/command.ts';
import { HERSELF } from '#server/registration/act-kinds.ts';
import { nextInstallment } from '#server/registration/balance.ts';
import { recordBounce } from '#server/registration/bounces.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { beginCardChange, recordCard } from '#server/stripe/cards.ts';
import { chargeBalance } from '#server/stripe/charge.ts';
import { decide } from '#server/stripe/decide.ts';
import { acceptHandOver, beginTakersCard } from '#server/stripe/hand-over.ts';
import { askForAddress, correctDetails } from '#server/stripe/her-details.ts';
import { payBalance } from '#server/stripe/pay.ts';
import { makeDueRefunds } from '#server/stripe/refunds.ts';
import { act } from '#server/support/act-command.ts';
import { cleanUp, type TestScope } from '#server/testing/clean-up.ts';
import { type Charges, DAY_MS, findAllDue, recordSent, startCharges } from '#server/testing/test-charges.ts';
import { REFUSED_FOR_GOOD, startMailServer } from '#server/testing/test-mailing.ts';
import { watchQuiet } from '#server/testing/test-queue.ts';
import { withRedis } from '#server/testing/test-stage.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { nextMoment } from '#shared/content/moments.ts';
import type { Contact } from '#shared/registration.ts';

const OFFICE_DAY = momentAt('01-20', '10:00');
/** When the first people register. */
const FIRST_DAY = momentAt('12-01', '10:00');

const HOUR_MS = 60 * 60 * 1000;

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

/** Whether the mail server permanently refuses all letters to an address. */
const isRefusedAddress = (email: string): boolean => email.startsWith('refused-');

/** The person with a number: each has her own name and address. */
function contactAt(number: number, isRefused = false): Contact {
  const contact = contactOf(number);
  const [firstName, lastName] = UNUSUAL[number] ?? [contact.firstName, contact.lastName];
  return { ...contact, firstName, lastName, email: `${isRefused ? 'refused-' : ''}${contact.email}` };
}

export interface OfficePerson {
  life: LifeName;
  id: string;
  name: string;
  email: string;
}

/** What her bank and Stripe's dashboard are asked by, and what the office's commands work on. */
interface Stage extends Charges {
  office: CommandContext;
  /** The registrations for which Stripe refuses every payment and refund. */
  troubled: Set<string>;
}

interface Happening {
  at: number;
  happens(): Promise<unknown>;
}

/**
 * Plays the months before the office's day, as `scripts/world/lives.ts` tells them, at a payment sandbox. Two hundred people
 * register, pay and act through the product's own functions, the office by support's command; once a day the worker's part is done,
 * and its letters are recorded as sent. What is due on the last day is left to a real worker, and so are letters to
 * refused addresses. The sandbox delivers no events before it gets a webhook URL.
 */
async function makeOfficeWorld(t: TestScope) {
  const troubled = new Set<string>();
  const charges = await startCharges(t, {
    startsAt: new Date(FIRST_DAY),
    writesOnce: true,
    intercept: refuseFor(troubled),
    nextMoment: (now) => nextMoment([edition], now),
  });
  const { sandbox, now } = charges;
  // The office's commands need a queue.
  const { context } = await withRedis(t, charges);
  const stage = { ...charges, troubled, office: context };
  const people: OfficePerson[] = [];
  // The clock also runs on by itself, so it may be past the moment already: it never moves back.
  const moveTo = (at: number) => sandbox.clock.moveTo(new Date(Math.max(at, sandbox.clock.now())));

  const plans = everybody().map((one) => lifeOf(one, stage, people));
  const moments = plans.flat().map(({ at }) => at);
  const workings = Array.from({ length: 50 }, (_, day) => momentAt('12-01', '17:10') + day * DAY_MS);
  for (const at of [...new Set([...moments, ...workings])].toSorted((one, other) => one - other)) {
    moveTo(at);
    await each(plans, async (plan) => {
      for (const one of plan) if (one.at === at) await one.happens();
    });
    if (workings.includes(at)) await workOffAll(charges, now());
  }
  await payDifferently(stage);
  moveTo(OFFICE_DAY);
  return { ...charges, people };
}

const dayOf = (at: number): string => new Date(at - 8 * HOUR_MS).toISOString().slice(5, 10);

const STEP = 37;
const BOUNCED_AT = momentAt('12-15', '12:00');

/**
 * Everybody of the sample, with the day on which she registers. The lives are mixed, as in a real list: `STEP` and the
 * number of people have no common divisor.
 */
function everybody() {
  const all = lifeNames.flatMap((life) => {
    const days = LIVES[life].on.split(' ');
    return Array.from({ length: LIVES[life].sample }, (_, at) => ({
      life,
      on: days[at % days.length] ?? '',
    }));
  });
  return all.map((one, at) => ({ ...one, number: (at * STEP) % all.length }));
}

/** What happens in her life; on January 20 all happens at nine. */
function lifeOf(
  { life, on, number }: ReturnType<typeof everybody>[number],
  stage: Stage,
  people: OfficePerson[],
): Happening[] {
  const { payments, now, find } = stage;
  const contact = contactAt(number, LIVES[life].isRefused);
  const { email } = contact;
  const beganAt = momentAt(on, on === '01-20' ? '09:00' : '12:00');
  const { deeds, bounces, phone } = personOf(number, life, LIVES[life], beganAt);
  let id = '';
  const register = async () => {
    id = phone.length > 0 ? await calls(stage, phone, contact) : await registers(stage, life, contact);
    people.push({ life, id, name: `${contact.firstName} ${contact.lastName}`, email });
  };
  const reports = bounces.map((): Happening => {
    const report = () => recordBounce(payments, { at: now(), address: email }, now());
    return { at: BOUNCED_AT, happens: report };
  });
  const planned = deeds.map((deed) => ({
    at: dayOf(deed.at) === '01-20' ? momentAt('01-20', '09:00') : deed.at,
    happens: async () => doDeed(stage, await find(id), deed),
  }));
  return [{ at: beganAt, happens: register }, ...planned, ...reports];
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

const BY_ANNA = { by: 'Anna', isTried: false };

/** Lets the office register somebody who calls. */
async function calls(
  { office }: Stage,
  phone: readonly string[],
  { firstName, lastName, email, phoneNumber }: Contact,
): Promise<string> {
  const contact = { firstName, lastName, email, phoneNumber };
  const fields = [...Object.entries(contact).map(([name, value]) => `${name}=${value}`), ...phone];
  const told = await act(office, edition.facts.id, { kind: 'register', fields, ...BY_ANNA });
  return (typeof told === 'object' && told.made) || '';
}

/** Registers somebody as the site does; pays her deposit, unless her life never gets there. */
async function registers(stage: Stage, life: LifeName, contact: Contact): Promise<string> {
  const { card, consents, declines, ending, deeds } = LIVES[life];
  const her = { ...contact, timeZone: 'America/Los_Angeles', isSamePerson: true };
  if (ending === 'never-registered') return (await stage.begin(her)).id;
  if (life === 'pays-twice') return (await stage.registerTwice(her)).second;
  const id = await stage.register({ ...her, card: METHODS[card], consents });
  const codes = card === 'authentication' ? 'authentication_required' : declines;
  // It is her first card that is declined.
  if (deeds.some(({ does }) => does === 'new-card')) return id;
  const { customerId } = await stage.find(id);
  for (const code of codes.split(' ').filter(Boolean))
    stage.sandbox.bank.declineNextCharge(customerId ?? '', code);
  return id;
}

/** What she does on her page, what the office does, her bank, or somebody in Stripe's dashboard. */
async function doDeed(stage: Stage, record: RegistrationRecord, { does, card, words }: PlannedDeed) {
  const { sandbox, stripe, payments, office } = stage;
  const at = stage.now();
  const { bank } = sandbox;
  const offered = record.decisions.handOver?.at ?? at;
  const lastRefund = record.refunds.at(-1)?.id ?? '';
  const deposit = record.depositPayment?.id ?? '';
  const byOffice = ([kind = '', ...fields]: readonly string[]) =>
    act(office, record.id, { kind, fields, ...BY_ANNA });
  const dispute = async (payment = '') => {
    const { latest_charge: charge } = await stripe.paymentIntents.retrieve(payment);
    return bank.openDispute(String(charge));
  };
  const endDispute = async (outcome: 'won' | 'lost') => {
    for (const { id } of record.disputes) bank.closeDispute(id, outcome);
    await stage.sync(record.id);
    return byOffice(['dispute-over']);
  };
  const deeds: Readonly<Record<PlannedDeed['does'], () => unknown>> = {
    office: () => byOffice(words),
    async 'pay-now'() {
      const { byCardCents } = nextInstallment(record).left;
      const { clientSecret } = await payments.ask(payBalance, record, byCardCents, at);
      await stripe.paymentIntents.confirm(idIn(clientSecret), { payment_method: METHODS[card] });
    },
    async 'new-card'() {
      const id = idIn(await payments.ask(beginCardChange, record, at));
      await stripe.setupIntents.confirm(id, { payment_method: METHODS[card] });
      await payments.ask(recordCard, record, id);
    },
    cancel: () => payments.ask(decide, record, 'cancel', { at, by: HERSELF, writtenAt: at, onPage: true }),
    undo: () => payments.ask(decide, record, 'cancel', { at, by: HERSELF, withdrawn: true }),
    'ask-address': () => askForAddress(payments, record, `own.${record.registrant.email}`, at),
    'new-address': () =>
      payments.ask(
        correctDetails,
        { id: record.id },
        { email: `own.${record.registrant.email}` },
        HERSELF,
        at,
      ),
    'give-place': () => payments.ask(decide, record, 'handOverAgreed', { at, by: HERSELF, of: offered }),
    async 'take-place'() {
      const setupIntent = idIn(await payments.ask(beginTakersCard, record, at));
      await stripe.setupIntents.confirm(setupIntent, { payment_method: METHODS[card] });
      const shown = { ...edition.terms, cents: nextInstallment(record).left.byCardCents };
      const accepted = { ...shown, decidedAt: offered, timeZone: 'Europe/Berlin', setupIntent };
      await payments.ask(acceptHandOver, record.id, accepted, at);
    },
    'disputes-deposit': () => dispute(deposit),
    'disputes-balance': () => dispute(nextInstallment(record).payment?.id),
    'dispute-won': () => endDispute('won'),
    'dispute-lost': () => endDispute('lost'),
    'settles-refunds': () => bank.settleRefund(lastRefund),
    'dashboard-cancels': () => stripe.paymentIntents.cancel(deposit),
    'dashboard-refunds': () => stripe.refunds.create({ payment_intent: deposit }),
    'dashboard-renames-refund': () => stripe.refunds.update(lastRefund, { metadata: { order: '' } }),
    'lacks-funds': () => bank.declineNextCharge(record.customerId ?? '', 'insufficient_funds'),
    'card-lost': () => bank.declineNextCharge(record.customerId ?? '', 'lost_card'),
    'stripe-refuses': () => stage.troubled.add(record.id),
  };
  await deeds[does]();
}

const idIn = (clientSecret: string): string => clientSecret.split('_secret_')[0] ?? '';

/** Somebody pays a different sum than the site asks for: a person has to look at that payment. */
async function payDifferently({ stripe, begin }: Stage): Promise<void> {
  const { payment } = await begin(contactOf(200));
  await stripe.paymentIntents.update(payment, { amount: 50_000 });
  await stripe.paymentIntents.confirm(payment, { payment_method: 'pm_card_visa' });
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
async function workOffAll(charges: Charges, now: Date): Promise<void> {
  const { payments, letterLog } = charges;
  await each(await findAllDue(charges, now), async ({ id, letters, deeds }) => {
    for (const letter of letters)
      if (letter.toOffice || !isRefusedAddress(letter.address)) await recordSent(letterLog, letter, now);
    // Stripe refuses the requests for some people.
    if (deeds.includes('charge')) await payments.ask(chargeBalance, id, now).catch(() => undefined);
    if (deeds.includes('refund')) await payments.ask(makeDueRefunds, id, now).catch(() => undefined);
  });
}

const each = <Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> =>
  Readable.from(items).forEach(act, { concurrency: 8 });

const QUIET_WITHIN_MS = 120_000;

/** The office's world and the product, running. */
export type OpenOffice = Awaited<ReturnType<typeof openOffice>>;

/**
 * Runs the built product on the office's day, with the sandbox's clock. When this resolves, its worker has done what is
 * due, and has sent what could be sent.
 */
export async function openOffice(t: TestScope) {
  await buildWhenStale('production', 'dist');
  const world = await makeOfficeWorld(t);
  const { url, setWebhookUrl } = world.sandbox;
  const mailServer = await startMailServer(t);
  mailServer.refuse(REFUSED_FOR_GOOD, isRefusedAddress);
  const product = await prepareProduct({
    sandbox: { url, setWebhookUrl },
    mailServer: { url: mailServer.url },
    // In production the product refuses a clock that can be moved.
    env: {
      ...noLimits,
      NODE_ENV: 'development',
      CLOCK: 'sandbox',
      REGISTRATION: 'auto',
      DATABASE_URL: world.databaseUrl,
    },
  });
  cleanUp(t, product.close);
  const since = world.sandbox.clock.now();
  await product.start();
  const quiet = watchQuiet(product);
  const isQuiet = await quiet.until(since, QUIET_WITHIN_MS);
  await quiet.close();
  if (!isQuiet) throw new Error('The worker did not come to rest');
  return { ...world, ...product, mailServer };
}
