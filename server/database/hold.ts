import type { Transaction } from './engine.ts';

/** While the register is held nothing goes out of it: no charge, no refund, no letter; and nobody's data are removed. */
export interface Hold {
  since: Date;
  why: string;
  /** When all that Stripe knows had been added; undefined until then. */
  readAt: Date | undefined;
}

export async function readHold(transaction: Transaction): Promise<Hold | undefined> {
  const row = await transaction.selectFrom('register').selectAll().executeTakeFirstOrThrow();
  const readAt = row.comparedAt ?? undefined;
  if (row.heldAt !== null) return { since: row.heldAt, why: row.heldWhy ?? '', readAt };
  if (row.copyOf === null) return undefined;
  return { since: row.copiedAt ?? new Date(0), why: 'It is a copy of the register.', readAt };
}

export async function isHeld(transaction: Transaction): Promise<boolean> {
  return (await readHold(transaction)) !== undefined;
}

/**
 * Holds everything outward, and has catch-up read all that Stripe knows. A register that is held stays as it is.
 * @returns whether it was not held before
 */
export async function beginHold(transaction: Transaction, why: string): Promise<boolean> {
  if (await isHeld(transaction)) return false;
  await transaction
    .updateTable('register')
    .set({ heldAt: new Date(), heldWhy: why, comparedAt: null })
    .execute();
  return true;
}

export async function endHold(transaction: Transaction): Promise<void> {
  await transaction.updateTable('register').set({ heldAt: null, heldWhy: null, copyOf: null }).execute();
}
