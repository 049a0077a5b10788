import { noteChange } from '#server/database/changes.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow, RegistrationRow } from '#server/database/schema.ts';
import type { Facts } from '#shared/content/edition.ts';
import { isUnreadable, readActs } from './acts.ts';
import { changeLedger, judgeOnceTried, urgent } from './change-ledger.ts';
import { type Cause, type Change, type LedgerRecord, setRows } from './installments.ts';
import { inForce, type Ledger, rowOf } from './ledger.ts';
import { beginLedger, changesMoney, contextOf, ledgerAfterAct } from './ledger-of-acts.ts';
import { type DisputeMove, withMovedMoney } from './moved-money.ts';
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

/**
 * Asks for today's deposit of somebody who has not paid, unless the office has decided on hers. The balance follows from the
 * terms that she agrees to.
 */
export async function askTodaysPrices(
  transaction: Transaction,
  { id, begunAt }: Pick<RegistrationRow, 'id' | 'begunAt'>,
  facts: Pick<Facts, 'prices' | 'balance'>,
): Promise<void> {
  const ledger = (await readLedgers(transaction, [id])).get(id);
  const asked = ledger && rowOf(ledger, 0);
  const today = rowOf(beginLedger({ registration: id, begunAt }, facts), 0);
  if (!asked || !today || ledger.entries.length > 0) return;
  const { cents, cardFeeCents } = today;
  if (asked.cents === cents && asked.cardFeeCents === cardFeeCents) return;
  const acts = await readActs(transaction, id);
  if (acts.some(({ kind }) => kind !== 'consent' && changesMoney({ kind }))) return;
  const cause = { id: `${id}-${ledger.installments.length}`, at: begunAt };
  await changeLedgerOf(transaction, id, cause, (before, own) =>
    setRows(
      before,
      own,
      inForce(before).map((row) => (row.number === 0 ? today : row)),
    ),
  );
}

/** What an act changes, as far as it changes money, in its transaction. */
export async function changeByAct(transaction: Transaction, act: ActRow): Promise<void> {
  if (!changesMoney(act)) return;
  await change(transaction, act.subject, (ledger, record) => ledgerAfterAct(ledger, act, record));
}

/** Changes a ledger beside an act, such as what becomes of a payout. */
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
  const payments = await rowsWith(transaction, 'payments', 'registration', [registration], 'madeAt', 'id');
  const ids = payments.map(({ id }) => id);
  const refunds = await rowsWith(transaction, 'refunds', 'payment', ids, 'madeAt', 'id');
  const moved = payments.map((payment) => ({
    payment,
    refunds: refunds.filter((refund) => refund.payment === payment.id),
    moves: moves.get(payment.id) ?? [],
  }));
  try {
    await change(transaction, registration, (ledger, record) => {
      const context = contextOf(record);
      const after = moved.reduce((one, payment) => withMovedMoney(one, payment, context), ledger);
      return judgeOnceTried(after, context);
    });
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
}

/** Reads a ledger, changes it, and writes the rows that differ. */
async function change(
  transaction: Transaction,
  registration: string,
  work: (ledger: Ledger, record: LedgerRecord) => Ledger,
): Promise<void> {
  const read = await readForChange(transaction, registration);
  if (!read) return;
  const { ledger: before, record } = read;
  const after = work(before, record);
  for (const table of ['installments', 'entries', 'payouts'] as const) {
    const known = new Map<string, object>(before[table].map((row) => [row.id, row]));
    for (const row of after[table]) {
      if (known.get(row.id) === row) continue;
      if (known.has(row.id)) await transaction.updateTable(table).set(row).where('id', '=', row.id).execute();
      else await transaction.insertInto(table).values(row).execute();
    }
  }
}
