import {
  balanceKinds,
  changesMoney,
  type Decision,
  type DecisionKind,
  lastAct,
  type NewAct,
  type RegistrationRecord,
  refused,
  settlePlaces,
  WITHDRAWAL,
  type Withdrawal,
  writeActs,
} from '#server/registration/registration.ts';
import { cancelAfterChange } from './balance.ts';
import type { Records } from './record-payments.ts';

/**
 * Records acts, unless the registration has changed since it was read, and then cancels an open payment that they change: a
 * worker opens a payment before it reads the acts, so it reads these, or confirms a payment that is cancelled.
 */
export async function recordActs(
  records: Records,
  record: RegistrationRecord,
  acts: readonly NewAct[],
): Promise<void> {
  const { id } = record;
  const settle = acts.some(changesMoney) ? [id] : [];
  await writeActs(records.database, record, acts, (transaction) => settlePlaces(transaction, settle));
  const kinds = acts.map(({ kind, undoes }) => record.acts.find((one) => one.id === undoes)?.kind ?? kind);
  if (!kinds.some((kind) => kind === 'received' || balanceKinds.includes(kind))) return;
  const isPaidMeanwhile = await cancelAfterChange(records, record);
  // What was paid while she cancelled goes back with the rest.
  if (isPaidMeanwhile && !acts.some(({ kind }) => kind === 'cancel')) throw refused('decided_but_paid');
}

export async function decide<Kind extends DecisionKind>(
  records: Records,
  record: RegistrationRecord,
  kind: Kind,
  { at, by, ...facts }: Decision<Kind> | Withdrawal,
): Promise<void> {
  const undoes = 'withdrawn' in facts ? lastAct(record.acts, kind)?.id : undefined;
  const act: NewAct = undoes ? { kind: WITHDRAWAL, at, by, undoes } : { kind, at, by, facts };
  await recordActs(records, record, [act]);
}
