import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { AppError, causeOf } from '#server/http/app-error.ts';
import type { RegistrationMail } from '#server/mail/job.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { refundStop } from './cancel-plan.ts';
import { chargeStop } from './charge-plan.ts';
import { isToBeClosed } from './close-unpaid.ts';
import { lettersOfPayment, lettersOwed } from './deposit-letters.ts';
import { findRegistration, type Records } from './find-registration.ts';
import { laterLettersDue } from './later-letters.ts';
import type { AnnouncedToAll } from './letter-facts.ts';
import { depositOf, type OnRecord, readAllOnRecord } from './on-record.ts';
import { isBalanceStale } from './open-balance.ts';
import { isHandled } from './outbox.ts';
import { isPaidInFull } from './recognise-deposit.ts';
import { readPayments, recordPayments, versionNow } from './record-payments.ts';
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

/** How many registrations are read from the register at a time. */
const READ_AT_ONCE = 100;

/**
 * Brings the register to what Stripe shows of the payments made since a moment, and yields for each registration begun
 * since then what is due and what is on record, the newest first.
 */
export async function* findAllDue(
  records: Records,
  since: Date,
  now: Date,
  isOver: IsOver,
  announced?: Announced,
): AsyncGenerator<Found> {
  await catchUp(records, since);
  const { database } = records;
  const deposits = await database.read((transaction) =>
    transaction
      .selectFrom('payments')
      .select('id')
      .whereRef('id', '=', 'registration')
      .where('madeAt', '>=', since.toISOString())
      .orderBy('madeAt', 'desc')
      .orderBy('id')
      .execute(),
  );
  for (let at = 0; at < deposits.length; at += READ_AT_ONCE) {
    const some = deposits.slice(at, at + READ_AT_ONCE).map(({ id }) => id);
    const all = await database.read((transaction) => readAllOnRecord(transaction, some));
    for (const [paymentIntentId, onRecord] of all)
      yield { paymentIntentId, ...lookAt(onRecord, now, isOver, announced) };
  }
}

function lookAt(
  onRecord: OnRecord,
  now: Date,
  isOver: IsOver,
  announced?: Announced,
): Omit<Found, 'paymentIntentId'> {
  try {
    const registration = readRecord(onRecord);
    const due = dueFor(onRecord, isOver);
    if (!registration) return { due };
    const announcements = announced?.get(registration.edition.facts.id);
    return { due: [...due, ...dueOfBalance(registration, now, announcements)], registration };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { due: [{ type: 'attention', reason: causeOf(error).message }] };
  }
}

function dueFor(onRecord: OnRecord, isOver: IsOver): Due[] {
  const deposit = depositOf(onRecord);
  const edition = findEdition(deposit?.edition ?? '');
  const isHeld = deposit?.status === 'paid' && lettersOfPayment(onRecord) === undefined;
  if (isHeld && !isHandled(onRecord)) return [{ type: 'attention' }];
  if (edition && isToBeClosed(onRecord) && isOver(edition.facts)) return [{ type: 'closing' }];
  return lettersOwed(onRecord).map((letter) => ({ type: 'letter', letter }));
}

function dueOfBalance(registration: RegistrationRecord, now: Date, announced?: AnnouncedToAll): Due[] {
  const letters = laterLettersDue(registration, now, announced);
  const due: Due[] = letters.map((letter) => ({ type: 'letter', letter }));
  if (isBalanceStale(registration)) due.push({ type: 'fit-balance' });
  if (chargeStop(registration, now) === undefined) due.push({ type: 'charge' });
  if (refundStop(registration, now) === undefined) due.push({ type: 'refund' });
  return due;
}

/**
 * Records the payments made since a moment as Stripe shows them, a hundred per request. A page that fails is retried, and
 * the pages before it are not lost.
 * @see https://docs.stripe.com/rate-limits
 */
async function catchUp(records: Records, since: Date): Promise<void> {
  const { stripe, database } = records;
  const created = { gte: Math.floor(since.getTime() / 1000) };
  const parameters = { created, limit: 100, expand: RECORD_EXPANSION.map((path) => `data.${path}`) };
  for (let last: string | undefined; ; ) {
    const before = await versionNow(database);
    const { intents, read, hasMore } = await withRetries(async () => {
      const page = await stripe.paymentIntents.list({ ...parameters, ...(last && { starting_after: last }) });
      return { intents: page.data, read: await readPayments(stripe, page.data), hasMore: page.has_more };
    });
    const newer = await recordPayments(database, read, before);
    for (const deposit of newer) await withRetries(() => findRegistration(records, deposit));
    await recoverLost(records, intents);
    last = intents.at(-1)?.id;
    if (!hasMore || !last) return;
  }
}

async function recoverLost({ database }: Records, intents: readonly Stripe.PaymentIntent[]): Promise<void> {
  const paid = intents.filter(isPaidInFull);
  if (paid.length === 0) return;
  const known = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select('deposit')
      .where(
        'deposit',
        'in',
        paid.map(({ id }) => id),
      )
      .execute(),
  );
  for (const intent of paid)
    if (!known.some(({ deposit }) => deposit === intent.id)) await recoverRegistration(database, intent);
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
