import type Stripe from 'stripe';
import type { Transaction } from '#server/database/engine.ts';
import type { ActRow, PaymentRow, RefundRow, RegistrationRow } from '#server/database/schema.ts';
import { decisionOf, WITHDRAWAL } from '#server/record/decisions.ts';
import { chargedCardOf } from '#server/record/payment-on-record.ts';
import { isMarked } from '#server/record/recognise-deposit.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { createBalanceReader, type PayoutOfChange, type Span } from './balance-changes.ts';
import type { Records } from './find-registration.ts';

/** Sums in US cents; what left the account, or the office, is negative. */
export interface Sums {
  grossCents: number;
  /** What the site added for paying by card. */
  feeAskedCents: number;
  /** What Stripe took for it. */
  stripeFeeCents: number;
  netCents: number;
}

/** The sums of one row: the card fee is absent where there is none, or it is not known. */
type RowSums = Omit<Sums, 'feeAskedCents'> & Partial<Sums>;

/** One payment, refund, dispute or check. */
export interface BookRow extends RowSums {
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
  payout?: PayoutOfChange;
  /** Of the bank that issued the card, as two letters. */
  country?: string;
  /** The charge, refund or dispute at Stripe. */
  stripeId?: string;
}

/** Transactions of the Stripe account that are not among the rows, by what they are. */
export interface OtherChanges extends Sums {
  what: string;
  count: number;
}

/** A payment or refund of which the register and Stripe say something else for the month. */
export interface Difference {
  /** At Stripe. */
  id: string;
  /** US cents. */
  onRecordCents: number;
  atStripeCents: number;
}

/** The money that moved in a span of time. */
export interface Bookkeeping {
  /** The oldest first. */
  rows: readonly BookRow[];
  others: readonly OtherChanges[];
  /** All transactions of the Stripe account, whatever they are about. */
  atStripe: Sums & { count: number };
  /** Transactions in other currencies than US dollars: they are in no sum. */
  otherCurrencies: readonly { currency: string; count: number }[];
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
  const all = await readChanges(span);
  const changes = all.filter(({ currency }) => currency === CURRENCY);
  const register = await database.read((transaction) => readRegister(transaction, changes, span));
  const ownerOf = (change: Stripe.BalanceTransaction) => register.payments.get(paymentOf(change) ?? '');
  const own = changes.filter(ownerOf);
  const payouts = await findPayouts(own, span);
  const byCard = own.flatMap((change) => {
    const owner = ownerOf(change);
    return owner ? [rowOf(change, owner, register, payouts.get(change.id))] : [];
  });
  return {
    rows: [...byCard, ...register.otherMoney].toSorted((one, other) => +one.at - +other.at),
    others: groupsOf(changes.filter((change) => !ownerOf(change))),
    atStripe: { count: changes.length, ...sumOf(changes.map(sumsOf)) },
    otherCurrencies: countCurrencies(all.filter(({ currency }) => currency !== CURRENCY)),
    differences: differencesOf(own, register, span),
  };
}

/** Adds sums up. */
export function sumOf(all: readonly RowSums[]): Sums {
  const total = { grossCents: 0, feeAskedCents: 0, stripeFeeCents: 0, netCents: 0 };
  for (const { grossCents, feeAskedCents = 0, stripeFeeCents, netCents } of all) {
    total.grossCents += grossCents;
    total.feeAskedCents += feeAskedCents;
    total.stripeFeeCents += stripeFeeCents;
    total.netCents += netCents;
  }
  return total;
}

const sumsOf = ({ amount, fee, net }: Stripe.BalanceTransaction): RowSums => ({
  ...{ grossCents: amount, stripeFeeCents: fee, netCents: net },
});

/** The payment that a change is about; undefined for payouts, fees of the account and so on. */
function paymentOf({ source }: Stripe.BalanceTransaction): string | undefined {
  if (!source || typeof source === 'string') return undefined;
  if (source.object !== 'charge' && source.object !== 'refund' && source.object !== 'dispute')
    return undefined;
  const { payment_intent: intent } = source;
  return (typeof intent === 'string' ? intent : intent?.id) ?? undefined;
}

function sourceOf({ source }: Stripe.BalanceTransaction): string | undefined {
  return (typeof source === 'string' ? source : source?.id) ?? undefined;
}

type Person = Pick<RegistrationRow, 'deposit' | 'edition' | 'firstName' | 'lastName'>;

/** What is on record of the changes and of the span. */
interface OnRecordOf {
  payments: ReadonlyMap<string, PaymentRow>;
  refunds: readonly RefundRow[];
  /** By their deposits. */
  people: ReadonlyMap<string, Person>;
  otherMoney: readonly BookRow[];
}

async function readRegister(
  transaction: Transaction,
  changes: readonly Stripe.BalanceTransaction[],
  { from, until }: Span,
): Promise<OnRecordOf> {
  const [first, end] = [from.toISOString(), until.toISOString()];
  const intents = changes.flatMap((change) => paymentOf(change) ?? []);
  const payments = await transaction
    .selectFrom('payments')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([eb('id', 'in', among(intents)), and([eb('paidAt', '>=', first), eb('paidAt', '<', end)])]),
    )
    .execute();
  const sources = changes.flatMap((change) => sourceOf(change) ?? []);
  const refunds = await transaction
    .selectFrom('refunds')
    .selectAll()
    .where(({ eb, and, or }) =>
      or([eb('id', 'in', among(sources)), and([eb('at', '>=', first), eb('at', '<', end)])]),
    )
    .execute();
  const moved = (await readOtherMoney(transaction)).filter(({ at }) => at >= from && at < until);
  const deposits = [
    ...payments.map(({ registration }) => registration),
    ...moved.map(({ registration }) => registration),
  ];
  const rows = await transaction
    .selectFrom('registrations')
    .select(['deposit', 'edition', 'firstName', 'lastName'])
    .where('deposit', 'in', among(deposits))
    .execute();
  const people = new Map(rows.map((row) => [row.deposit ?? '', row]));
  return {
    payments: new Map(payments.map((payment) => [payment.id, payment])),
    refunds,
    people,
    otherMoney: moved.map(({ at, cents, what, way, registration }) => {
      const { edition = '' } = people.get(registration) ?? {};
      const sums = { grossCents: cents, stripeFeeCents: 0, netCents: cents };
      return { at, what, way, ...sums, name: nameOf(people.get(registration)), registration, edition };
    }),
  };
}

/** Ids for a query: PostgreSQL refuses an empty list. */
const among = (ids: readonly string[]): string[] => [...new Set(['', ...ids])];

const nameOf = (person: Person | undefined): string =>
  person ? `${person.firstName} ${person.lastName}`.trim() : '';

/** Money that did not move by card, in US cents: what went to her is negative. */
interface OtherMoney {
  at: Date;
  cents: number;
  what: string;
  way: string;
}

/** What each kind of act tells of such money: another way to pay is another line. */
const otherMoney: Readonly<Record<string, (act: ActRow) => OtherMoney | undefined>> = {
  check(act) {
    const { cents, receivedAt } = decisionOf('check', act);
    return receivedAt && { at: receivedAt, cents, what: 'balance', way: 'check' };
  },
  checkSent(act) {
    const { cents, sentAt } = decisionOf('checkSent', act);
    return { at: sentAt, cents: -cents, what: 'refund', way: 'check' };
  },
};

/**
 * All such money on record. What was taken back later stands on its day, and with the opposite sign on the day on which it
 * was taken back, so that a month that is over stays as it was.
 */
async function readOtherMoney(transaction: Transaction): Promise<(OtherMoney & { registration: string })[]> {
  const acts = await transaction
    .selectFrom('acts')
    .selectAll()
    .where('kind', 'in', [...Object.keys(otherMoney), WITHDRAWAL])
    .orderBy('at')
    .orderBy('number')
    .execute();
  const withdrawals = new Map(acts.map((act) => [act.undoes, act]));
  return acts.flatMap((act) => {
    const money = otherMoney[act.kind]?.(act);
    if (!money) return [];
    const moved = { ...money, registration: act.subject };
    const withdrawal = withdrawals.get(act.id);
    if (!withdrawal) return [moved];
    const back = { at: new Date(withdrawal.at), cents: -money.cents, what: `${money.what} taken back` };
    return [moved, { ...moved, ...back }];
  });
}

/** Stripe's categories of changes in plain words, where they are not plain themselves. */
const WORDS: Readonly<Record<string, string>> = {
  refund_failure: 'refund that failed',
  dispute_reversal: 'dispute won',
  payout_reversal: 'payout that failed',
  fee: 'fee for Stripe’s services',
};

const wordsOf = (category: string): string => WORDS[category] ?? category.replaceAll('_', ' ');

function rowOf(
  change: Stripe.BalanceTransaction,
  owner: PaymentRow,
  { people }: OnRecordOf,
  payout: PayoutOfChange | undefined,
): BookRow {
  const { registration, edition, name: what } = owner;
  const isCharge = change.reporting_category === 'charge';
  const feeAskedCents = isCharge ? feeAskedOf(owner) : undefined;
  const country = chargedCardOf(owner)?.country;
  const stripeId = sourceOf(change);
  return {
    ...{ at: new Date(change.created * 1000), name: nameOf(people.get(registration)), registration, edition },
    ...{ what: isCharge ? what : wordsOf(change.reporting_category), way: 'card' },
    ...sumsOf(change),
    ...(feeAskedCents !== undefined && { feeAskedCents }),
    ...(payout && { payout }),
    ...(country && { country }),
    ...(stripeId && { stripeId }),
  };
}

/** What a payment had added for paying by card; undefined for a deposit that the edition sells at another price now. */
function feeAskedOf({ name, edition, cents, beforeFeeCents }: PaymentRow): number | undefined {
  if (beforeFeeCents !== null) return cents - beforeFeeCents;
  const prices = findEdition(edition)?.facts.prices;
  return name === 'deposit' && cents === prices?.depositCents
    ? cents - prices.depositBeforeFeeCents
    : undefined;
}

function groupsOf(changes: readonly Stripe.BalanceTransaction[]): OtherChanges[] {
  return grouped(changes, whatIsOther).map(([what, some]) => ({
    what,
    count: some.length,
    ...sumOf(some.map(sumsOf)),
  }));
}

/** What a change that belongs to no payment on record is. */
function whatIsOther({ reporting_category, source }: Stripe.BalanceTransaction): string {
  const words = wordsOf(reporting_category);
  const isLost =
    source && typeof source !== 'string' && 'metadata' in source && isMarked({ metadata: source.metadata });
  return isLost ? `${words} of this site that is not in its register` : words;
}

function countCurrencies(changes: readonly Stripe.BalanceTransaction[]) {
  const groups = grouped(changes, ({ currency }) => currency.toUpperCase());
  return groups.map(([currency, some]) => ({ currency, count: some.length }));
}

function grouped<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): (readonly [key: string, items: readonly Item[]])[] {
  const keys = [...new Set(items.map(keyOf))];
  return keys.map((key) => [key, items.filter((item) => keyOf(item) === key)]);
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
  const add = (id: string, sums: Partial<Difference>): void => {
    const known = found.get(id) ?? { id, onRecordCents: 0, atStripeCents: 0 };
    found.set(id, { ...known, ...sums });
  };
  const isInSpan = (at: string | null) => at !== null && at >= from.toISOString() && at < until.toISOString();
  for (const { id, status, cents, paidAt } of payments.values())
    if (status === 'paid' && isInSpan(paidAt)) add(id, { onRecordCents: cents });
  for (const { id, status, cents, at } of refunds)
    if (status !== 'failed' && isInSpan(at)) add(id, { onRecordCents: -cents });
  const failed = new Set(refunds.flatMap(({ id, status }) => (status === 'failed' ? id : [])));
  for (const change of own) {
    const isCharge = change.reporting_category === 'charge';
    const id = isCharge ? paymentOf(change) : sourceOf(change);
    if (!id || failed.has(id) || !(isCharge || change.reporting_category === 'refund')) continue;
    add(id, { atStripeCents: (found.get(id)?.atStripeCents ?? 0) + change.amount });
  }
  return [...found.values()].filter(({ onRecordCents, atStripeCents }) => onRecordCents !== atStripeCents);
}
