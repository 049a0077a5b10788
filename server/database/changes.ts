import { sql } from 'kysely';
import type { Transaction } from './engine.ts';

/**
 * Raises the version of registrations, given by their deposits: whoever holds registrations in memory reads those
 * again. Called in each transaction that changes what is on record of one; other subjects are ignored.
 */
export async function noteChange(transaction: Transaction, ...deposits: readonly string[]): Promise<void> {
  if (deposits.length === 0) return;
  await transaction
    .updateTable('registrations')
    .set({ version: sql<number>`(select coalesce(max(version), 0) + 1 from registrations)` })
    .where('deposit', 'in', deposits)
    .execute();
}
