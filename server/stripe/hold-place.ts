import { v7 as uuidV7 } from 'uuid';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { addAct, type Done, hasKind, readActs } from '#server/registration/acts.ts';
import type { Decision } from '#server/registration/decisions.ts';
import { type Agreement, agreementOf } from '#server/registration/on-record.ts';
import { readReceived } from '#server/registration/received.ts';
import { refused, requireNotHeld } from '#server/registration/refusals.ts';
import type { RegistrationRecord, Whose } from '#server/registration/registration-record.ts';
import { heldEnd } from '#server/registration/registration-state.ts';
import { registrationName } from '#server/registration/registrations.ts';
import type { AgreedTerms, Edition } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { writeAgreement } from './consent.ts';
import { createDeposit, type RecordHeld } from './deposit.ts';
import { type Records, recordPaymentsOf } from './find-registration.ts';
import { closeUnpaid, withdrawHold } from './forget.ts';
import { settlePlaces } from './record-payments.ts';

/** What the office records when it holds a place for somebody. */
export interface Hold {
  held: Decision<'held'>;
  /** What she agreed to, and how she said so; it is recorded where no consent is on record. */
  agreement: Agreement;
  terms: Pick<AgreedTerms, 'prices' | 'balance'>;
}

/** The same for somebody who is not registered yet. */
export interface Registering extends Hold {
  key: string;
  /** Holds a place for a registration, by its name, while it is made. */
  hold: (registration: string, record: RecordHeld) => Promise<void>;
  /** What of the tuition is not asked of her. */
  waived?: Decision<'waived'>;
}

/**
 * Registers somebody who calls or writes: as everybody she has a customer and a payment of the deposit at Stripe, which
 * she may use or not. The same key makes her registration once, however often this is called.
 * @returns her registration, by the payment of its deposit
 * @throws {AppError} when there is no place
 */
export async function registerByOffice(
  records: Records,
  { facts }: Edition,
  contact: Contact,
  { key, hold, waived, ...holding }: Registering,
): Promise<string> {
  const deposit = {
    contact,
    facts,
    timeZone: '',
    source: 'office' as const,
    admitLetter: async () => true,
  };
  const value = await unusedKey(records, key);
  const { id } = await createDeposit(records, deposit, { value }, (record) =>
    hold(registrationName(value), record),
  );
  const [ids, waiver] = [newIds(), uuidV7()];
  await records.database.write(async (transaction) => {
    const acts = await readActs(transaction, id);
    if (!hasKind(acts, 'held')) await writeHold(transaction, id, holding, ids);
    if (waived && !hasKind(acts, 'waived')) {
      const { at, by, ...facts } = waived;
      await addAct(transaction, { id: waiver, subject: id, kind: 'waived', at, by, facts });
    }
    await settlePlaces(transaction, [id]);
  });
  return id;
}

/** The key, or one after it where her registration of that key was ended since. */
async function unusedKey({ database }: Records, key: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const value = number === 1 ? key : `${key}-${number}`;
    const name = registrationName(value);
    const [row] = await database.read((transaction) => rowsWith(transaction, 'registrations', 'id', [name]));
    if (row?.address !== '') return value;
  }
}

/**
 * Holds a place for somebody who has begun to register, or holds it until another day.
 * @param take runs the work in a transaction in which there is a place for her
 * @throws {AppError} when somebody else has held it since the record was read
 */
export async function holdForOffice(
  _records: Records,
  record: RegistrationRecord,
  holding: Hold,
  take: (work: (transaction: Transaction) => Promise<void>) => Promise<void>,
): Promise<void> {
  const ids = newIds();
  await take(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    if (acts.some(({ id }) => id === ids.held)) return;
    const last = acts.findLast(({ kind }) => kind === 'held');
    if (last && last.at !== record.decisions.held?.at.toISOString()) throw refused('decided_meanwhile');
    await writeHold(transaction, record.id, holding, ids);
    await settlePlaces(transaction, [record.id]);
  });
}

const newIds = () => ({ held: uuidV7(), agreement: [uuidV7(), uuidV7()] as const });

async function writeHold(
  transaction: Transaction,
  subject: string,
  { held, agreement, terms }: Hold,
  ids: ReturnType<typeof newIds>,
): Promise<void> {
  const { at, by, ...facts } = held;
  if (!agreementOf({ acts: await readActs(transaction, subject) }))
    await writeAgreement(transaction, subject, agreement, terms, ids.agreement);
  await addAct(transaction, { id: ids.held, subject, kind: 'held', at, by, facts });
  await transaction
    .updateTable('registrations')
    .set({ standing: 'open', heldUntil: heldEnd(held).toISOString() })
    .where('deposit', '=', subject)
    .where('standing', '!=', 'taken')
    .execute();
}

/**
 * Its place is free, its payment closed, and her details are removed.
 * @returns whether it is ended: not if she has paid meanwhile
 */
export async function endRegistration(records: Records, { id }: Whose, done: Done): Promise<boolean> {
  const act = { ...done, id: uuidV7() };
  await records.database.write(async (transaction) => {
    await requireNotHeld(transaction);
    if (readReceived(await readActs(transaction, id)).counting.length > 0) throw refused('decided_meanwhile');
    await withdrawHold(transaction, id, act);
  });
  const isEnded = await closeUnpaid(records, id);
  await recordPaymentsOf(records, id);
  return isEnded;
}
