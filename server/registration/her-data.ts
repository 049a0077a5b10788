import { sql } from 'kysely';
import { v7 as uuidV7 } from 'uuid';
import {
  noteChange,
  type RegistrationRow,
  rowsWith,
  type Tables,
  type Transaction,
  tableNames,
  tables,
} from '#server/database/database.ts';
import type { Edition } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { type Done, HERSELF, WITHDRAWAL } from './act-kinds.ts';
import { addressesOf, lastInForce, lastOfKind, type Register, readActs, readReceived } from './acts.ts';
import {
  balanceOnceHandedOver,
  handOverStop,
  isHandedOverBy,
  pendingHandOver,
  termsOnceHandedOver,
} from './allowed.ts';
import type { CardOnFile } from './cards.ts';
import { settlePlaces } from './hold-place.ts';
import { sha256Of } from './links.ts';
import { readRegistration } from './read-registration.ts';
import { refused } from './refusals.ts';
import type { RegistrationRecord } from './registration-record.ts';
import {
  comparableName,
  findRow,
  NOBODY,
  NOTHING_OF_HERS,
  nameOf,
  personColumns,
  type Registrant,
  registrantIn,
} from './registrations.ts';
import { addAct, blankActs, type NamedAct } from './write-acts.ts';

type Table = keyof Tables;
type Row = Readonly<Record<string, unknown>>;

/** What is left out, and why. All else is in the export, also what a later release adds. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'registrations.secretDigest': 'made from the secret of the payment',
  'registrations.begunWith': 'a digest of the details, which are here',
  'registrations.namesBefore': 'of who had the place before her',
  'addresses.digest': 'a digest of the address, which is here',
};

/** Acts that name somebody else, who had the place before her or is to get it. */
const OF_ANOTHER: readonly unknown[] = ['handed-over', 'handOver'];

/** When what a row tells happened: before a place was handed over, that was another person's. */
const HAPPENED_AT: Readonly<Partial<Record<Table, string>>> = {
  acts: 'happenedAt',
  attempts: 'begunAt',
  letters: 'owedAt',
};

interface HerData {
  at: Date;
  tables: Readonly<Partial<Record<Table, readonly Row[]>>>;
  leftOut: Readonly<Record<string, string>>;
}

/** Each row that names her, of whichever table (GDPR, Article 15); nothing of who had her place before. */
export async function exportOf({ database }: Register, id: string, at: Date): Promise<HerData | undefined> {
  return database.read(async (transaction) => {
    const own = await findRow(transaction, id);
    if (!own) return undefined;
    const acts = await readActs(transaction, id);
    const addresses = addressesOf(own, acts);
    const since = lastOfKind(acts, 'handed-over')?.at ?? new Date(0);
    const payments = await rowsWith(transaction, 'payments', 'registration', [id]);
    const keys: Readonly<Record<string, readonly string[]>> = {
      registration: [id],
      subject: [id],
      payment: payments.map((payment) => payment.id),
      digest: addresses.map(sha256Of),
    };
    const isHers = (table: Table, row: Row): boolean => {
      if (OF_ANOTHER.includes(row.kind)) return false;
      // The place may be another person's than that of the waiting list by now.
      const isAddressed = table === 'letters' || table === 'waitingEntries';
      const to = isAddressed ? String(row.address ?? '').toLowerCase() : '';
      const at = row[HAPPENED_AT[table] ?? ''];
      const isEarlier = at instanceof Date && at < since;
      return !isEarlier && (to === '' || addresses.includes(to));
    };
    const found: Partial<Record<Table, readonly Row[]>> = {
      registrations: [shown('registrations', own, since)],
    };
    for (const table of tableNames) {
      const column = Object.keys(keys).find((one) => one in tables[table]) ?? 'id';
      const values =
        keys[column] ?? (table === 'waitingEntries' && own.waiting !== null ? [own.waiting] : []);
      if (values.length === 0) continue;
      const query = sql<Row>`select * from ${sql.table(table)} where ${sql.ref(column)} in (${sql.join(values)})`;
      const hers = (await query.execute(transaction)).rows.filter((row) => isHers(table, row));
      if (hers.length > 0) found[table] = hers.map((row) => shown(table, row, since));
    }
    return { at, tables: found, leftOut: LEFT_OUT };
  });
}

function shown(table: Table, row: Row, since: Date): Row {
  const kept = Object.entries(row).filter(([column]) => !(`${table}.${column}` in LEFT_OUT));
  const isOthersCard = table === 'payments' && row.paidAt instanceof Date && row.paidAt < since;
  return { ...Object.fromEntries(kept), ...(isOthersCard && { card: null, postalCode: null }) };
}

export interface Acceptance {
  decidedAt: Date;
  version: string;
  digest: string;
  cents: number;
  timeZone: string;
}

/**
 * Hands a place over to somebody who accepts it, in one transaction: names, address, zone, consent, card and links are hers
 * from then on. What the place still costs stays as it was agreed.
 * @param card that she has stored, and by which setup
 * @throws {AppError} when the place cannot be had any more, something she was shown has changed, or a card is missing
 */
export async function acceptPlace(
  { database }: Register,
  id: string,
  accepted: Acceptance,
  card: (CardOnFile & { setupIntent: string }) | undefined,
  now: Date,
): Promise<void> {
  const { decidedAt, timeZone, version, digest } = accepted;
  const [holder, consent] = [uuidV7(), uuidV7()];
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    const record = await readRegistration(transaction, id);
    if (!row || !record) throw refused('hand_over_gone');
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (isHandedOverBy(record, decidedAt)) return;
    const { pending, isCharged } = requireAsShown(record, accepted, now);
    if (isCharged && !card) throw refused('changed');
    if (await hasPlace(transaction, id, record.edition, pending)) throw refused('hand_over_has_place');
    const act = { subject: id, at: now, by: HERSELF };
    const registrant = registrantIn({ ...pending, timeZone });
    await writeHolder(transaction, row, { ...act, id: holder }, pending.at, registrant);
    await addAct(transaction, { ...act, id: consent, kind: 'consent', facts: { version, digest } });
    if (!card) return;
    // As of any card: when Stripe made it.
    const { since: at, setupIntent, ...facts } = card;
    await addAct(transaction, { ...act, id: setupIntent, kind: 'card', at, facts });
  });
}

function requireAsShown(record: RegistrationRecord, accepted: Acceptance, now: Date) {
  const pending = pendingHandOver(record, now);
  if (!pending?.agreedAt || pending.at.getTime() !== accepted.decidedAt.getTime())
    throw refused('hand_over_gone');
  if (handOverStop(record, now) === 'being-charged') throw refused('hand_over_waits');
  const terms = termsOnceHandedOver(record);
  const { cents, isCharged } = balanceOnceHandedOver(record, now);
  const isSameText = terms?.version === accepted.version && terms.digest === accepted.digest;
  if (!isSameText || cents !== accepted.cents) throw refused('changed');
  return { pending, isCharged };
}

export async function takerStop(
  { database }: Register,
  { id, registrant, edition }: RegistrationRecord,
  to: Contact,
): Promise<'same-address' | 'has-place' | undefined> {
  if (registrant.email.toLowerCase() === to.email.toLowerCase()) return 'same-address';
  const has = await database.read((transaction) => hasPlace(transaction, id, edition, to));
  return has ? 'has-place' : undefined;
}

/** One person has one place: the second one would count as paid twice. */
async function hasPlace(
  transaction: Transaction,
  id: string,
  { facts }: Edition,
  taker: Contact,
): Promise<boolean> {
  const there = await rowsWith(transaction, 'registrations', 'address', [taker.email.toLowerCase()]);
  return there.some(
    (row) =>
      row.id !== id &&
      row.edition === facts.id &&
      row.standing === 'taken' &&
      row.person === comparableName(taker),
  );
}

export async function writeHolder(
  transaction: Transaction,
  row: RegistrationRow,
  act: Pick<NamedAct, 'id' | 'subject' | 'at' | 'by'>,
  of: Date,
  registrant: Registrant,
): Promise<void> {
  const linksEpoch = row.linksEpoch + 1;
  // What is on record of others at her address may depend on it.
  await noteChange(transaction, row.id);
  const { timeZone: _, ...was } = registrantIn(row);
  const nameBefore = nameOf(was);
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, of: of.toISOString() };
  await transaction
    .updateTable('registrations')
    .set({
      ...NOTHING_OF_HERS,
      ...personColumns(registrant, namesBefore),
      linksEpoch,
      secretDigest: null,
      atStripe: null,
      atStripeUntil: null,
    })
    .where('id', '=', row.id)
    .execute();
  await addAct(transaction, { ...act, kind: 'handed-over', facts });
  await settlePlaces(transaction, [row.id]);
}

async function blankRegistration(transaction: Transaction, id: string): Promise<void> {
  await noteChange(transaction, id);
  await transaction
    .updateTable('registrations')
    .set({ ...NOTHING_OF_HERS, ...personColumns(NOBODY) })
    .where('id', '=', id)
    .execute();
  await transaction
    .updateTable('payments')
    .set({ postalCode: null })
    .where('registration', '=', id)
    .execute();
  await transaction.updateTable('letters').set({ said: null }).where('subject', '=', id).execute();
  await blankActs(transaction, id);
  await settlePlaces(transaction, [id]);
}

export async function forgetPerson({ database }: Register, id: string, done: Done): Promise<void> {
  const act = { ...done, id: uuidV7(), subject: id, kind: 'forgotten' as const };
  await database.write(async (transaction) => {
    await blankRegistration(transaction, id);
    const { numUpdatedRows: isNew } = await transaction
      .updateTable('registrations')
      .set(({ eb }) => ({ forgottenAt: done.at, linksEpoch: eb('linksEpoch', '+', 1) }))
      .where('id', '=', id)
      .where('forgottenAt', 'is', null)
      .executeTakeFirstOrThrow();
    if (isNew) await addAct(transaction, act);
  });
}

/** Unless something has come. @param ended by whom before its time @returns whether they are removed */
export async function blankUnpaid({ database }: Register, id: string, ended?: Done): Promise<boolean> {
  const act = ended && { ...ended, id: uuidV7(), subject: id };
  return database.write(async (transaction) => {
    if (await isPaidInPart(transaction, id)) return false;
    const held = lastInForce(await readActs(transaction, id), 'held');
    if (act && held) await addAct(transaction, { ...act, kind: WITHDRAWAL, undoes: held.id });
    await blankRegistration(transaction, id);
    return true;
  });
}

export async function isPaidInPart(transaction: Transaction, id: string): Promise<boolean> {
  const { counting } = readReceived(await readActs(transaction, id));
  return counting.length > 0 || (await findRow(transaction, id))?.paidAt instanceof Date;
}
