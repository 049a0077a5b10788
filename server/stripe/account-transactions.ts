import type Stripe from 'stripe';
import type { Database, TransactionRow } from '#server/database/database.ts';
import { readMarks } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { idOf, inSeconds, momentOf } from './stripe-calls.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const SEASON_MS = 400 * DAY_MS;
/** A transaction may be listed later than others that were made after it. */
const OVERLAP_MS = DAY_MS;
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
  await record(database, await list(stripe, madeAfter(knownMs - OVERLAP_MS)));
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
