import { v7 as uuidV7 } from 'uuid';
import type { Transaction } from '#server/database/engine.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { readActs } from './acts.ts';
import { writeAgreement } from './consent.ts';
import type { Decision } from './decisions.ts';
import { type Agreement, lastOfKind } from './on-record.ts';
import { settlePlaces } from './places-taken.ts';
import { refused } from './refusals.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { heldEnd } from './registration-state.ts';
import { findRow, newRow, registrationIdOf } from './registrations.ts';
import { addAct } from './write-acts.ts';
import { insertRegistration } from './write-ledger.ts';

/** What the office records when it holds a place for somebody. */
export interface Hold {
  held: Decision<'held'>;
  /** What she agreed to, and how she said so; it is recorded where no consent is on record. */
  agreement: Agreement;
}

/** The same for somebody who is not registered yet. */
export interface Registering extends Hold {
  /** The same key makes one registration, however often it is used. */
  key: string;
  /** What of the tuition is not asked of her. */
  waived?: Decision<'waived'> | undefined;
}

/** Runs work in a transaction in which there is a place for a registration. */
type TakePlace = (id: string, work: (transaction: Transaction) => Promise<void>) => Promise<void>;

/**
 * Registers somebody who calls or writes. A customer and a payment at Stripe are made once she pays by card.
 * @returns her registration
 * @throws {AppError} when there is no place
 */
export async function registerByOffice(
  { facts }: Edition,
  contact: Contact,
  { key, waived, ...holding }: Registering,
  take: TakePlace,
): Promise<string> {
  const { held } = holding;
  const ids = newHoldIds();
  const waiver = uuidV7();
  let id = registrationIdOf(key);
  await take(id, async (transaction) => {
    const value = await unusedKey(transaction, key);
    id = registrationIdOf(value);
    // A second press finds what the first one made.
    if (await findRow(transaction, id)) return;
    const submit = { contact, facts, timeZone: '', source: 'office' as const, key: { value } };
    const row = newRow(submit, { begunAt: held.at, heldUntil: heldEnd(held) });
    await insertRegistration(transaction, row, facts);
    await writeHold(transaction, id, holding, ids);
    if (waived) {
      const { at, by, ...said } = waived;
      await addAct(transaction, { id: waiver, subject: id, kind: 'waived', at, by, facts: said });
    }
    await settlePlaces(transaction, [id]);
  });
  return id;
}

/** The key, or one after it where her registration of that key was ended since. */
async function unusedKey(transaction: Transaction, key: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const value = number === 1 ? key : `${key}-${number}`;
    const row = await findRow(transaction, registrationIdOf(value));
    if (row?.address !== '') return value;
  }
}

/**
 * Holds a place for somebody who has begun to register, or holds it until another day.
 * @throws {AppError} when somebody else has held it since the record was read
 */
export async function holdForOffice(
  record: RegistrationRecord,
  holding: Hold,
  take: TakePlace,
): Promise<void> {
  const ids = newHoldIds();
  await take(record.id, async (transaction) => {
    const acts = await readActs(transaction, record.id);
    if (acts.some(({ id }) => id === ids.hold)) return;
    const last = acts.findLast(({ kind }) => kind === 'held');
    if (last && last.happenedAt.getTime() !== record.decisions.held?.at.getTime())
      throw refused('decided_meanwhile');
    await writeHold(transaction, record.id, holding, ids);
    await settlePlaces(transaction, [record.id]);
  });
}

const newHoldIds = () => ({ hold: uuidV7(), consent: uuidV7() });

async function writeHold(
  transaction: Transaction,
  subject: string,
  { held, agreement }: Hold,
  ids: ReturnType<typeof newHoldIds>,
): Promise<void> {
  const { at, by, ...facts } = held;
  if (!lastOfKind(await readActs(transaction, subject), 'consent'))
    await writeAgreement(transaction, subject, agreement, ids.consent);
  await addAct(transaction, { id: ids.hold, subject, kind: 'held', at, by, facts });
  await transaction
    .updateTable('registrations')
    .set({ standing: 'open', heldUntil: heldEnd(held) })
    .where('id', '=', subject)
    .where('standing', '!=', 'taken')
    .execute();
}
