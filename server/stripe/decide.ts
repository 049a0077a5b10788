import { v7 as uuidV7 } from 'uuid';
import {
  type Agreement,
  balanceKinds,
  changesMoney,
  type Decision,
  type DecisionKind,
  lastAct,
  type NewAct,
  paidBalances,
  type RegistrationRecord,
  refused,
  settlePlaces,
  termsOfText,
  WITHDRAWAL,
  type Withdrawal,
  writeActs,
  writeAgreement,
} from '#server/registration/registration.ts';
import { AppError } from '#server/web/app-error.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';

import { cancelOpen } from './balance.ts';
import { readOwn } from './deposit.ts';
import { isUnpaid } from './payment-at-stripe.ts';
import type { Records } from './record-payments.ts';
import { depositClosed } from './stripe-calls.ts';

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
  const after = await cancelOpen(records, id).catch((cause: unknown) => {
    const message =
      'It is recorded, but an open payment of the balance could not be cancelled: look whether it is paid since, and have all registrations looked through again';
    throw new AppError({ code: 'decided_not_fitted', status: 502, message, cause });
  });
  const isPaidMeanwhile = after && paidBalances(after).length > paidBalances(record).length;
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

/** Of the terms that she agreed to for an unpaid deposit the first time is kept. */
export async function recordConsent(
  records: Records,
  clientSecret: string,
  { version, digest, agreedAt }: Agreement,
  onRead: (edition: Facts, registration: string) => Promise<void> = async () => {},
): Promise<void> {
  const { row, intent } = await readOwn(records, clientSecret);
  if (intent.status === 'canceled') throw depositClosed(intent);
  if (!isUnpaid(intent)) throw refused('already_paid');
  const edition = findEdition(row.edition);
  if (!edition || !termsOfText(edition, { version, digest })) throw refused('unknown_terms');
  const { facts } = edition;
  await onRead(facts, row.id);
  const agreement = { version, digest, agreedAt };
  const id = uuidV7();
  await records.database.write((transaction) => writeAgreement(transaction, row.id, agreement, id));
}
