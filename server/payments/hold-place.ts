import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import { addAct, readActs } from '#server/record/acts.ts';
import { type Decision, WITHDRAWAL } from '#server/record/decisions.ts';
import { type Agreement, agreementOf } from '#server/record/on-record.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { heldEnd } from '#server/record/registration-state.ts';
import type { AgreedTerms, Edition } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { closeUnpaid } from './close-unpaid.ts';
import { createDeposit, type HoldPlace } from './create-deposit.ts';
import { decidedMeanwhile } from './decide.ts';
import { type Records, recordPaymentsOf } from './find-registration.ts';
import { writeAgreement } from './record-consent.ts';
import { settlePlaces } from './record-payments.ts';

/** What the office records when it holds a place for somebody. */
export interface Hold {
  held: Decision<'held'>;
  /** What she agreed to, and how she said so; it is recorded where no consent is on record. */
  agreement: Agreement;
  terms: Pick<AgreedTerms, 'prices' | 'balance'>;
}

/**
 * Registers somebody who calls or writes: as everybody she has a customer and a payment of the deposit at Stripe, which
 * she may use or not. The same key makes her registration once, however often this is called.
 * @param hold holds a place for her
 * @param waived what of the tuition is not asked of her
 * @returns her registration, by the payment of its deposit
 * @throws {AppError} when there is no place
 */
export async function registerByOffice(
  records: Records,
  { facts }: Edition,
  contact: Contact,
  { key, hold, waived, ...holding }: Hold & { key: string; hold: HoldPlace; waived?: Decision<'waived'> },
): Promise<string> {
  const deposit = {
    ...{ contact, facts, timeZone: '', somebodyElse: false, source: 'office' as const },
    admitLetter: async () => false,
  };
  const { id } = await createDeposit(records, deposit, { value: key }, hold);
  await records.database.write(async (transaction) => {
    const acts = await readActs(transaction, id);
    if (!acts.some(({ kind }) => kind === 'held')) await writeHold(transaction, id, holding);
    if (waived && !acts.some(({ kind }) => kind === 'waived')) {
      const { at, by, ...facts } = waived;
      await addAct(transaction, { id: uuidV7(), subject: id, kind: 'waived', at, by, facts });
    }
    await settlePlaces(transaction, [id]);
  });
  return id;
}

/**
 * Holds a place for somebody who has begun to register, or holds it until another day.
 * @param take runs the work in a transaction in which there is a place for her
 * @throws {AppError} when somebody else has held it since the record was read, or she has paid
 */
export async function holdPlaceFor(
  _records: Records,
  record: RegistrationRecord,
  holding: Hold,
  take: (work: (transaction: Transaction) => Promise<void>) => Promise<void>,
): Promise<void> {
  await take(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    const last = acts.findLast(({ kind }) => kind === 'held');
    if (last && last.at !== record.decisions.held?.at.toISOString()) throw decidedMeanwhile();
    await writeHold(transaction, record.id, holding);
    await transaction
      .updateTable('registrations')
      .set({ standing: 'open', heldUntil: heldEnd(holding.held).toISOString() })
      .where('deposit', '=', record.id)
      .where('standing', '!=', 'taken')
      .execute();
    await settlePlaces(transaction, [record.id]);
  });
}

async function writeHold(
  transaction: Transaction,
  subject: string,
  { held, agreement, terms }: Hold,
): Promise<void> {
  const { at, by, ...facts } = held;
  if (!agreementOf({ acts: await readActs(transaction, subject) }))
    await writeAgreement(transaction, subject, agreement, terms, [uuidV7(), uuidV7()]);
  await addAct(transaction, { id: uuidV7(), subject, kind: 'held', at, by, facts });
}

/**
 * Ends a registration that is not paid, because it was a mistake or she does not come: its place is free, its payment
 * closed, and her details are removed.
 * @returns whether it is ended: not if she has paid meanwhile
 */
export async function endRegistration(
  records: Records,
  { id }: RegistrationRecord,
  { at, by }: { at: Date; by: string },
): Promise<boolean> {
  await records.database.write(async (transaction) => {
    const acts = await readActs(transaction, id);
    const held = acts.filter(({ kind }) => kind === 'held').at(-1);
    const isWithdrawn = held && acts.some(({ undoes }) => undoes === held.id);
    if (held && !isWithdrawn)
      await addAct(transaction, { id: uuidV7(), subject: id, kind: WITHDRAWAL, at, by, undoes: held.id });
  });
  const isEnded = await closeUnpaid(records, id);
  await recordPaymentsOf(records, id);
  return isEnded;
}
