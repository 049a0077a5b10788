import type { PaymentRow } from '#server/database/schema.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { type Balance, type PartOfPlan, sumsOf } from '#shared/content/tuition.ts';
import { lastAct, unreadablePayment } from './acts.ts';
import { balanceTermsOf, type Decline, declineOn, type PaidCard, paidCardOf } from './cards.ts';
import {
  type Amount,
  allocate,
  byCardOf,
  byDay,
  cardEntries,
  feeOn,
  freeSurplus,
  inForce,
  LEAST_BY_CARD_CENTS,
  type Ledger,
  rowOf,
  sumOfCents,
  sumOfFees,
  toLeave,
} from './ledger.ts';
import { BALANCE } from './ledger-of-acts.ts';
import type { BalancePayment, Noticed, RegistrationRecord } from './registration-record.ts';

export interface Installment {
  number: number;
  part?: PartOfPlan | undefined;
  dueAt: Date;
  left: Balance;
  isAgreed: boolean;
  /** The open or paid payment, else the last cancelled one. */
  payment?: BalancePayment | undefined;
  /** Off-session tries of it, whatever payment they were made with; the last one may still be in progress. */
  tries: number;
  decline?: Decline | undefined;
  noticed?: Noticed | undefined;
}

/** The parts of her plan; without one, what is to be paid next; all that is left where it is to come by check. */
export function installmentsOf(record: RegistrationRecord): readonly [Installment, ...Installment[]] {
  const { ledger, decisions } = record;
  const rows = rowsAfterDeposit(ledger);
  const { left, withoutNumberCents } = allocate(ledger);
  const open = rows.find(({ number }) => left.get(number));
  const isByPlan = decisions.plan && !decisions.check && (open || withoutNumberCents === 0);
  const parts = (isByPlan ? rows : []).map(({ number }, index) =>
    installmentOf(record, number, byCardOf(ledger, number), { position: index + 1, count: rows.length }),
  );
  const [first, ...others] = parts;
  if (first) return [first, ...others];
  const { number = BALANCE } = open ?? rows.at(-1) ?? {};
  const next = sumOfAmounts([byCardOf(ledger, number), withoutNumber(ledger)]);
  return [installmentOf(record, number, decisions.check ? amountLeft(ledger) : next)];
}

export function nextInstallment(record: RegistrationRecord): Installment {
  const all = installmentsOf(record);
  return all.find(({ left }) => left.beforeFeeCents > 0) ?? all.at(-1) ?? all[0];
}

function installmentOf(
  record: RegistrationRecord,
  number: number,
  { cents: beforeFeeCents, feeCents }: Amount,
  part?: PartOfPlan,
): Installment {
  const { ledger, balances, attempts, notices, paidAt, begunAt } = record;
  const row = rowOf(ledger, number);
  const own = balances.filter((one) => one.number === number);
  const unpaid = own.find(({ status }) => status !== 'paid');
  // What is open again after a card had paid it has another payment.
  const payment = beforeFeeCents > 0 ? unpaid : (own.find(({ status }) => status === 'paid') ?? unpaid);
  const tried = payment ? attempts.filter((one) => one.number === number) : [];
  return {
    number,
    part,
    dueAt: row?.dueAt ?? balanceDueAt(balanceTermsOf(record), paidAt ?? begunAt),
    left: sumsOf({ beforeFeeCents, feeCents }),
    isAgreed: row?.agreedIn !== null,
    payment,
    tries: tried.at(-1)?.try ?? 0,
    decline: tried.flatMap((one) => declineOn(one) ?? []).at(-1),
    noticed: notices.find((one) => one.number === number),
  };
}

function rowsAfterDeposit(ledger: Ledger) {
  return byDay(inForce(ledger)).filter(({ number }) => number > 0);
}

/** What is missing because more went back than came, as after a bounced check: asked with the next number. */
function withoutNumber(ledger: Ledger): Amount {
  const { withoutNumberCents: cents } = allocate(ledger);
  return { cents, feeCents: feeOn(cents, ledger.installments.at(0)?.cardFeeBasisPoints ?? 0) };
}

function sumOfAmounts(amounts: readonly Amount[]): Amount {
  return { cents: sumOfCents(amounts), feeCents: sumOfFees(amounts) };
}

export function leftToPay({ ledger }: Pick<RegistrationRecord, 'ledger'>): Balance {
  const { cents: beforeFeeCents, feeCents } = amountLeft(ledger);
  return sumsOf({ beforeFeeCents, feeCents });
}

function amountLeft(ledger: Ledger): Amount {
  const rows = rowsAfterDeposit(ledger).map(({ number }) => byCardOf(ledger, number));
  return sumOfAmounts([...rows, withoutNumber(ledger)]);
}

/** Whether what is left is to come by check: as decided, or because no card can pay so little. */
export function isRestByCheck(record: RegistrationRecord, { left } = nextInstallment(record)): boolean {
  const isTooSmall = left.beforeFeeCents > 0 && left.beforeFeeCents < LEAST_BY_CARD_CENTS;
  return record.decisions.check !== undefined || isTooSmall;
}

export function paidBalances({ balances }: Pick<RegistrationRecord, 'balances'>) {
  const paid = balances.flatMap(({ paidAt, ...one }) => (paidAt ? { ...one, paidAt } : []));
  return paid.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
}

/** The card with which she paid the balance; undefined if there was not exactly one, or it was not hers. */
export function cardOfBalance(record: RegistrationRecord): PaidCard | undefined {
  const isHers = cardEntries(record.ledger).every(
    ({ number, payer }) => number === 0 || payer === record.context.holder,
  );
  return isHers ? theOneOf(paidBalances(record).map(({ paidWith }) => paidWith)) : undefined;
}

export function theOneOf(cards: readonly (PaidCard | undefined)[]): PaidCard | undefined {
  const [first] = cards;
  return cards.every((card) => card?.brand === first?.brand && card?.last4 === first?.last4)
    ? first
    : undefined;
}

export function owes(record: RegistrationRecord): boolean {
  return record.deposit === 'paid' && !owesNothing(record);
}

export function owesNothing(record: RegistrationRecord): boolean {
  return record.decisions.cancel !== undefined || leftToPay(record).beforeFeeCents === 0;
}

/** Ordered by check, and what she has paid beyond what she owes, unless a cancellation decides that. */
export function owedByCheck(record: RegistrationRecord): number {
  const ordered = toLeave(record.ledger).filter(({ way }) => way === 'check');
  return sumOfCents(ordered) + sumOfFees(ordered) + surplusLeft(record);
}

/** What she has paid beyond what she owes and is not ordered to leave, in US cents; what a cancellation orders is none. */
export function surplusLeft({ ledger, context }: RegistrationRecord): number {
  return context.cancelled ? 0 : Math.max(0, freeSurplus(ledger));
}

/** Those that are paid, and the newest not cancelled, beside which none is charged; else the newest. */
export function balancesInForce(payments: readonly PaymentRow[]): readonly PaymentRow[] {
  const numbers = new Set(payments.map(({ number }) => number ?? 0).filter((number) => number > 0));
  return [...numbers].flatMap((number) => {
    const own = payments.filter((payment) => payment.number === number);
    const paid = own.filter(({ status }) => status === 'paid');
    const open = own.find(({ status }) => status === 'open' || status === 'processing');
    const inForce = [...paid, ...(open ? [open] : [])];
    return inForce.length > 0 ? inForce : own.slice(0, 1);
  });
}

export function readBalance(payment: PaymentRow): BalancePayment {
  const { id, number, status, asMade, cents, paidAt, beforeFeeCents } = payment;
  if (number === null || beforeFeeCents === null)
    throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  if (status === 'paid' && asMade === 0)
    throw unreadablePayment(`${id} is a balance that was paid with another amount than this site asked for`);
  return {
    id,
    number,
    status: status === 'paid' || status === 'cancelled' ? status : 'open',
    cents,
    beforeFeeCents,
    paidAt: paidAt ?? undefined,
    paidWith: paidCardOf(payment),
  };
}

export function isRefundOrdered({ ledger, acts }: RegistrationRecord): boolean {
  const order = lastAct(acts, 'refund')?.id;
  return toLeave(ledger).some(({ orderedBy, way }) => orderedBy === order && way === 'card');
}
