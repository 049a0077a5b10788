import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { type OnRecord, readAllOnRecord } from './on-record.ts';
import { readRecord } from './read-record.ts';
import { placeOf } from './registration-state.ts';

/**
 * Writes which registrations are paid and take a place of their edition, as their payments and acts say. One that is not paid keeps
 * the place that is held for it, if any; of one that cannot be read, nothing is known.
 */
export async function settlePlaces(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const all = await readAllOnRecord(transaction, ids);
  for (const onRecord of all.values()) {
    const { registration } = onRecord;
    const settled = registration && settledNow(registration, onRecord);
    if (settled)
      await transaction.updateTable('registrations').set(settled).where('id', '=', registration.id).execute();
  }
}

/** Undefined where it stays as it is. */
function settledNow(
  { standing, paidAt: heldPaidAt }: RegistrationRow,
  onRecord: OnRecord,
): Pick<RegistrationRow, 'standing' | 'paidAt'> | undefined {
  try {
    const record = readRecord(onRecord);
    if (!record) return undefined;
    const place = placeOf(record);
    const paidAt = record.deposit === 'paid' ? (record.paidAt?.toISOString() ?? null) : null;
    const isKept = place === 'open' && standing !== 'taken';
    const settled = { standing: isKept ? standing : place, paidAt };
    return settled.standing === standing && paidAt === heldPaidAt ? undefined : settled;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}
