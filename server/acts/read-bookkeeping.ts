import { sql } from 'kysely';
import type { Transaction } from '#server/database/engine.ts';
import type { Register } from '#server/registration/acts.ts';
import { chargedCardOf } from '#server/registration/card-on-file.ts';
import { nameOf } from '#server/registration/registrations.ts';

/** Sums in US cents; what left the account, or the office, is negative. */
interface Sums {
  grossCents: number;
  /** The card fee in a payment; absent from all else, and where the ledger has no entry of it. */
  feeAskedCents?: number | undefined;
  /** What Stripe took for it. */
  stripeFeeCents: number;
  netCents: number;
}

/** One payment, refund, dispute or check. */
export interface BookRow extends Sums {
  at: Date;
  /** Whose it is, empty once she is forgotten; her registration, and its edition. */
  name: string;
  registration: string;
  edition: string;
  /** Such as `deposit`, `balance`, `refund`, `dispute`. */
  what: string;
  /** Such as `card`, `check`. */
  way: string;
  /** The automatic payout that holds it; `unknown` where one made by hand may do so. */
  payout?: { id: string; arrivesAt: Date; failed: boolean } | 'unknown' | undefined;
  /** Of the bank that issued the card, as two letters. */
  country?: string | undefined;
  /** The charge, refund or dispute at Stripe. */
  stripeId?: string | null;
}

/** A number of rows or of transactions, and their sums. */
export interface Total extends Sums {
  feeAskedCents: number;
  name: string;
  count: number;
}

const CURRENCY = 'usd';

/**
 * What came in and went back in a span of time, as the register has it: Stripe's transactions, and the ledger's entries
 * of other money.
 * @see https://docs.stripe.com/reports/reporting-categories
 */
export function readBookkeeping({ database }: Register, from: Date, until: Date) {
  return database.read(async (transaction) => {
    const register = transaction.selectFrom('register').select('transactionsUntil');
    const { transactionsUntil: knownUntil } = await register.executeTakeFirstOrThrow();
    const changes = await readChanges(transaction, from, until);
    const rows = [...changes.flatMap(rowOf), ...(await readOtherMoney(transaction, from, until))];
    const others = changes.filter(({ registration }) => registration === null);
    return {
      /** Up to when Stripe's transactions are known; null before they were first listed. */
      knownUntil,
      /** The oldest first. */
      rows: rows.toSorted((one, other) => +one.at - +other.at),
      /** The transactions that are not among the rows, by what they are. */
      others: totalsBy(others, whatIsOther, sumsOf),
      atStripe: totalOf('All transactions at Stripe', changes.map(sumsOf)),
      differences: await readDifferences(transaction, from, until, knownUntil ?? new Date(0)),
    };
  });
}

export type Bookkeeping = Awaited<ReturnType<typeof readBookkeeping>>;

export function totalOf(name: string, all: readonly Sums[]): Total {
  const total = { name, count: all.length, grossCents: 0, feeAskedCents: 0, stripeFeeCents: 0, netCents: 0 };
  for (const { grossCents, feeAskedCents = 0, stripeFeeCents, netCents } of all) {
    total.grossCents += grossCents;
    total.feeAskedCents += feeAskedCents;
    total.stripeFeeCents += stripeFeeCents;
    total.netCents += netCents;
  }
  return total;
}

/** The totals of those that have the same name, in the order of the names. */
export function totalsBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  sums: (item: Item) => Sums,
): Total[] {
  const names = [...new Set(items.map(nameOf))].toSorted();
  return names.map((name) => totalOf(name, items.filter((item) => nameOf(item) === name).map(sums)));
}

/** Stripe's transactions in a span, with the payment of this site that each is about; what follows a charge stands behind it. */
function readChanges(transaction: Transaction, from: Date, until: Date) {
  return transaction
    .selectFrom('transactions as one')
    .leftJoin('payments', (join) =>
      join.onRef('payments.id', '=', 'one.payment').on('one.currency', '=', CURRENCY),
    )
    .leftJoin('registrations', 'registrations.id', 'payments.registration')
    .leftJoin('entries', 'entries.id', 'one.source')
    .selectAll('one')
    .select(['payments.registration', 'payments.edition', 'payments.number', 'payments.card'])
    .select(['registrations.firstName', 'registrations.lastName', 'entries.feeCents'])
    .select(({ selectFrom }) => [
      selectFrom('transactions as back')
        .select(({ fn }) => fn.max('back.id').as('last'))
        .whereRef('back.source', '=', 'one.payout')
        .where('back.category', '=', 'payout_reversal')
        .as('payoutFailure'),
      selectFrom('transactions as byHand')
        .select(({ fn }) => fn.max('byHand.createdAt').as('lastAt'))
        .where('byHand.category', '=', 'payout')
        .where('byHand.currency', '=', CURRENCY)
        .where('byHand.payout', 'is', null)
        .as('paidByHandAt'),
    ])
    .where('one.createdAt', '>=', from)
    .where('one.createdAt', '<', until)
    .orderBy('one.createdAt')
    .orderBy('one.category')
    .orderBy('one.id')
    .execute();
}

type Change = Awaited<ReturnType<typeof readChanges>>[number];

/** A transaction in another currency counts, and adds nothing to a sum. */
function sumsOf({ amount, fee, net, currency }: Change): Sums {
  if (currency !== CURRENCY) return { grossCents: 0, stripeFeeCents: 0, netCents: 0 };
  return { grossCents: amount, stripeFeeCents: fee, netCents: net };
}

/** None for payouts, fees of the account, other shops, other currencies and so on. */
function rowOf(change: Change): BookRow[] {
  const { source: stripeId, payment, registration, edition, number, card, createdAt: at } = change;
  if (payment === null || registration === null || edition === null) return [];
  const isCharge = change.category === 'charge';
  const whose = { name: whoseOf(change), registration, edition };
  const what = isCharge && number !== null ? (number === 0 ? 'deposit' : 'balance') : wordsOf(change);
  const feeAskedCents = (isCharge ? change.feeCents : null) ?? undefined;
  const { country } = chargedCardOf({ id: payment, card }) ?? {};
  const more = { payout: payoutOf(change), country, stripeId };
  return [{ at, ...whose, what, way: 'card', ...sumsOf(change), feeAskedCents, ...more }];
}

function payoutOf({
  payout: id,
  arrivesAt,
  payoutFailure,
  paidByHandAt,
  createdAt,
}: Change): BookRow['payout'] {
  if (id !== null && arrivesAt !== null) return { id, arrivesAt, failed: payoutFailure !== null };
  return paidByHandAt !== null && createdAt <= paidByHandAt ? 'unknown' : undefined;
}

const whoseOf = ({ firstName, lastName }: Pick<Change, 'firstName' | 'lastName'>): string =>
  nameOf({ firstName: firstName ?? '', lastName: lastName ?? '' });

/** Stripe's categories in plain words, where they are not plain themselves. */
const WORDS: Readonly<Record<string, string>> = {
  refund_failure: 'refund that failed',
  dispute_reversal: 'dispute won',
  payout_reversal: 'payout that failed',
  fee: 'fee for Stripe’s services',
};

const wordsOf = ({ category }: Change): string => WORDS[category] ?? category.replaceAll('_', ' ');

function whatIsOther(change: Change): string {
  const whose = change.ours === 1 ? 'This site’s, but not in its register' : 'Not this site’s';
  const { currency } = change;
  const foreign = currency === CURRENCY ? '' : `, in ${currency.toUpperCase()}, which is in no sum`;
  return `${whose}: ${wordsOf(change)}${foreign}`;
}

/** Money that did not move by card. What was taken back stands on its own day with the opposite sign. */
async function readOtherMoney(transaction: Transaction, from: Date, until: Date): Promise<BookRow[]> {
  const entries = await transaction
    .selectFrom('entries')
    .innerJoin('registrations', 'registrations.id', 'entries.registration')
    .leftJoin('entries as before', 'before.id', 'entries.reverses')
    .selectAll('entries')
    .select(['registrations.edition', 'registrations.firstName', 'registrations.lastName'])
    .select('before.kind as reversed')
    .where('entries.payment', 'is', null)
    .where('entries.movedAt', '>=', from)
    .where('entries.movedAt', '<', until)
    .orderBy('entries.movedAt')
    .orderBy('entries.id')
    .execute();
  return entries.map(({ registration, edition, movedAt: at, ...entry }) => {
    const moved = entry.reversed ?? entry.kind;
    const cents = entry.cents + entry.feeCents;
    const what = `${moved === 'payout' ? 'refund' : 'tuition'}${entry.reversed ? ' taken back' : ''}`;
    const whose = { name: whoseOf(entry), registration, edition };
    const sums = { grossCents: cents, stripeFeeCents: 0, netCents: cents };
    return { at, ...whose, what, way: moved === 'transfer' ? 'transfer' : 'check', ...sums };
  });
}

/**
 * What moved in the span, and all in all by other sums in the ledger than at Stripe. A refund and its failure are one; the
 * entry of a dispute is named by the transaction.
 */
async function readDifferences(transaction: Transaction, from: Date, until: Date, knownUntil: Date) {
  const query = sql<{ id: string; onRecordCents: number; atStripeCents: number }>`
    select id, sum(on_record) as on_record_cents, sum(at_stripe) as at_stripe_cents from (
      select coalesce(reverses, id) as id, cents + fee_cents as on_record, 0 as at_stripe, moved_at from entries
        where payment is not null and moved_at < ${knownUntil}
      union all
      select coalesce(entries.id, source, one.id), 0, amount, created_at from transactions as one
        join payments on payments.id = one.payment left join entries on entries.id = one.id
        where currency = ${CURRENCY}
    ) as moves
    group by id having sum(on_record) <> sum(at_stripe) and max(moved_at) >= ${from} and min(moved_at) < ${until}
    order by id`;
  return (await query.execute(transaction)).rows;
}
