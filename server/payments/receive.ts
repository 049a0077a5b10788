import { type NewAct, writeAct } from '#server/record/acts.ts';
import { readDecisions, WITHDRAWAL } from '#server/record/decisions.ts';
import { ACTS } from '#server/record/on-record.ts';
import { type Received, readReceived, type TakenBack } from '#server/record/received.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { owingStates, stateOf } from '#server/record/registration-state.ts';
import type { Records } from './find-registration.ts';
import { cancelAfterChange } from './open-balance.ts';
import { settlePlaces } from './record-payments.ts';
import { refused } from './refusals.ts';

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

async function write(records: Records, record: RegistrationRecord, act: NewAct): Promise<void> {
  await writeAct(
    records.database,
    record.id,
    (acts) => {
      const { held } = readDecisions(acts);
      const isHeldOtherwise = held?.at.getTime() !== record.decisions.held?.at.getTime();
      if (isHeldOtherwise || namesOf(readReceived(acts)) !== namesOf(record.received))
        throw refused('decided_meanwhile');
      return act;
    },
    (transaction) => settlePlaces(transaction, [record.id]),
  );
  if (await cancelAfterChange(records, record)) throw refused('decided_but_paid');
}

function namesOf({ counting, takenBack }: RegistrationRecord['received']): string {
  return [...counting.map(({ name }) => name), takenBack.length].join(' ');
}
