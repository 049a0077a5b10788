import type Stripe from 'stripe';
import type { Database } from '#server/database/database.ts';
import type { TransactionRow } from '#server/database/schema.ts';
import { isMarked } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, inSeconds, momentOf } from './stripe-calls.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How far back the first listing goes: longer than an edition lasts. */
const SEASON_MS = 400 * DAY_MS;
/** A transaction may be listed later than others that were made after it. */
const OVERLAP_MS = DAY_MS;
/** For how long a payout is looked at until Stripe can tell all that is in it. */
const RECONCILED_WITHIN_MS = 7 * DAY_MS;
/** Rows in one statement, which SQLite bounds by its number of values. */
const ROWS_AT_ONCE = 500;

/**
 * Records the balance transactions of the account that are new, once an hour, and which of them each automatic payout
 * holds: a transaction does not name its payout, and of a payout made by hand Stripe cannot tell. Killed anywhere, it
 * begins again at the last moment up to which all is known.
 * @param isAsked at once, although the hour is not over
 * @see https://docs.stripe.com/api/balance_transactions/list
 * @see https://docs.stripe.com/payouts/reconciliation
 */
export async function recordTransactions(
  { stripe, database }: Records,
  now: Date,
  isAsked = false,
): Promise<void> {
  const { transactionsUntil: until } = await database.read((transaction) =>
    transaction.selectFrom('register').select('transactionsUntil').executeTakeFirstOrThrow(),
  );
  const sinceMs = now.getTime() - (until?.getTime() ?? 0);
  if (!isAsked && sinceMs >= 0 && sinceMs < HOUR_MS) return;
  const knownMs = until === null ? now.getTime() - SEASON_MS : Math.min(until.getTime(), now.getTime());
  const madeAfter = (ms: number) => ({ created: { gte: inSeconds(new Date(ms)) }, limit: 100 });
  await write(database, await list(stripe, madeAfter(knownMs - OVERLAP_MS)));
  const filled = await readFilled(database);
  for await (const payout of stripe.payouts.list(madeAfter(knownMs - RECONCILED_WITHIN_MS))) {
    if (payout.reconciliation_status !== 'completed' || filled.has(payout.id)) continue;
    const held = await list(stripe, { payout: payout.id, limit: 100 });
    const arrivesAt = momentOf(payout.arrival_date);
    await write(
      database,
      held.map((row) => ({ ...row, payout: payout.id, arrivesAt })),
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
  const ours = by && 'metadata' in by && isMarked({ metadata: by.metadata }) ? 1 : 0;
  const moved = { category, amount, fee, net, currency, createdAt: momentOf(created) };
  return { id, source: idOf(source) ?? null, payment, ours, ...moved, payout: null, arrivesAt: null };
}

/** The payouts whose transactions are on record: all of one are written together. */
async function readFilled(database: Database): Promise<ReadonlySet<string | null>> {
  const rows = await database.read((transaction) =>
    transaction.selectFrom('transactions').select('payout').distinct().execute(),
  );
  return new Set(rows.map(({ payout }) => payout));
}

/** A transaction never changes; its payout is filled once. */
async function write(database: Database, rows: readonly TransactionRow[]): Promise<void> {
  await database.write(async (transaction) => {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      await transaction
        .insertInto('transactions')
        .values(rows.slice(at, at + ROWS_AT_ONCE))
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet(({ ref }) => ({
              payout: ref('excluded.payout'),
              arrivesAt: ref('excluded.arrivesAt'),
            }))
            .where('transactions.payout', 'is', null)
            .where('excluded.payout', 'is not', null),
        )
        .execute();
  });
}
