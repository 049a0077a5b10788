import { v7 as uuidV7 } from 'uuid';
import { addAct, readActs } from '#server/record/acts.ts';
import { readDecisions, WITHDRAWAL } from '#server/record/decisions.ts';
import { ACTS } from '#server/record/on-record.ts';
import { paidBalances } from '#server/record/owed.ts';
import { type Received, readReceived, type TakenBack } from '#server/record/received.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owingStates, stateOf } from '#server/record/registration-state.ts';
import { cancelUnpaid } from './close-unpaid.ts';
import { decidedMeanwhile, notCancelled, paidMeanwhile } from './decide.ts';
import type { Records } from './find-registration.ts';
import { cancelOpenBalances, isDepositCovered } from './open-balance.ts';
import { settlePlaces } from './record-payments.ts';

/** Whether a check or a transfer can be recorded now: while she has a place, or one is or was held for her. */
export function canReceive(record: RegistrationRecord, now: Date): boolean {
  if (record.deposit === 'unpaid') return record.decisions.held !== undefined;
  return [...owingStates, 'settled'].includes(stateOf(record, now));
}

/**
 * Records a check or a transfer that came, unless somebody else has recorded or taken back one since the record was read.
 * Then the open payment of the balance is cancelled, as its sum has changed.
 * @throws {AppError} when somebody else did; or when it is recorded, but the open payment could not be cancelled, or paid
 *   the balance meanwhile
 */
export async function recordReceived(
  records: Records,
  record: RegistrationRecord,
  { at, by, ...facts }: Omit<Received, 'id' | 'name'>,
): Promise<void> {
  await write(records, record, { kind: ACTS.received, at, by, facts });
}

/** Records in the same way that one no longer counts. */
export async function takeBackReceived(
  records: Records,
  record: RegistrationRecord,
  { id: undoes }: Received,
  { at, by, why }: Omit<TakenBack, 'payment'>,
): Promise<void> {
  await write(records, record, { kind: WITHDRAWAL, at, by, facts: { why }, undoes });
}

async function write(
  records: Records,
  record: RegistrationRecord,
  facts: { kind: string; at: Date; by: string; facts: object; undoes?: string },
): Promise<void> {
  const act = { id: uuidV7(), subject: record.id, ...facts };
  await records.database.write(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    // The answer to the COMMIT was lost.
    if (acts.some(({ id }) => id === act.id)) return;
    const { held } = readDecisions(acts);
    const isHeldOtherwise = held?.at.getTime() !== record.decisions.held?.at.getTime();
    if (isHeldOtherwise || namesOf(readReceived(acts)) !== namesOf(record.received)) throw decidedMeanwhile();
    await addAct(transaction, act);
    await settlePlaces(transaction, [record.id]);
  });
  const after = await fitPayments(records, record.id);
  if (after && paidBalances(after).length > paidBalances(record).length) throw paidMeanwhile();
}

/**
 * Cancels the open payments of a registration whose sums have changed, so that nobody pays by an old page: that of the
 * balance, and that of a deposit that was paid in another way.
 * @returns the registration as it is then
 * @throws {AppError} when one could not be cancelled
 */
async function fitPayments(records: Records, id: string): Promise<RegistrationRecord | undefined> {
  try {
    const record = await cancelOpenBalances(records, id);
    if (record && isDepositCovered(record)) await cancelUnpaid(records, id);
    return record;
  } catch {
    throw notCancelled();
  }
}

function namesOf({ counting, takenBack }: RegistrationRecord['received']): string {
  return [...counting.map(({ name }) => name), takenBack.length].join(' ');
}
