import type Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import {
  findRegistration,
  type RegistrationRecord,
  unreadablePayment,
} from '#server/registration/registration.ts';
import { AppError } from '#server/web/app-error.ts';
import { isOneTooMany, recordChangeOfCard } from './cards.ts';
import { endCheckouts, readSession, takeSession } from './checkout.ts';
import { cancelEmptied } from './forget.ts';
import { isDeposit, isUnpaid, readMarks, recognise, registrationOf } from './payment-at-stripe.ts';
import { type Records, recordPayment } from './record-payments.ts';
import { idOf, ifStillOpen, momentOf, TOO_MANY_FAILURES } from './stripe-calls.ts';

/** What an event may change, and how that is logged. */
export const CHANGES = {
  'deposit-paid': ['info', 'Deposit paid'],
  'balance-paid': ['info', 'Balance paid'],
  'payment-held': [
    'error',
    'A payment was made with another amount or currency than expected: no letter is sent, please look at it',
  ],
  'deposit-failed': ['warn', 'Deposit payment failed'],
  'deposit-closed': ['warn', 'Payment closed after too many declined cards'],
  'card-failed': ['warn', 'A card could not be stored'],
  'card-closed': ['warn', 'No card can be stored today after too many declined ones'],
  card: ['info', 'A card was stored or renewed'],
  'card-detached': ['warn', 'A card on file was detached: she is asked to pay, or to give another one'],
  refund: ['info', 'A refund was made or has changed'],
  'refund-failed': ['error', 'A refund failed at the bank: the office sends a check'],
  'dispute-opened': ['error', 'A charge is disputed: nothing moves by itself'],
  'dispute-moved': ['info', 'The money of a dispute was withdrawn or given back'],
  'dispute-won': ['warn', 'A dispute is won: the office says how it goes on'],
  'dispute-lost': ['warn', 'A dispute is lost: the office says how it goes on'],
  'dispute-closed': ['warn', 'A dispute is closed: the office says how it goes on'],
} as const satisfies Readonly<Record<string, readonly ['info' | 'warn' | 'error', string]>>;
export type Change = keyof typeof CHANGES;

export interface Taken {
  change: Change;
  registration: string;
  facts?: { amountCents?: number; reason?: string | undefined };
  paid?: RegistrationRecord;
}

/** As far as it is taken from the event, which may be late: all else is read. */
interface Named {
  id: string;
  metadata?: Stripe.Metadata | null;
  status?: string | null;
  customer?: string | { id: string } | null;
  payment_intent?: string | { id: string } | null;
  last_payment_error?: { code?: string } | null;
  last_setup_error?: { code?: string } | null;
}

type Take = (records: Records, object: Named, event: Stripe.Event) => Promise<Taken | undefined>;

async function recordOwn(records: Records, id: string): Promise<Stripe.PaymentIntent | undefined> {
  const payment = await recordPayment(records, id);
  return payment && recognise(payment) !== 'foreign' ? payment : undefined;
}

const paymentSucceeded: Take = async (records, { id }) => {
  const payment = await recordOwn(records, id);
  if (!payment) return undefined;
  const recognition = recognise(payment);
  const { kind, edition } = payment.metadata;
  if (recognition === 'unknown')
    throw unreadablePayment(`${id} is a payment of this site for ${kind} ${edition}, unknown here`);
  const registration = registrationOf(payment);
  if (recognition === 'altered') return { change: 'payment-held', registration };
  const record = await findRegistration(records, registration);
  const facts = { amountCents: payment.amount_received };
  if (recognition === 'balance' && record) return { change: 'balance-paid', registration, facts };
  if (record?.deposit !== 'paid' || record.forgottenAt)
    throw unreadablePayment(`${id} is paid, and its registrant is not on record`);
  return { change: 'deposit-paid', registration, facts, paid: record };
};

const paymentFailed: Take = async (records, { id, last_payment_error: error }, event) => {
  const payment = await recordOwn(records, id);
  if (!payment || !isDeposit(payment)) return undefined;
  const subject = registrationOf(payment);
  const failure = { id: event.id, subject, kind: 'deposit-failed' as const, at: momentOf(event.created) };
  const isClosed =
    (await isOneTooMany(records, failure)) &&
    isUnpaid(payment) &&
    (await ifStillOpen(cancelEmptied(records, id, TOO_MANY_FAILURES)));
  const change = isClosed ? 'deposit-closed' : 'deposit-failed';
  return { change, registration: subject, facts: { reason: error?.code } };
};

const setupFailed: Take = async (records, object, event) => {
  const { metadata = null, last_setup_error: error } = object;
  const { registration: subject } = readMarks({ metadata }) ?? {};
  if (subject === undefined) return undefined;
  const failure = { id: event.id, subject, kind: 'card-failed' as const, at: momentOf(event.created) };
  const isClosed = (await isOneTooMany(records, failure)) && (await endCheckouts(records, subject));
  const change = isClosed ? 'card-closed' : 'card-failed';
  return { change, registration: subject, facts: { reason: error?.code } };
};

const checkoutCompleted: Take = async (records, { id }) => {
  const session = await readSession(records, id);
  const isNews = session && (await takeSession(records, session)) === 'news';
  return isNews ? { change: 'card', registration: session.marks.registration } : undefined;
};

const cardChanged: Take = async (records, { id }, event) => {
  const isDetached = event.type === 'payment_method.detached';
  // A detached card itself names its customer no more.
  const customer = isDetached ? event.data.previous_attributes?.customer : undefined;
  const registration = await recordChangeOfCard(records, id, momentOf(event.created), idOf(customer));
  if (registration === undefined) return undefined;
  return { change: isDetached ? 'card-detached' : 'card', registration };
};

function moneyBack(changeOf: Change | ((object: Named) => Change)): Take {
  return async (records, object) => {
    const { payment_intent: intent } = object;
    const payment = intent ? await recordOwn(records, idOf(intent)) : undefined;
    const change = typeof changeOf === 'string' ? changeOf : changeOf(object);
    return payment && { change, registration: registrationOf(payment) };
  };
}

const disputeEnd = ({ status }: Named): Change =>
  status === 'won' ? 'dispute-won' : status === 'lost' ? 'dispute-lost' : 'dispute-closed';

const EVENTS = {
  'payment_intent.succeeded': paymentSucceeded,
  'payment_intent.payment_failed': paymentFailed,
  'payment_intent.canceled': async (records, { id }) => void (await recordOwn(records, id)),
  'charge.refunded': moneyBack('refund'),
  'charge.dispute.created': moneyBack('dispute-opened'),
  'charge.dispute.closed': moneyBack(disputeEnd),
  'charge.dispute.funds_withdrawn': moneyBack('dispute-moved'),
  'charge.dispute.funds_reinstated': moneyBack('dispute-moved'),
  'refund.created': moneyBack('refund'),
  'refund.updated': moneyBack('refund'),
  'refund.failed': moneyBack('refund-failed'),
  'checkout.session.completed': checkoutCompleted,
  'setup_intent.setup_failed': setupFailed,
  'payment_method.automatically_updated': cardChanged,
  'payment_method.detached': cardChanged,
} as const satisfies { readonly [Type in Stripe.Event['type']]?: Take };

/** The types that are to be sent to the webhook: launch.md lists them. */
export const EVENT_TYPES: readonly string[] = Object.keys(EVENTS);

type Known = Extract<Stripe.Event, { type: keyof typeof EVENTS }>;
const isKnown = (event: Stripe.Event): event is Known => event.type in EVENTS;

/**
 * Takes a verified event: its effects are on record after that. What it names is read at Stripe, as an event may come late or
 * again. It throws what a person has to look at, so that Stripe sends the event again.
 */
export async function takeEvent(records: Records, event: Stripe.Event): Promise<Taken | undefined> {
  return isKnown(event) ? EVENTS[event.type](records, event.data.object, event) : undefined;
}

export async function noteTaken(database: Database, { id, created }: Stripe.Event): Promise<void> {
  await database.write((transaction) =>
    transaction
      .insertInto('stripeEvents')
      .values({ id, createdAt: momentOf(created) })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** Checks that Stripe has signed it within five minutes. https://docs.stripe.com/webhooks/signature */
export async function takeSigned(records: Records, body: Buffer, signature: string, secret: string) {
  const { webhooks } = records.stripe;
  const event = await webhooks
    .constructEventAsync(body, signature, secret)
    .catch((cause: unknown) => Promise.reject(invalidSignature(cause)));
  return { event, taken: await takeEvent(records, event) };
}

export function invalidSignature(cause: unknown): AppError {
  const message = 'The signature does not match';
  return new AppError({ code: 'invalid_signature', status: 400, message, cause });
}
