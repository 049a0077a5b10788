import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { AppError, causeOf } from '#server/http/app-error.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Facts } from '#shared/content/edition.ts';
import { withAllRefunds } from './all-refunds.ts';
import { depositOfBalance } from './balance-payment.ts';
import { refundStop } from './cancel-plan.ts';
import { chargeStop } from './charge-plan.ts';
import { isToBeClosed } from './close-unpaid.ts';
import { lettersOfPayment, lettersOwed } from './deposit-letters.ts';
import type { Records } from './find-registration.ts';
import { laterLettersDue } from './later-letters.ts';
import type { AnnouncedToAll } from './letter-facts.ts';
import { NOTHING, type OnRecord, readAllOnRecord, readOnRecord } from './on-record.ts';
import { isBalanceStale } from './open-balance.ts';
import { isHandled } from './outbox.ts';
import { editionOf, isPaidInFull, recognise } from './recognise-deposit.ts';
import { recoverRegistration } from './recover-registration.ts';
import { RECORD_EXPANSION, type RegistrationRecord, readRecord } from './registration-record.ts';

/** How long to wait before each retry of a page of the list. */
const PAGE_RETRIES_MS = [250, 2_000];

/** Whether registration for an edition is over, so that nobody pays for it any more. */
export type IsOver = (facts: Facts) => boolean;

/** What the office has announced to everyone, by edition id. */
export type Announced = ReadonlyMap<string, AnnouncedToAll>;

/** Something that is due for a registration. */
export type Due =
  | { type: 'letter'; letter: RegistrationMail }
  /** Registration is over, and this deposit unpaid. */
  | { type: 'closing' }
  /** The balance is to be charged. */
  | { type: 'charge' }
  /** A refund is to be made, or a cancellation without a refund to be completed. */
  | { type: 'refund' }
  /**
   * An open payment of the balance does not match what is left to pay: a decision was interrupted before
   * cancelling it.
   */
  | { type: 'fit-balance' }
  /**
   * A person must look: it was paid, but not as this site made it, or for an unknown edition, or its
   * registrant cannot be read. With a reason when what is on record of it is not what this site writes.
   */
  | { type: 'attention'; reason?: string };

/** What was found for one registration. */
export interface Found {
  /** The PaymentIntent of its deposit. */
  paymentIntentId: string;
  due: readonly Due[];
  /** Absent where it cannot be read, or is no deposit of an edition that this release knows. */
  registration?: RegistrationRecord;
}

/**
 * Scans the payments made since a moment, a hundred per request, and yields for each registration what is due
 * and what is on record. A page that fails is retried, and the pages before it are not lost.
 * @see https://docs.stripe.com/rate-limits
 */
export async function* findAllDue(
  records: Records,
  since: Date,
  now: Date,
  isOver: IsOver,
  announced?: Announced,
): AsyncGenerator<Found> {
  const { stripe } = records;
  const balances = new Map<string, Stripe.PaymentIntent[]>();
  for await (const { listed, held } of listIntents(records, since)) {
    const intent = await withRetries(() => withAllRefunds(stripe, listed));
    const isLost = !held.registration && (await recoverRegistration(records, intent));
    const onRecord = isLost ? await readOnRecord(records, intent.id) : held;
    const { id: paymentIntentId } = intent;
    const depositId = depositOfBalance(intent);
    if (depositId !== undefined) {
      // The newest come first: a deposit comes after the payments of its balance.
      balances.set(depositId, [...(balances.get(depositId) ?? []), intent]);
    } else if (recognise(intent) !== 'foreign') {
      yield {
        paymentIntentId,
        ...lookAt(intent, balances.get(paymentIntentId), onRecord, now, isOver, announced),
      };
    }
  }
}

function lookAt(
  deposit: Stripe.PaymentIntent,
  balances: readonly Stripe.PaymentIntent[] | undefined,
  onRecord: OnRecord,
  now: Date,
  isOver: IsOver,
  announced?: Announced,
): Omit<Found, 'paymentIntentId'> {
  try {
    const registration = readRecord(deposit, balances, onRecord);
    const due = dueFor(deposit, onRecord, isOver);
    if (!registration) return { due };
    const announcements = announced?.get(registration.edition.facts.id);
    return { due: [...due, ...dueOfBalance(registration, now, announcements)], registration };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { due: [{ type: 'attention', reason: causeOf(error).message }] };
  }
}

function dueFor(deposit: Stripe.PaymentIntent, onRecord: OnRecord, isOver: IsOver): Due[] {
  const edition = editionOf(deposit);
  const isHeld = deposit.status === 'succeeded' && !canBeWelcomed(deposit, onRecord);
  if (isHeld && !isHandled(onRecord)) return [{ type: 'attention' }];
  if (edition && isToBeClosed(deposit) && isOver(edition.facts)) return [{ type: 'closing' }];
  return lettersOwed(deposit, onRecord).map((letter) => ({ type: 'letter', letter }));
}

function dueOfBalance(registration: RegistrationRecord, now: Date, announced?: AnnouncedToAll): Due[] {
  const letters = laterLettersDue(registration, now, announced);
  const due: Due[] = letters.map((letter) => ({ type: 'letter', letter }));
  if (isBalanceStale(registration)) due.push({ type: 'fit-balance' });
  if (chargeStop(registration, now) === undefined) due.push({ type: 'charge' });
  if (refundStop(registration, now) === undefined) due.push({ type: 'refund' });
  return due;
}

function canBeWelcomed(intent: Stripe.PaymentIntent, onRecord: OnRecord): boolean {
  return isPaidInFull(intent) && lettersOfPayment(intent, onRecord) !== undefined;
}

/** With what is on record of each. */
async function* listIntents(
  records: Records,
  since: Date,
): AsyncGenerator<{ listed: Stripe.PaymentIntent; held: OnRecord }> {
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const parameters = { created, limit: 100, expand: RECORD_EXPANSION.map((path) => `data.${path}`) };
  let last: string | undefined;
  for (;;) {
    const page = await withRetries(() =>
      records.stripe.paymentIntents.list({ ...parameters, ...(last && { starting_after: last }) }),
    );
    const onRecord = await readAllOnRecord(
      records,
      page.data.map(({ id }) => id),
    );
    for (const listed of page.data) yield { listed, held: onRecord.get(listed.id) ?? NOTHING };
    last = page.data.at(-1)?.id;
    if (!page.has_more || !last) return;
  }
}

/** Retries after a pause where Stripe fails. */
async function withRetries<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const waitMs of PAGE_RETRIES_MS) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error;
    }
    await pause(waitMs);
  }
  return ask();
}
