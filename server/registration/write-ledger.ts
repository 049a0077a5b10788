import { noteChange } from '#server/database/changes.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow, PaymentRow, RefundRow, RegistrationRow } from '#server/database/schema.ts';
import type { BalanceTerms, Facts } from '#shared/content/edition.ts';
import { changeLedger, enterCard, failPayout } from './change-ledger.ts';
import { enter, reverse, splitMoved } from './entries.ts';
import type { Cause, LedgerContext } from './installments.ts';
import { chargeOf, type Ledger } from './ledger.ts';
import { beginLedger, changeOfAct, changesMoney, contextOf, numberOfPart } from './ledger-of-acts.ts';
import { sent } from './payouts.ts';
import { readForChange } from './read-ledger.ts';

/** Records a new registration, with what is asked of it. */
export async function insertRegistration(
  transaction: Transaction,
  row: RegistrationRow,
  facts: Pick<Facts, 'prices' | 'balance'>,
): Promise<void> {
  await transaction.insertInto('registrations').values(row).execute();
  const ledger = beginLedger({ registration: row.id, begunAt: row.begunAt }, facts);
  await transaction
    .insertInto('installments')
    .values([...ledger.installments])
    .execute();
}

/** What an act changes, as far as it changes money, in its transaction. */
export async function changeByAct(
  transaction: Transaction,
  act: ActRow,
  agreed?: BalanceTerms,
): Promise<void> {
  if (!changesMoney(act)) return;
  const read = await readForChange(transaction, act.subject, agreed);
  if (!read) return;
  const change = changeOfAct(act, read.record, read.priceBefore);
  if (!change) return;
  const { cause, context, work } = change;
  await save(transaction, read.ledger, changeLedger(read.ledger, cause, context, work));
}

/**
 * Changes a ledger beside an act, such as what becomes of a payout.
 * @returns it as it is then; undefined where there is none
 */
export async function changeLedgerOf(
  transaction: Transaction,
  registration: string,
  cause: Omit<Cause, 'isUrgent'>,
  work: (ledger: Ledger, cause: Cause, context: LedgerContext) => Ledger,
): Promise<Ledger | undefined> {
  const read = await readForChange(transaction, registration);
  if (!read) return undefined;
  const { ledger, record } = read;
  const context = contextOf(record);
  const urgent = { ...cause, isUrgent: true };
  const changed = changeLedger(ledger, urgent, context, (one) => work(one, urgent, context));
  await save(transaction, ledger, changed);
  await noteChange(transaction, registration);
  return changed;
}

/** A withdrawal or a reinstatement of a dispute, as Stripe's balance shows it: negative where it was withdrawn. */
export interface DisputeMove {
  /** The balance transaction at Stripe. */
  id: string;
  cents: number;
  movedAt: Date;
}

/** What Stripe says of a payment: its row, what went back of it, and what its disputes moved. */
export interface MovedPayment {
  payment: Pick<
    PaymentRow,
    'id' | 'name' | 'part' | 'status' | 'asMade' | 'cents' | 'beforeFeeCents' | 'charge' | 'paidAt'
  >;
  refunds: readonly RefundRow[];
  moves: readonly DisputeMove[];
}

/** Records the money that moved by card, as far as it is not on record. What Stripe reports is never refused. */
export async function changeByMoney(
  transaction: Transaction,
  registration: string,
  payments: readonly MovedPayment[],
): Promise<void> {
  const read = await readForChange(transaction, registration);
  if (!read) return;
  const { ledger, record } = read;
  const context = contextOf(record);
  const moved = payments.reduce((after, payment) => withMoney(after, payment, context), ledger);
  if (moved !== ledger) await save(transaction, ledger, moved);
}

/** The same from the payments on record, for a registration that is on record after them. */
export async function changeByPayments(transaction: Transaction, registration: string): Promise<void> {
  const payments = await rowsWith(transaction, 'payments', 'registration', [registration], 'madeAt');
  const ids = payments.map(({ id }) => id);
  const refunds = await rowsWith(transaction, 'refunds', 'payment', ids, 'madeAt');
  const moved = payments.map((payment) => ({
    payment,
    refunds: refunds.filter((refund) => refund.payment === payment.id),
    moves: [],
  }));
  await changeByMoney(transaction, registration, moved);
}

function withMoney(
  before: Ledger,
  { payment, refunds, moves }: MovedPayment,
  context: LedgerContext,
): Ledger {
  const { id, charge, paidAt } = payment;
  if (payment.status !== 'paid' || payment.asMade === 0 || charge === null || paidAt === null) return before;
  const change = (
    ledger: Ledger,
    cause: Omit<Cause, 'isUrgent'>,
    work: (ledger: Ledger, cause: Cause) => Ledger,
  ) => {
    const urgent = { ...cause, isUrgent: true };
    return changeLedger(ledger, urgent, context, (one) => work(one, urgent));
  };
  let ledger = before;
  if (!chargeOf(ledger, id)) {
    const number = payment.name === 'deposit' ? 0 : numberOfPart(payment.part);
    const amount = amountOf(before, payment, number);
    const entry = {
      id: charge,
      kind: 'card',
      movedAt: paidAt,
      payer: context.holder,
      number,
      payment: id,
    } as const;
    ledger = change(ledger, { id: charge, at: paidAt }, (one) =>
      enterCard(one, { ...entry, ...amount }, context),
    );
  }
  const by = chargeOf(ledger, id);
  if (!by) return ledger;
  const about = { payer: by.payer, number: by.number, payment: id };
  for (const { id: refund, cents, status, madeAt, ordered } of refunds) {
    const isKnown = ledger.entries.some((entry) => entry.id === refund);
    const cause = { id: isKnown ? `${refund}-failed` : refund, at: madeAt };
    const payout = ledger.payouts.find((one) => one.id === ordered);
    if (status === 'failed') {
      if (payout)
        ledger = change(ledger, cause, (one, urgent) => failPayout(one, payout.id, urgent, context));
      else if (isKnown) ledger = change(ledger, cause, (one, urgent) => reverse(one, refund, urgent));
    } else if (payout && !isKnown)
      ledger = change(ledger, cause, (one) => sent(one, payout.id, { id: refund, movedAt: madeAt }));
    else if (!isKnown) {
      const kind = ordered === null ? 'refund' : 'payout';
      const split = splitMoved(ledger, id, -cents);
      ledger = change(ledger, cause, (one) =>
        enter(one, { id: refund, kind, movedAt: madeAt, ...about, ...split }),
      );
    }
  }
  for (const { id: move, cents, movedAt } of moves) {
    if (ledger.entries.some((entry) => entry.id === move)) continue;
    const split = splitMoved(ledger, id, cents);
    ledger = change(ledger, { id: move, at: movedAt }, (one) =>
      enter(one, { id: move, kind: 'dispute', movedAt, ...about, ...split }),
    );
  }
  return ledger;
}

/** What of a payment is tuition, and what is its card fee: as its row was announced, or as its metadata say. */
function amountOf(
  { installments }: Ledger,
  { cents: gross, beforeFeeCents }: MovedPayment['payment'],
  number: number,
) {
  const announced = installments.findLast(
    (row) => row.number === number && row.cents + row.cardFeeCents === gross,
  );
  const cents = beforeFeeCents ?? announced?.cents ?? withoutFee(installments, gross);
  return { cents, feeCents: gross - cents };
}

function withoutFee(installments: Ledger['installments'], gross: number): number {
  const basisPoints = installments.at(0)?.cardFeeBasisPoints ?? 0;
  return Math.round((gross * 10_000) / (10_000 + basisPoints));
}

/** Writes the rows that differ. */
async function save(transaction: Transaction, before: Ledger, after: Ledger): Promise<void> {
  for (const table of ['installments', 'entries', 'payouts'] as const) {
    const known = new Map<string, object>(before[table].map((row) => [row.id, row]));
    for (const row of after[table]) {
      if (known.get(row.id) === row) continue;
      if (known.has(row.id)) await transaction.updateTable(table).set(row).where('id', '=', row.id).execute();
      else await transaction.insertInto(table).values(row).execute();
    }
  }
}
