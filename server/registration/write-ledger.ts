import { noteChange } from '#server/database/changes.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import type { Facts } from '#shared/content/edition.ts';
import { isUnreadable, readActs } from './acts.ts';
import { changeLedger, judgeOnceTried } from './change-ledger.ts';
import { type Cause, type LedgerContext, setRows } from './installments.ts';
import { inForce, type Ledger } from './ledger.ts';
import { beginLedger, changeOfAct, changesMoney, contextOf, type LedgerRecord } from './ledger-of-acts.ts';
import { type MovedPayment, withMovedMoney } from './moved-money.ts';
import { readForChange, readLedgers } from './read-ledger.ts';

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

/** Asks for today's prices of somebody who has not paid, unless the office has decided on hers. */
export async function askTodaysPrices(
  transaction: Transaction,
  { id, begunAt }: Pick<RegistrationRow, 'id' | 'begunAt'>,
  facts: Pick<Facts, 'prices' | 'balance'>,
): Promise<void> {
  const ledger = (await readLedgers(transaction, [id])).get(id);
  const asked = ledger ? inForce(ledger) : [];
  const today = inForce(beginLedger({ registration: id, begunAt }, facts));
  const isSame = today.every(({ cents, cardFeeCents }, index) => {
    const row = asked[index];
    return row?.cents === cents && row.cardFeeCents === cardFeeCents;
  });
  if (!ledger || ledger.entries.length > 0 || isSame) return;
  const acts = await readActs(transaction, id);
  if (acts.some(({ kind }) => kind !== 'consent' && changesMoney({ kind }))) return;
  const cause = { id: `${id}-${ledger.installments.length}`, at: begunAt };
  await changeLedgerOf(transaction, id, cause, (before, after, context) =>
    setRows(before, after, context, today),
  );
}

/** What an act changes, as far as it changes money, in its transaction. */
export async function changeByAct(transaction: Transaction, act: ActRow): Promise<void> {
  if (!changesMoney(act)) return;
  const read = await readForChange(transaction, act.subject);
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

/**
 * Records the money that moved by card, as far as it is not on record. What Stripe reports is never refused; of a
 * registration whose acts cannot be read, which a person has to look at, it is recorded once they can be.
 */
export async function changeByMoney(
  transaction: Transaction,
  registration: string,
  payments: readonly MovedPayment[],
): Promise<void> {
  const read = await readForChange(transaction, registration);
  if (!read) return;
  const { ledger, record } = read;
  const context = contextIfReadable(record);
  if (!context) return;
  const moved = payments.reduce((after, payment) => withMovedMoney(after, payment, context), ledger);
  if (moved !== ledger) await save(transaction, ledger, moved);
}

/** Changes what waited for the result of a try, now that it is on record. */
export async function changeByResult(transaction: Transaction, registration: string): Promise<void> {
  const read = await readForChange(transaction, registration);
  const context = read && contextIfReadable(read.record);
  if (!read || !context) return;
  await save(transaction, read.ledger, judgeOnceTried(read.ledger, context));
}

function contextIfReadable(record: LedgerRecord): LedgerContext | undefined {
  try {
    return contextOf(record);
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
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
