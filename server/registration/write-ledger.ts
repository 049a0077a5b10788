import {
  type ActRow,
  type NewRow,
  noteChange,
  type PaymentRow,
  type RefundRow,
  type RegistrationRow,
  type Transaction,
} from '#server/database/database.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { agreedTermsOf, isUnreadable, readActs } from './acts.ts';
import { changeLedger, enterCard, failPayout, judgeOnceTried, urgent } from './change-ledger.ts';
import { type Change, type LedgerContext, type LedgerRecord, setRows } from './installments.ts';
import {
  type Amount,
  type Cause,
  chargeOf,
  enterMoved,
  inForce,
  type Ledger,
  reverse,
  rowOf,
} from './ledger.ts';
import { beginLedger, changesMoney, contextOf, ledgerAfterAct } from './ledger-of-acts.ts';
import { sent } from './payouts.ts';
import { type MoneyRows, readMoney } from './registration-record.ts';
import { findRow } from './registrations.ts';

export async function insertRegistration(
  transaction: Transaction,
  values: NewRow<'registrations'>,
  facts: Pick<Facts, 'prices' | 'balance'>,
): Promise<RegistrationRow> {
  const row = await transaction
    .insertInto('registrations')
    .values(values)
    .returningAll()
    .executeTakeFirstOrThrow();
  const { installments } = beginLedger({ registration: row.id, begunAt: row.begunAt }, facts);
  await transaction
    .insertInto('installments')
    .values([...installments])
    .execute();
  return row;
}

/** Today's deposit for somebody who has not paid, unless the office has decided on hers. */
export async function askTodaysPrices(
  transaction: Transaction,
  { id, begunAt }: Pick<RegistrationRow, 'id' | 'begunAt'>,
  facts: Pick<Facts, 'prices' | 'balance'>,
): Promise<void> {
  const today = rowOf(beginLedger({ registration: id, begunAt }, facts), 0);
  const isChanged = await change(transaction, id, (ledger, record) => {
    const asked = rowOf(ledger, 0);
    const isSame = today?.cents === asked?.cents && today?.cardFeeCents === asked?.cardFeeCents;
    const isDecided = record.acts.some((act) => act.kind !== 'consent' && changesMoney(act));
    if (!today || isSame || isDecided || ledger.entries.length > 0) return ledger;
    const rows = inForce(ledger).map((row) => (row.number === 0 ? today : row));
    const own = urgent(contextOf(record), `${id}-${ledger.installments.length}`, begunAt);
    return changeLedger(ledger, own, () => setRows(ledger, own, rows));
  });
  if (isChanged) await noteChange(transaction, id);
}

export async function changeByAct(transaction: Transaction, act: ActRow): Promise<void> {
  if (!changesMoney(act)) return;
  await change(transaction, act.subject, (ledger, record) => ledgerAfterAct(ledger, act, record));
}

export async function changeLedgerOf(
  transaction: Transaction,
  registration: string,
  { id, at }: Cause,
  work: (ledger: Ledger, change: Change) => Ledger,
): Promise<void> {
  await change(transaction, registration, (ledger, record) =>
    changeLedger(ledger, urgent(contextOf(record), id, at), work),
  );
  await noteChange(transaction, registration);
}

/**
 * Changes a ledger by what is on record of its payments, as far as it does not have it: money that moved, a try that has its
 * result now. What Stripe reports is never refused; of a registration whose acts cannot be read, which a person has to look
 * at, it is recorded once they can be.
 * @param moves of disputes, by the payment
 */
export async function changeByPayments(
  transaction: Transaction,
  registration: string,
  moves: ReadonlyMap<string, readonly DisputeMove[]> = new Map(),
): Promise<void> {
  try {
    await change(transaction, registration, (ledger, record, { payments, refunds }) => {
      const context = contextOf(record);
      const after = payments.toReversed().reduce((before, payment) => {
        const own = refunds.filter((refund) => refund.payment === payment.id);
        return withMovedMoney(before, { payment, refunds: own, moves: moves.get(payment.id) ?? [] }, context);
      }, ledger);
      return judgeOnceTried(after, context);
    });
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

/** Not where its edition is that of another release. @returns whether it is another ledger now */
async function change(
  transaction: Transaction,
  id: string,
  work: (ledger: Ledger, record: LedgerRecord, money: MoneyRows) => Ledger,
): Promise<boolean> {
  const row = await findRow(transaction, id);
  const edition = row && findEdition(row.edition);
  if (!edition) return false;
  const money = (await readMoney(transaction, [id]))(id);
  const { ledger: before, trying } = money;
  if (before.installments.length === 0) return false;
  const acts = await readActs(transaction, id);
  const [terms, termsBefore] = [agreedTermsOf(edition, acts), agreedTermsOf(edition, acts.slice(0, -1))];
  const about = { registration: id, begunAt: row.begunAt, acts, terms: terms ?? edition.facts };
  const after = work(before, { ...about, termsBefore, trying }, money);
  for (const table of ['installments', 'entries', 'payouts'] as const) {
    const known = new Map<string, object>(before[table].map((one) => [one.id, one]));
    for (const one of after[table]) {
      if (known.get(one.id) === one) continue;
      if (known.has(one.id)) await transaction.updateTable(table).set(one).where('id', '=', one.id).execute();
      else await transaction.insertInto(table).values(one).execute();
    }
  }
  return after !== before;
}

/** A withdrawal or a reinstatement of a dispute, as Stripe's balance shows it: negative where it was withdrawn. */
interface DisputeMove {
  id: string;
  cents: number;
  movedAt: Date;
}

export interface MovedPayment {
  payment: Pick<
    PaymentRow,
    'id' | 'number' | 'status' | 'asMade' | 'cents' | 'beforeFeeCents' | 'charge' | 'paidAt'
  >;
  refunds: readonly RefundRow[];
  moves: readonly DisputeMove[];
}

/** A ledger with the money that moved by a payment. What Stripe reports is never refused. */
export function withMovedMoney(
  before: Ledger,
  { payment, refunds, moves }: MovedPayment,
  context: LedgerContext,
): Ledger {
  const { id, number, charge, paidAt } = payment;
  if (payment.status !== 'paid' || payment.asMade === 0) return before;
  if (number === null || charge === null || paidAt === null) return before;
  let ledger = before;
  const change = (cause: string, at: Date, work: (one: Ledger, change: Change) => Ledger) => {
    ledger = changeLedger(ledger, urgent(context, cause, at), work);
  };
  const isKnown = (entry: string) => ledger.entries.some((one) => one.id === entry);
  if (!chargeOf(ledger, id)) {
    const paid = { number, payment: id, ...amountOf(before, payment, number) };
    change(charge, paidAt, (one, own) => enterCard(one, own, paid));
  }
  const by = chargeOf(ledger, id);
  if (!by) return ledger;
  for (const { id: refund, cents, status, madeAt, ordered } of refunds) {
    const payout = ledger.payouts.find((one) => one.id === ordered);
    if (status === 'failed') {
      const failed = isKnown(refund) ? `${refund}-failed` : refund;
      if (payout) change(failed, madeAt, (one, own) => failPayout(one, own, payout.id));
      else if (isKnown(refund)) change(failed, madeAt, (one, own) => reverse(one, own, refund));
    } else if (isKnown(refund)) continue;
    else if (payout) change(refund, madeAt, (one, own) => sent(one, own, payout.id));
    else {
      const kind = ordered === null ? 'refund' : 'payout';
      change(refund, madeAt, (one, own) => enterMoved(one, own, kind, by, -cents));
    }
  }
  for (const { id: move, cents, movedAt } of moves)
    if (!isKnown(move)) change(move, movedAt, (one, own) => enterMoved(one, own, 'dispute', by, cents));
  return ledger;
}

/** What of a payment is tuition, and what is its card fee: as its row was announced, or as its metadata say. */
function amountOf(
  { installments }: Ledger,
  { cents: gross, beforeFeeCents }: MovedPayment['payment'],
  number: number,
): Amount {
  const announced = installments.findLast(
    (row) => row.number === number && row.cents + row.cardFeeCents === gross,
  );
  const basisPoints = installments.at(0)?.cardFeeBasisPoints ?? 0;
  const withoutFee = Math.round((gross * 10_000) / (10_000 + basisPoints));
  const cents = beforeFeeCents ?? announced?.cents ?? withoutFee;
  return { cents, feeCents: gross - cents };
}
