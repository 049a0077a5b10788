import type { Database } from '#server/database/database.ts';
import { type Due, dueOf } from '#server/payments/due.ts';
import type { Payments } from '#server/payments/payments.ts';
import { readAllOnRecord } from '#server/record/on-record.ts';

type DueFor = Due & { id: string };

/** Catches up with Stripe, and finds what is due for all registrations, the newest first. */
export async function findAllDue(
  { payments, database }: { payments: Pick<Payments, 'catchUp'>; database: Database },
  now: Date,
  isOver = () => false,
): Promise<DueFor[]> {
  await payments.catchUp(now);
  return database.read(async (transaction) => {
    const rows = await transaction
      .selectFrom('payments')
      .select('id')
      .whereRef('id', '=', 'registration')
      .orderBy('madeAt', 'desc')
      .orderBy('id')
      .execute();
    const all = await readAllOnRecord(
      transaction,
      rows.map(({ id }) => id),
    );
    return [...all].map(([id, onRecord]) => ({ id, ...dueOf(onRecord, { now, isOver }) }));
  });
}
