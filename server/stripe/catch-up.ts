import type Stripe from 'stripe';
import { type Database, isRegisterAway, type TransactionRow } from '#server/database/database.ts';
import { AppError } from '#server/web/app-error.ts';
import { readMarks, recognise } from './payment-at-stripe.ts';
import { LIST_EXPANDED, type Records, recordList } from './record-payments.ts';
import { idOf, inSeconds, momentOf } from './stripe-calls.ts';
import { EVENT_TYPES, noteTaken, takeEvent } from './stripe-events.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Events may be listed later than others that were made after them. */
const OVERLAP_MS = HOUR_MS;
/** Stripe lists events for thirty days. */
const EVENTS_KEPT_MS = 29 * DAY_MS;
/** How far back payments are listed each day: whoever made one may have been killed before it recorded it. */
const LISTED_MS = 7 * DAY_MS;
/** How far back they are listed where events are missing: longer than an edition lasts. */
const SEASON_MS = 400 * DAY_MS;

/**
 * Takes the events that no webhook brought, and once a day records the payments of the last week; of the season where the
 * register is new or held. What cannot be taken stops nothing else.
 * @see https://docs.stripe.com/webhooks/handle-irrecoverable-events
 */
export async function catchUp(records: Records, now: Date): Promise<AppError[]> {
  const { database } = records;
  const { eventsUntil, comparedAt } = await database.read((transaction) =>
    transaction.selectFrom('register').select(['eventsUntil', 'comparedAt']).executeTakeFirstOrThrow(),
  );
  const ageOf = (moment: Date | null): number => now.getTime() - (moment?.getTime() ?? 0);
  if (eventsUntil === null || ageOf(comparedAt) >= DAY_MS || ageOf(comparedAt) < 0) {
    const hasEvents = comparedAt !== null && ageOf(eventsUntil) < EVENTS_KEPT_MS;
    await recordSince(records, new Date(now.getTime() - (hasEvents ? LISTED_MS : SEASON_MS)));
    // Unless the register is held since the listing began: then the whole season has to be listed.
    const isSame = comparedAt === null ? 'is' : '=';
    await database.write((transaction) =>
      transaction
        .updateTable('register')
        .set({ comparedAt: now })
        .where('comparedAt', isSame, comparedAt)
        .execute(),
    );
  }
  // The clock may have been ahead.
  const until = eventsUntil && eventsUntil < now ? eventsUntil : now;
  const failures = await takeEvents(records, new Date(until.getTime() - OVERLAP_MS));
  // What failed is listed again for a day; after that a person has seen it in the log.
  const failedMs = Math.min(now.getTime(), ...failures.map(({ at }) => at.getTime()));
  const knownMs = Math.max(until.getTime(), failedMs, now.getTime() - DAY_MS);
  await database.write((transaction) =>
    transaction
      .updateTable('register')
      .set({ caughtUpAt: now, eventsUntil: new Date(knownMs) })
      .execute(),
  );
  return failures.map(({ error }) => error);
}

async function takeEvents(records: Records, since: Date): Promise<{ at: Date; error: AppError }[]> {
  const { stripe, database } = records;
  const taken = await database.write(async (transaction) => {
    await transaction.deleteFrom('stripeEvents').where('createdAt', '<', since).execute();
    return transaction.selectFrom('stripeEvents').select('id').execute();
  });
  const known = new Set(taken.map(({ id }) => id));
  const failures: { at: Date; error: AppError }[] = [];
  const listed = { types: [...EVENT_TYPES], limit: 100, created: { gte: inSeconds(since) } };
  for await (const event of stripe.events.list(listed)) {
    if (known.has(event.id)) continue;
    try {
      await takeEvent(records, event);
      await noteTaken(database, event);
    } catch (error) {
      if (!(error instanceof AppError) || isRegisterAway(error)) throw error;
      failures.push({ at: momentOf(event.created), error });
    }
  }
  return failures;
}

async function recordSince(records: Records, since: Date): Promise<void> {
  const listed = { created: { gte: inSeconds(since) }, limit: 100, ...LIST_EXPANDED };
  const read: { hasMore: boolean; after?: string | undefined } = { hasMore: true };
  // By pages, so that a season does not keep all other writers waiting.
  while (read.hasMore)
    await recordList(records, async ({ paymentIntents }) => {
      const { data, has_more } = await paymentIntents.list({
        ...listed,
        ...(read.after && { starting_after: read.after }),
      });
      read.after = data.at(-1)?.id;
      read.hasMore = has_more;
      return data.filter((intent) => recognise(intent) !== 'foreign');
    });
}

/** A transaction may be listed later than others that were made after it. */
const TRANSACTIONS_OVERLAP_MS = DAY_MS;
/** For how long a payout is looked at until Stripe can tell all that is in it. */
const RECONCILED_WITHIN_MS = 7 * DAY_MS;

/**
 * Records the new balance transactions of the account once an hour, and which of them each automatic payout holds: a
 * transaction does not name its payout. Killed anywhere, it begins again at the last moment up to which all is known.
 * @see https://docs.stripe.com/payouts/reconciliation
 */
export async function recordTransactions(
  { stripe, database }: Records,
  now: Date,
  isAsked = false,
): Promise<void> {
  const { until, filled } = await database.read(async (transaction) => ({
    until: await transaction.selectFrom('register').select('transactionsUntil').executeTakeFirstOrThrow(),
    filled: await transaction.selectFrom('transactions').select('payout').distinct().execute(),
  }));
  const knownMs = until.transactionsUntil?.getTime() ?? now.getTime() - SEASON_MS;
  if (!isAsked && Math.abs(now.getTime() - knownMs) < HOUR_MS) return;
  const madeAfter = (ms: number) => ({ created: { gte: inSeconds(new Date(ms)) }, limit: 100 });
  await record(database, await list(stripe, madeAfter(knownMs - TRANSACTIONS_OVERLAP_MS)));
  for await (const { id, ...payout } of stripe.payouts.list(madeAfter(knownMs - RECONCILED_WITHIN_MS))) {
    // All of one are recorded together.
    const isFilled = filled.some((row) => row.payout === id);
    if (payout.reconciliation_status !== 'completed' || isFilled) continue;
    const arrivesAt = momentOf(payout.arrival_date);
    const held = await list(stripe, { payout: id, limit: 100 });
    await record(
      database,
      held.map((row) => ({ ...row, payout: id, arrivesAt })),
    );
  }
  await database.write((transaction) =>
    transaction.updateTable('register').set({ transactionsUntil: now }).execute(),
  );
}

async function list(
  stripe: Stripe,
  filter: Stripe.BalanceTransactionListParams,
): Promise<readonly TransactionRow[]> {
  const rows: TransactionRow[] = [];
  for await (const one of stripe.balanceTransactions.list({ ...filter, expand: ['data.source'] }))
    rows.push(rowOf(one));
  return rows;
}

function rowOf({ source, created, ...one }: Stripe.BalanceTransaction): TransactionRow {
  const { id, reporting_category: category, amount, fee, net, currency } = one;
  const by = typeof source === 'string' ? null : source;
  const payment = by && 'payment_intent' in by ? (idOf(by.payment_intent) ?? null) : null;
  const ours = by && 'metadata' in by && readMarks({ metadata: by.metadata }) ? 1 : 0;
  const moved = { category, amount, fee, net, currency, createdAt: momentOf(created) };
  return { id, source: idOf(source) ?? null, payment, ours, ...moved, payout: null, arrivesAt: null };
}

/** A transaction never changes but for its payout, which is filled once. */
async function record(database: Database, rows: readonly TransactionRow[]): Promise<void> {
  await database.write(async (transaction) => {
    for (const row of rows) {
      const { payout, arrivesAt } = row;
      await transaction
        .insertInto('transactions')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ payout, arrivesAt }).where('transactions.payout', 'is', null),
        )
        .execute();
    }
  });
}
