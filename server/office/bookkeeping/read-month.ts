import { sql } from 'kysely';
import type { Database, Transaction } from '#server/database/database.ts';
import { localClock } from '#server/ops/local-clock.ts';
import { chargedCardOf, nameOf, utcDay } from '#server/registration/registration.ts';
import { edition } from '#shared/content/compiled/on-sale.ts';
import { withUtcOffset } from '#shared/dates.ts';

/**
 * The office's, by whose days checks are written down. Stripe's reports have the same months if this time zone is chosen
 * for the account, and not UTC.
 * @see https://docs.stripe.com/reports/options
 */
export const bookZone = edition.timetable.timeZone;

export const { dateOf, minuteOf } = localClock(bookZone.id);

const beginningOf = (month: string): Date => new Date(withUtcOffset(`${month}-01T00:00`, bookZone.id));

export function monthAfter(month: string, months: number): string {
  const first = new Date(`${month}-01`);
  first.setUTCMonth(first.getUTCMonth() + months);
  return first.toISOString().slice(0, 7);
}

/** What came in and went back: Stripe's transactions, and the ledger's entries of other money. Sums are in US cents. */
export function readMonth(database: Database, month: string) {
  const span = { from: beginningOf(month), until: beginningOf(monthAfter(month, 1)) };
  return database.read(async (transaction) => {
    const register = transaction.selectFrom('register').select('transactionsUntil');
    const { transactionsUntil: knownUntil } = await register.executeTakeFirstOrThrow();
    const atStripe = await readTransactions(transaction, span);
    const own = atStripe.filter(({ registration }) => registration !== '');
    const rows = [...own, ...(await readOtherMoney(transaction, span))];
    return {
      month,
      /** Null before Stripe's transactions were first listed. */
      knownUntil,
      rows: rows.toSorted((one, other) => +one.at - +other.at),
      /** Payouts, fees of the account, another shop and so on. */
      others: atStripe.filter(({ registration }) => registration === ''),
      totalAtStripe: await readTotal(transaction, span),
      differences: await readDifferences(transaction, span, knownUntil ?? new Date(0)),
    };
  });
}

export type BookMonth = Awaited<ReturnType<typeof readMonth>>;
export type BookRow = Awaited<ReturnType<typeof readTransactions>>[number];
type Span = Readonly<Record<'from' | 'until', Date>>;

const CURRENCY = 'usd';

async function readTransactions(transaction: Transaction, { from, until }: Span) {
  const changes = await transaction
    .selectFrom('transactions as one')
    .leftJoin('payments', (join) =>
      join.onRef('payments.id', '=', 'one.payment').on('one.currency', '=', CURRENCY),
    )
    .leftJoin('registrations', 'registrations.id', 'payments.registration')
    .leftJoin('entries', (join) =>
      join.onRef('entries.id', '=', 'one.source').on('one.category', '=', 'charge'),
    )
    .selectAll('one')
    .select(['payments.registration', 'payments.edition', 'payments.number', 'payments.card'])
    .select(['registrations.firstName', 'registrations.lastName', 'entries.feeCents'])
    .select(({ exists, selectFrom }) => {
      const all = selectFrom('transactions as back').select('back.id');
      const back = all.whereRef('back.source', '=', 'one.payout').where('category', '=', 'payout_reversal');
      return exists(back).as('isPayoutBack');
    })
    .where('one.createdAt', '>=', from)
    .where('one.createdAt', '<', until)
    // In one second a charge comes before what followed it.
    .orderBy('one.createdAt')
    .orderBy('one.category')
    .orderBy('one.id')
    .execute();
  return changes.map(({ createdAt: at, category, number, ours, currency, arrivesAt, ...change }) => {
    // Stripe's own words, which its reports use too. https://docs.stripe.com/reports/reporting-categories
    const words = category.replaceAll('_', ' ');
    const ownWords = category !== 'charge' ? words : number === 0 ? 'deposit' : 'balance';
    const whose = ours === 1 ? 'This site’s, but not in its register' : 'Not this site’s';
    const isUsd = currency === CURRENCY;
    const foreign = isUsd ? '' : `, in ${currency.toUpperCase()}, which is in no sum`;
    return {
      at,
      day: dateOf(at),
      name: nameOf({ firstName: change.firstName ?? '', lastName: change.lastName ?? '' }),
      registration: change.registration ?? '',
      edition: change.edition ?? '',
      what: change.registration === null ? `${whose}: ${words}${foreign}` : ownWords,
      way: 'card',
      grossCents: isUsd ? change.amount : 0,
      /** Null where the ledger has no fee. */
      feeAskedCents: change.feeCents,
      stripeFeeCents: isUsd ? change.fee : 0,
      netCents: isUsd ? change.net : 0,
      payout: change.payout ?? '',
      payoutDay: change.isPayoutBack ? 'failed' : arrivesAt === null ? 'not known' : utcDay(arrivesAt),
      country: chargedCardOf({ id: change.payment ?? '', card: change.card })?.country ?? '',
      stripeId: change.source ?? '',
    };
  });
}

/** What was taken back stands on its own day with the opposite sign, so a month that is over stays as it was. */
async function readOtherMoney(transaction: Transaction, { from, until }: Span): Promise<BookRow[]> {
  const entries = await transaction
    .selectFrom('entries')
    .innerJoin('registrations', 'registrations.id', 'entries.registration')
    .leftJoin('entries as before', 'before.id', 'entries.reverses')
    .select(['entries.registration', 'entries.movedAt', 'entries.cents', 'entries.feeCents'])
    .select(['registrations.edition', 'registrations.firstName', 'registrations.lastName'])
    .select(['entries.kind', 'before.kind as reversed'])
    .where('entries.payment', 'is', null)
    .where('entries.movedAt', '>=', from)
    .where('entries.movedAt', '<', until)
    .orderBy('entries.id')
    .execute();
  return entries.map(({ movedAt: at, registration, edition, cents, feeCents, ...entry }) => {
    const kind = entry.reversed ?? entry.kind;
    const what = `${kind === 'payout' ? 'refund' : 'tuition'}${entry.reversed ? ' taken back' : ''}`;
    const way = kind === 'transfer' ? 'transfer' : 'check';
    const facts = { at, day: dateOf(at), name: nameOf(entry), registration, edition, what, way };
    const netCents = cents + feeCents;
    const sums = { grossCents: netCents, feeAskedCents: null, stripeFeeCents: 0, netCents };
    return { ...facts, ...sums, payout: '', payoutDay: '', country: '', stripeId: '' };
  });
}

/** Summed apart from the rows, to prove them. */
function readTotal(transaction: Transaction, { from, until }: Span) {
  const sumOf = (column: 'amount' | 'fee' | 'net') =>
    sql<number>`coalesce(sum(${sql.ref(column)}) filter (where currency = ${CURRENCY}), 0)`;
  return transaction
    .selectFrom('transactions')
    .select(({ fn }) => [fn.countAll<number>().as('count'), sumOf('amount').as('grossCents')])
    .select([sumOf('fee').as('stripeFeeCents'), sumOf('net').as('netCents')])
    .where('createdAt', '>=', from)
    .where('createdAt', '<', until)
    .executeTakeFirstOrThrow();
}

/**
 * What moved in the span, and all in all by other sums in the ledger than at Stripe. A refund and its failure are one; the
 * entry of a dispute is named by the transaction.
 */
async function readDifferences(transaction: Transaction, { from, until }: Span, knownUntil: Date) {
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
