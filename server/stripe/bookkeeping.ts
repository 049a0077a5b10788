import type Stripe from 'stripe';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { PaymentRow } from '#server/database/schema.ts';
import { chargedCardOf } from '#server/registration/card-on-file.ts';
import { nameOf } from '#server/registration/registrations.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { createBalanceReader, type PayoutOfChange, type Span } from './account-transactions.ts';
import { isMarked } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';

/** Sums in US cents; what left the account, or the office, is negative. */
interface Sums {
  grossCents: number;
  /** What the site added for paying by card; absent where it added nothing, or that is not known. */
  feeAskedCents?: number | undefined;
  /** What Stripe took for it. */
  stripeFeeCents: number;
  netCents: number;
}

/** One payment, refund, dispute or check. */
export interface BookRow extends Sums {
  at: Date;
  /** Whose it is, empty once she is forgotten; the deposit of her registration, and its edition. */
  name: string;
  registration: string;
  edition: string;
  /** Such as `deposit`, `balance`, `refund`, `dispute`. */
  what: string;
  /** Such as `card`, `check`. */
  way: string;
  /** Absent while Stripe has not paid it out, and for other ways than the card. */
  payout?: PayoutOfChange | undefined;
  /** Which payout that is would take too many requests. */
  isPayoutUnknown?: true | undefined;
  /** Of the bank that issued the card, as two letters. */
  country?: string | undefined;
  /** The charge, refund or dispute at Stripe. */
  stripeId?: string | undefined;
}

/** A number of rows or of transactions, and their sums. */
export interface Total extends Sums {
  feeAskedCents: number;
  name: string;
  count: number;
}

/** A payment or refund of which the register and Stripe say something else for the month, in US cents. */
interface Difference {
  /** At Stripe. */
  id: string;
  onRecordCents: number;
  atStripeCents: number;
}

/** The money that moved in a span of time. */
export interface Bookkeeping {
  /** The oldest first. */
  rows: readonly BookRow[];
  /** The transactions of the Stripe account that are not among the rows, by what they are. */
  others: readonly Total[];
  /** All transactions of the Stripe account, whatever they are about. */
  atStripe: Total;
  differences: readonly Difference[];
}

const CURRENCY = 'usd';

/**
 * What came in and went back in a span of time: the changes of the Stripe account's balance, with the payments on record
 * that they belong to, and what the office recorded of other money. Changes nothing.
 * @throws {AppError} `TOO_MANY_TRANSACTIONS`
 * @see https://docs.stripe.com/reports/reporting-categories
 */
export async function readBookkeeping({ stripe, database }: Records, span: Span): Promise<Bookkeeping> {
  const { readChanges, findPayouts } = createBalanceReader(stripe);
  const changes = await readChanges(span);
  const register = await database.read((transaction) => readRegister(transaction, changes, span));
  const ownerOf = (change: Stripe.BalanceTransaction) => register.payments.get(paymentOf(change) ?? '');
  const own = changes.filter(ownerOf);
  const { payouts, unknown } = await findPayouts(own, span);
  const byCard = own.flatMap((change) => {
    const owner = ownerOf(change);
    if (!owner) return [];
    const row = rowOf(change, owner, register, payouts.get(change.id));
    return [unknown.has(change.id) ? { ...row, isPayoutUnknown: true as const } : row];
  });
  const others = changes.filter((change) => !ownerOf(change));
  return {
    rows: [...byCard, ...register.otherMoney].toSorted((one, other) => +one.at - +other.at),
    others: totalsBy(others, whatIsOther, sumsOf),
    atStripe: totalOf('All transactions at Stripe', changes.map(sumsOf)),
    differences: differencesOf(own, register, span),
  };
}

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

/** A change in another currency than US dollars counts, and adds nothing to a sum. */
function sumsOf({ amount, fee, net, currency }: Stripe.BalanceTransaction): Sums {
  if (currency !== CURRENCY) return { grossCents: 0, stripeFeeCents: 0, netCents: 0 };
  return { grossCents: amount, stripeFeeCents: fee, netCents: net };
}

/** Undefined for payouts, fees of the account, other currencies and so on. */
function paymentOf({ source, currency }: Stripe.BalanceTransaction): string | undefined {
  if (!source || typeof source === 'string' || currency !== CURRENCY) return undefined;
  if (source.object !== 'charge' && source.object !== 'refund' && source.object !== 'dispute')
    return undefined;
  const { payment_intent: intent } = source;
  return (typeof intent === 'string' ? intent : intent?.id) ?? undefined;
}

function sourceOf({ source }: Stripe.BalanceTransaction): string | undefined {
  return (typeof source === 'string' ? source : source?.id) ?? undefined;
}

type OnRecordOf = Awaited<ReturnType<typeof readRegister>>;

/** What is on record of changes, and of the span. */
async function readRegister(
  transaction: Transaction,
  changes: readonly Stripe.BalanceTransaction[],
  { from, until }: Span,
) {
  const payments = await transaction
    .selectFrom('payments')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([
        eb('id', 'in', among(changes.map(paymentOf))),
        and([eb('paidAt', '>=', from), eb('paidAt', '<', until)]),
      ]),
    )
    .execute();
  const refunds = await transaction
    .selectFrom('refunds')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([
        eb('id', 'in', among(changes.map(sourceOf))),
        and([eb('madeAt', '>=', from), eb('madeAt', '<', until)]),
      ]),
    )
    .execute();
  const moved = (await readOtherMoney(transaction)).filter(({ at }) => at >= from && at < until);
  const ids = [...new Set([...payments, ...moved].map(({ registration }) => registration))];
  const people = await rowsWith(transaction, 'registrations', 'id', ids);
  const found = new Map(people.map((person) => [person.id, person]));
  /** A registration, her name, and its edition. */
  const whose = (registration: string) => {
    const row = found.get(registration);
    return { registration, name: row ? nameOf(row) : '', edition: row?.edition ?? '' };
  };
  return {
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    refunds,
    whose,
    otherMoney: moved.map(({ cents, registration, ...money }) => ({
      ...money,
      ...whose(registration),
      grossCents: cents,
      stripeFeeCents: 0,
      netCents: cents,
    })),
  };
}

/** Ids for a query: PostgreSQL refuses an empty list. */
const among = (ids: readonly (string | undefined)[]): string[] => [
  ...new Set(ids.map((id = '') => id).concat('')),
];

/** Money that did not move by card, in US cents: what went to her is negative. */
interface OtherMoney extends Pick<BookRow, 'at' | 'what' | 'way'> {
  cents: number;
}

/** All such money on record. What was taken back stands on its day, and with the opposite sign on the day on which it was. */
async function readOtherMoney(transaction: Transaction): Promise<(OtherMoney & { registration: string })[]> {
  const entries = await transaction
    .selectFrom('entries')
    .leftJoin('entries as before', 'before.id', 'entries.reverses')
    .select([
      'entries.registration',
      'entries.kind',
      'entries.cents',
      'entries.feeCents',
      'entries.movedAt',
      'before.kind as reversed',
    ])
    .where('entries.payment', 'is', null)
    .orderBy('entries.movedAt')
    .orderBy('entries.id')
    .execute();
  return entries.map(({ registration, kind, reversed, cents: ofTuition, feeCents, movedAt: at }) => {
    const cents = ofTuition + feeCents;
    const moved = reversed ?? kind;
    const what = moved === 'payout' ? 'refund' : 'tuition';
    const way = moved === 'transfer' ? 'transfer' : 'check';
    return { registration, at, cents, way, what: reversed === null ? what : `${what} taken back` };
  });
}

/** Stripe's categories of changes in plain words, where they are not plain themselves. */
const WORDS: Readonly<Record<string, string>> = {
  refund_failure: 'refund that failed',
  dispute_reversal: 'dispute won',
  payout_reversal: 'payout that failed',
  fee: 'fee for Stripe’s services',
};

const wordsOf = ({ reporting_category: category }: Stripe.BalanceTransaction): string =>
  WORDS[category] ?? category.replaceAll('_', ' ');

function rowOf(
  change: Stripe.BalanceTransaction,
  owner: PaymentRow,
  { whose }: OnRecordOf,
  payout: PayoutOfChange | undefined,
): BookRow {
  const isCharge = change.reporting_category === 'charge';
  return {
    at: new Date(change.created * 1000),
    ...whose(owner.registration),
    edition: owner.edition,
    what: isCharge ? owner.name : wordsOf(change),
    way: 'card',
    ...sumsOf(change),
    feeAskedCents: isCharge ? feeAskedOf(owner) : undefined,
    payout,
    country: chargedCardOf(owner)?.country,
    stripeId: sourceOf(change),
  };
}

/** What a payment had added for paying by card; undefined for a deposit that the edition sells at another price now. */
function feeAskedOf({ name, edition, cents, beforeFeeCents }: PaymentRow): number | undefined {
  if (beforeFeeCents !== null) return cents - beforeFeeCents;
  const prices = findEdition(edition)?.facts.prices;
  const isKnown = name === 'deposit' && cents === prices?.depositCents;
  return isKnown ? cents - prices.depositBeforeFeeCents : undefined;
}

/** What a change that belongs to no payment on record is. */
function whatIsOther(change: Stripe.BalanceTransaction): string {
  const { source, currency } = change;
  const isLost =
    source && typeof source !== 'string' && 'metadata' in source && isMarked({ metadata: source.metadata });
  return [
    isLost ? 'This site’s, but not in its register' : 'Not this site’s',
    `: ${wordsOf(change)}`,
    currency === CURRENCY ? '' : `, in ${currency.toUpperCase()}, which is in no sum`,
  ].join('');
}

/**
 * The payments and refunds whose sums in the span are not the same on record and at Stripe. A refund that failed is
 * nothing on record, and two changes at Stripe: it is not compared.
 */
function differencesOf(
  own: readonly Stripe.BalanceTransaction[],
  { payments, refunds }: OnRecordOf,
  { from, until }: Span,
): Difference[] {
  const found = new Map<string, Difference>();
  const add = (id: string, onRecord: number, atStripe: number): void => {
    const { onRecordCents = 0, atStripeCents = 0 } = found.get(id) ?? {};
    found.set(id, { id, onRecordCents: onRecordCents + onRecord, atStripeCents: atStripeCents + atStripe });
  };
  const isInSpan = (at: Date | null) => at !== null && at >= from && at < until;
  for (const { id, status, cents, paidAt } of payments.values())
    if (status === 'paid' && isInSpan(paidAt)) add(id, cents, 0);
  for (const { id, status, cents, madeAt: at } of refunds)
    if (status !== 'failed' && isInSpan(at)) add(id, -cents, 0);
  const failed = refunds.flatMap(({ id, status }) => (status === 'failed' ? id : []));
  for (const change of own) {
    const { reporting_category: category, amount } = change;
    const id = category === 'charge' ? paymentOf(change) : category === 'refund' && sourceOf(change);
    if (id && !failed.includes(id)) add(id, 0, amount);
  }
  return [...found.values()].filter(({ onRecordCents, atStripeCents }) => onRecordCents !== atStripeCents);
}
