import type { Transaction } from '#server/database/database.ts';
import { readRegistrations } from './read-registration.ts';
import { placeOf } from './registration-state.ts';
import { removeEntries } from './waiting-list.ts';

/**
 * Writes which registrations are paid and take a place of their edition, as their payments and acts say. One that is not
 * paid keeps the place that is held for it, if any; of one that cannot be read, nothing is known. Who has taken the place
 * of an offer waits no longer.
 */
export async function settlePlaces(transaction: Transaction, ids: readonly string[]): Promise<void> {
  for (const { row, record } of (await readRegistrations(transaction, ids)).values()) {
    if (!record) continue;
    const place = placeOf(record);
    const isKept = place === 'open' && row.standing !== 'taken';
    const paidAt = record.deposit === 'paid' ? (record.paidAt ?? null) : null;
    const settled = { standing: isKept ? row.standing : place, paidAt };
    if (settled.standing !== row.standing || paidAt?.getTime() !== row.paidAt?.getTime())
      await transaction.updateTable('registrations').set(settled).where('id', '=', row.id).execute();
    if (place === 'taken' && row.waiting !== null) await removeEntries(transaction, [row.waiting]);
  }
}
