import { sql } from 'kysely';
import type { Transaction } from './engine.ts';

/** The worker looks at a registration with this `nextAt` before all others. */
export const AT_ONCE = new Date(0);

const CHANGED = {
  version: sql<number>`(select coalesce(max(version), 0) + 1 from registrations)`,
  nextAt: AT_ONCE,
};

/**
 * Raises the version of registrations: what the index says of them is outdated, and the worker looks at what is due for
 * them. So too of others at the same address: one person may have paid twice. Called in each transaction that changes what
 * is on record of one; before her address changes, too. Other subjects are ignored.
 */
export async function noteChange(transaction: Transaction, ...ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await transaction
    .updateTable('registrations')
    .set(CHANGED)
    .where(({ eb, or, selectFrom }) => {
      const addresses = selectFrom('registrations as changed')
        .select('changed.address')
        .where('changed.id', 'in', ids)
        .where('changed.address', '!=', '');
      return or([eb('id', 'in', ids), eb('address', 'in', addresses)]);
    })
    .execute();
}

/** The same for all registrations of an edition: what is announced to everybody has changed. */
export async function noteChangeOfAll(transaction: Transaction, edition: string): Promise<void> {
  await transaction.updateTable('registrations').set(CHANGED).where('edition', '=', edition).execute();
}

/** Has the worker look at all registrations, and everybody who waits: the rules may have changed. */
export async function lookAtAll(transaction: Transaction): Promise<void> {
  await transaction.updateTable('registrations').set({ nextAt: AT_ONCE }).execute();
  await transaction.updateTable('waitingEntries').set({ nextAt: AT_ONCE }).execute();
}
