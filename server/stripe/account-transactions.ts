import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

export interface Span {
  from: Date;
  until: Date;
}

/**
 * The most requests for the transactions of one month, a hundred in each, and for their payouts. A month of 500
 * registrations takes about 45: six for its transactions, one for the payouts, and one or two for each payout.
 */
const MOST_REQUESTS = { changes: 150, payouts: 100 };
/** Requests for payouts at a time. */
const AT_ONCE = 5;
/** Within which time Stripe has paid out what came in: a schedule may be monthly, and then come the days until it is available. */
const PAID_OUT_WITHIN_MS = 50 * DAY_MS;

/** The code of the error for a month that takes more requests for its transactions. */
export const TOO_MANY_TRANSACTIONS = 'too_many_transactions';

/** Where the net of a transaction went. */
export interface PayoutOfChange {
  id: string;
  /** The ISO date on which the bank has it. */
  arrivesOn: string;
  /** It came back to the Stripe account. */
  failed: boolean;
}

/** All of a list, up to a number of requests for whatever is read with the same reader. */
type ReadAll = <Item extends { id: string }>(
  list: (page: Stripe.PaginationParams) => PromiseLike<Stripe.ApiList<Item>>,
) => Promise<Item[]>;

/**
 * Reads the changes of the Stripe account's balance, and what happened to them.
 * @param most how many requests it makes at most
 */
export function createBalanceReader(stripe: Stripe, most = MOST_REQUESTS) {
  return {
    /**
     * The changes in a span, the oldest first, each with the object that caused it.
     * @throws {AppError} `TOO_MANY_TRANSACTIONS`
     * @see https://docs.stripe.com/api/balance_transactions/list
     */
    async readChanges({ from, until }: Span): Promise<Stripe.BalanceTransaction[]> {
      const created = { gte: inSeconds(from), lt: inSeconds(until) };
      const expand = ['data.source'];
      const readAll = boundedReader(most.changes);
      const changes = await readAll((page) => stripe.balanceTransactions.list({ created, expand, ...page }));
      return changes.reverse();
    },
    /**
     * The automatic payouts of some of these changes, by the ids of the changes. A change does not name its payout, so the
     * changes of each payout are listed, from the oldest on, until all are found. Stripe cannot say what is in a payout
     * that somebody made by hand. What more requests would find is `unknown`: of a single change that is in no automatic
     * payout, all payouts of months would be read.
     * @param changes the oldest first
     * @see https://docs.stripe.com/payouts/reconciliation
     */
    async findPayouts(
      changes: readonly Pick<Stripe.BalanceTransaction, 'id' | 'created'>[],
      { until }: Span,
    ) {
      const found = new Map<string, PayoutOfChange>();
      const missing = new Set(changes.map(({ id }) => id));
      const [oldest] = changes;
      if (!oldest) return { payouts: found, unknown: missing };
      const readAll = boundedReader(most.payouts);
      const created = { gte: oldest.created, lt: inSeconds(until) + PAID_OUT_WITHIN_MS / 1000 };
      const find = async (payout: Stripe.Payout): Promise<void> => {
        const held = await readAll((page) => stripe.balanceTransactions.list({ payout: payout.id, ...page }));
        for (const { id } of held) if (missing.delete(id)) found.set(id, payoutOf(payout));
      };
      try {
        const made = await readAll((page) => stripe.payouts.list({ created, ...page }));
        const payouts = made.filter(({ automatic }) => automatic).reverse();
        for (let at = 0; at < payouts.length && missing.size > 0; at += AT_ONCE) {
          const ends = await Promise.allSettled(payouts.slice(at, at + AT_ONCE).map(find));
          for (const end of ends) if (end.status === 'rejected') throw end.reason;
        }
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== TOO_MANY_TRANSACTIONS) throw error;
        return { payouts: found, unknown: missing };
      }
      return { payouts: found, unknown: new Set<string>() };
    },
  };
}

function boundedReader(most: number): ReadAll {
  let left = most;
  return async (list) => {
    const found = [];
    for (let last: string | undefined; ; ) {
      if (left === 0) throw tooMany(most);
      left -= 1;
      const page = await list({ limit: 100, ...(last && { starting_after: last }) });
      found.push(...page.data);
      last = page.data.at(-1)?.id;
      if (!page.has_more || !last) return found;
    }
  };
}

function payoutOf({ id, arrival_date, status }: Stripe.Payout): PayoutOfChange {
  const arrivesOn = new Date(arrival_date * 1000).toISOString().slice(0, 10);
  return { id, arrivesOn, failed: status === 'failed' || status === 'canceled' };
}

function tooMany(most: number): AppError {
  const message = `This Stripe account has more transactions than ${most} requests can read. Please use the reports of Stripe’s dashboard for this month.`;
  return new AppError({ code: TOO_MANY_TRANSACTIONS, status: 503, message });
}

const inSeconds = (moment: Date): number => Math.floor(moment.getTime() / 1000);
