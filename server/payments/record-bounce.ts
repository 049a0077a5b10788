import { noteChange } from '#server/database/changes.ts';
import type { Transaction } from '#server/database/engine.ts';
import { rowsWith } from '#server/database/read-rows.ts';
import { bouncedBy, changeBounced, type LetterEvent } from '#server/record/bounce-mark.ts';
import type { Register } from '#server/record/on-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';

export interface BounceRecorded {
  /** The deposits of the registrations that have the address now. */
  found: readonly string[];
  /** Those among `found` for which the event is new. */
  marked: readonly string[];
}

/**
 * Records that a letter to an address bounced, or that its reader complained about it: for all registrations that have the
 * address now, paid or not. An event that is recorded already, or about an address that nobody has any more, changes
 * nothing.
 */
export async function recordBounce(
  { database }: Register,
  event: LetterEvent,
  now: Date,
): Promise<BounceRecorded> {
  return database.write(async (transaction) => {
    const found = await depositsAt(transaction, event.address);
    if (found.length === 0) return { found, marked: [] };
    const isNews = await changeBounced(transaction, event.address, (before) => bouncedBy(event, before, now));
    await noteChange(transaction, ...found);
    return { found, marked: isNews ? found : [] };
  });
}

/** Records that letters reach her again, or that a complaint was looked at. */
export async function clearBounce(
  { database }: Register,
  { registrant }: Pick<RegistrationRecord, 'registrant'>,
  by: string,
  now: Date,
): Promise<void> {
  await database.write(async (transaction) => {
    await changeBounced(transaction, registrant.email, (before) => {
      if (!before || before.over) return undefined;
      return { ...before, over: now, by, ...(before.type === 'bounce' && { lostUntil: now }) };
    });
    await noteChange(transaction, ...(await depositsAt(transaction, registrant.email)));
  });
}

/** The deposits of all registrations at an address. */
async function depositsAt(transaction: Transaction, address: string): Promise<string[]> {
  const rows = await rowsWith(transaction, 'registrations', 'address', [address.toLowerCase()]);
  return rows.flatMap(({ deposit }) => deposit ?? []);
}
