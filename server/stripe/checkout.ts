import type Stripe from 'stripe';
import { noteChange, type Transaction } from '#server/database/database.ts';
import {
  AT_STRIPE_MS,
  changeRow,
  findRegistration,
  pendingHandOver,
  type RegistrationRecord,
  refused,
} from '#server/registration/registration.ts';
import { readStored, recordCard, requireFewFailedCards } from './cards.ts';
import { withCustomer } from './customers.ts';
import { HAND_OVER_MARK, ownMarks, readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, ifThere, inSeconds, momentOf, unlessRefused } from './stripe-calls.ts';

/** Stripe's shortest is thirty minutes by its own clock, of which this machine's may be a little behind. */
const OPEN_FOR_MS = AT_STRIPE_MS + 60 * 1000;
/** A session that is about to end is replaced: she needs some minutes for her card. */
const LEAST_LEFT_MS = 5 * 60 * 1000;

const SESSION = /^cs_\w{1,200}$/;
export const isSession = (id: unknown): id is string => typeof id === 'string' && SESSION.test(id);

interface WaysBack {
  success_url: string;
  cancel_url: string;
}

/**
 * Opens a page of Stripe for another card. A second press finds the page; while it is open, her card on file is not charged.
 * @see https://docs.stripe.com/payments/save-and-reuse?payment-ui=checkout
 */
export async function openCheckout(
  records: Records,
  record: RegistrationRecord,
  ways: WaysBack,
  now: Date,
): Promise<string> {
  requireFewFailedCards(record.acts, now);
  const open = await findOpen(records, record);
  const leftMs = open ? momentOf(open.expires_at).getTime() - now.getTime() : 0;
  if (open?.status === 'open' && leftMs >= LEAST_LEFT_MS) return open.id;
  if (await endCheckout(records, record, open)) throw refused('changed');
  const asked = parametersOf(record, ways, now);
  const { id } = await withCustomer(records, record, now, (customer) =>
    records.stripe.checkout.sessions.create({ ...asked, customer }),
  );
  await records.database.write((transaction) => noteAtStripe(transaction, record.id, id, now));
  return id;
}

/** For somebody who is to take the place: without a customer, so nothing can be charged to her card before. */
export async function openTakersCheckout(
  { stripe }: Records,
  record: RegistrationRecord,
  ways: WaysBack,
  now: Date,
): Promise<string> {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt) throw refused('hand_over_gone');
  requireFewFailedCards(record.acts, now);
  const asked = parametersOf(record, ways, now, { [HAND_OVER_MARK]: pending.at.toISOString() });
  return (await stripe.checkout.sessions.create({ ...asked, customer_email: pending.email })).id;
}

function parametersOf(
  { id, edition, linksEpoch }: RegistrationRecord,
  ways: WaysBack,
  now: Date,
  more: Readonly<Record<string, string>> = {},
) {
  const metadata = ownMarks('card', edition.facts, id, { epoch: linksEpoch, ...more });
  return {
    ...ways,
    mode: 'setup',
    allowed_payment_method_types: ['card'],
    expires_at: inSeconds(new Date(now.getTime() + OPEN_FOR_MS)),
    metadata,
    setup_intent_data: { metadata },
  } satisfies Stripe.Checkout.SessionCreateParams;
}

/** On record before she is led there. */
export async function noteAtStripe(
  transaction: Transaction,
  registration: string,
  atStripe: string,
  now: Date,
): Promise<void> {
  const atStripeUntil = new Date(now.getTime() + AT_STRIPE_MS);
  await changeRow(transaction, registration, { atStripe, atStripeUntil });
}

type SessionFields = 'id' | 'status' | 'url' | 'expires_at' | 'setup_intent';

interface Session extends Pick<Stripe.Checkout.Session, SessionFields> {
  marks: NonNullable<ReturnType<typeof readMarks>>;
}

export async function readSession({ stripe }: Records, id: string): Promise<Session | undefined> {
  const session = await ifThere(stripe.checkout.sessions.retrieve(id));
  const marks = session && readMarks(session);
  return session && marks?.kind === 'card' ? { ...session, marks } : undefined;
}

/**
 * Records the card of a session, and that she has left it. Whoever hears of it first does so: she who returns, the webhook,
 * the worker, or her next press.
 */
export async function takeSession(records: Records, session: Session): Promise<'news' | 'known' | undefined> {
  const record = await findRegistration(records, session.marks.registration);
  if (!record || session.status === 'open') return undefined;
  const setup = session.status === 'complete' ? idOf(session.setup_intent) : undefined;
  const taken = setup === undefined ? undefined : await recordCard(records, record, setup);
  await records.database.write(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('registrations')
      .set({ atStripe: null, atStripeUntil: null })
      .where('id', '=', record.id)
      .where('atStripe', '=', session.id)
      .executeTakeFirst();
    if (numUpdatedRows > 0) await noteChange(transaction, record.id);
  });
  return taken;
}

const findOpen = async (records: Records, { atStripe }: RegistrationRecord) =>
  isSession(atStripe?.id) ? readSession(records, atStripe.id) : undefined;

/** Reads her session before it is believed: its webhook may be lost. @returns whether it has stored a card */
export async function endCheckout(
  records: Records,
  record: RegistrationRecord,
  open?: Session,
): Promise<boolean> {
  const session = open ?? (await findOpen(records, record));
  if (!session) return false;
  return (await takeSession(records, await expire(records, session))) !== undefined;
}

async function expire(records: Records, session: Session): Promise<Session> {
  if (session.status !== 'open') return session;
  const expired = await unlessRefused(records.stripe.checkout.sessions.expire(session.id));
  if (expired) return { ...expired, marks: session.marks };
  return (await readSession(records, session.id)) ?? session;
}

/** Expires open sessions, also of somebody who is to get the place. @returns whether one was open */
export async function endCheckouts(
  records: Records,
  registration: string,
  isToEnd: (linksEpoch: number) => boolean = () => true,
): Promise<boolean> {
  let wasOpen = false;
  for await (const session of records.stripe.checkout.sessions.list({ status: 'open', limit: 100 })) {
    const marks = readMarks(session);
    if (marks?.registration !== registration || !isToEnd(marks.linksEpoch)) continue;
    wasOpen = (await expire(records, { ...session, marks })).status === 'expired' || wasOpen;
  }
  return wasOpen;
}

export async function readTakersCard(
  records: Records,
  registration: string,
  sessionId: string,
  handOver: Date,
) {
  const session = await readSession(records, sessionId);
  const isHers =
    session?.marks.registration === registration && session.marks.handOver === handOver.toISOString();
  if (!isHers) return undefined;
  if (session.status === 'open') return session.url === null ? undefined : { url: session.url };
  const setupIntent = session.status === 'complete' ? idOf(session.setup_intent) : undefined;
  const stored = setupIntent && (await readStored(records.stripe, registration, setupIntent));
  return setupIntent && stored ? { card: { setupIntent, ...stored.card } } : undefined;
}
