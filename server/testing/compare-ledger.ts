import type { Transaction } from '#server/database/engine.ts';
import { allocate, owedOf, surplusOf } from '#server/registration/ledger.ts';
import { depositLeftOf, leftToPay, surplusOf as surplusBefore } from '#server/registration/owed.ts';
import { readLedgers } from '#server/registration/read-ledger.ts';
import { readRegistrations } from '#server/registration/read-registration.ts';

/** What the ledger and the old derivation say differently of the registrations of a register, in sentences. */
export async function ledgerDifferences(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.selectFrom('registrations').select('id').execute();
  const ids = rows.map(({ id }) => id);
  const ledgers = await readLedgers(transaction, ids);
  const readings = await readRegistrations(transaction, ids);
  return ids.flatMap((id) => {
    const [ledger, record] = [ledgers.get(id), readings.get(id)?.record];
    if (!ledger || !record || ledger.installments.length === 0 || record.deposit === 'closed') return [];
    const isCancelled = record.decisions.cancel !== undefined;
    const before = {
      deposit: depositLeftOf(record) || (record.deposit === 'unpaid' ? (record.depositDueCents ?? 0) : 0),
      owed: isCancelled ? 'cancelled' : leftToPay(record).beforeFeeCents + depositLeftOf(record),
      surplus: isCancelled ? 'cancelled' : surplusBefore(record),
    };
    const now = {
      deposit: allocate(ledger).left.get(0),
      owed: isCancelled ? 'cancelled' : owedOf(ledger),
      surplus: isCancelled ? 'cancelled' : surplusOf(ledger),
    };
    if (JSON.stringify(before) === JSON.stringify(now)) return [];
    const detail = {
      decisions: record.decisions,
      received: record.received,
      refunds: record.refunds,
      installments: ledger.installments,
      entries: ledger.entries,
    };
    return [`${id}: before ${JSON.stringify(before)}, now ${JSON.stringify(now)}; ${JSON.stringify(detail)}`];
  });
}
