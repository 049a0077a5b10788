import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import {
  type ActRow,
  type Database,
  noteAct,
  noteChange,
  type Transaction,
} from '#server/database/database.ts';
import { CONTACT_FIELDS } from '#shared/registration.ts';
import { HERSELF } from './act-kinds.ts';
import { type Agreement, factsSchema, isOfText, lastOfKind, type NewAct, readActs } from './acts.ts';
import { refused } from './refusals.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { changeByAct } from './write-ledger.ts';

export interface NamedAct extends NewAct {
  /** Made before the transaction: if it runs again, the act is found by it. */
  id: string;
  subject: string;
}

/** The ledger has them: an act says who, when and why. */
const SUMS: readonly string[] = ['cents', 'parts'];

/** Records an act, after all others about its subject, with what it changes of money; one that is on record stays as it is. */
export async function addAct(
  transaction: Transaction,
  { id, subject, kind, at, by: byWhom, facts = {}, undoes }: NamedAct,
): Promise<void> {
  const { last } = await transaction
    .selectFrom('acts')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  const row: ActRow = {
    id,
    subject,
    number: (last ?? 0) + 1,
    kind,
    happenedAt: at,
    byWhom,
    facts: JSON.stringify(facts, (name, fact) => (SUMS.includes(name) ? undefined : fact)),
    undoes: undoes ?? null,
  };
  const { numInsertedOrUpdatedRows: isNew } = await transaction
    .insertInto('acts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirstOrThrow();
  if (isNew) await changeByAct(transaction, { ...row, facts: JSON.stringify(facts) });
  if (undoes) await blankNote(transaction, undoes);
  noteAct(id);
  await noteChange(transaction, subject);
}

/** One act in one transaction, once. @param actAfter undefined where there is nothing to record */
export async function writeAct(
  database: Database,
  subject: string,
  actAfter: (acts: readonly ActRow[], transaction: Transaction) => MaybeAct | Promise<MaybeAct>,
  alsoWrite?: (transaction: Transaction) => Promise<void>,
): Promise<boolean> {
  const id = uuidV7();
  return database.write(async (transaction) => {
    const acts = await readActs(transaction, subject);
    if (acts.some((act) => act.id === id)) {
      noteAct(id);
      return true;
    }
    const act = await actAfter(acts, transaction);
    if (!act) return false;
    await addAct(transaction, { id, subject, ...act });
    await alsoWrite?.(transaction);
    return true;
  });
}
type MaybeAct = NewAct | undefined;

/** @throws {AppError} `decided_meanwhile`, when the registration has changed since it was read */
export async function writeActs(
  database: Database,
  { id: subject, version }: Pick<RegistrationRecord, 'id' | 'version'>,
  acts: readonly NewAct[],
  alsoWrite?: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const named = acts.map((act): NamedAct => ({ ...act, id: uuidV7(), subject }));
  await database.write(async (transaction) => {
    const row = await transaction
      .selectFrom('registrations')
      .select('version')
      .where('id', '=', subject)
      .executeTakeFirst();
    if (row?.version !== version) {
      // The answer to the COMMIT may have been lost.
      if (!(await readActs(transaction, subject)).some(({ id }) => id === named[0]?.id))
        throw refused('decided_meanwhile');
      for (const { id } of named) noteAct(id);
      return;
    }
    for (const act of named) await addAct(transaction, act);
    await alsoWrite?.(transaction);
  });
}

/** Free text of the office, details before their correction, and those of the people between whom a place is handed over. */
const PERSONAL_FACTS = ['reason', 'text', 'was', ...CONTACT_FIELDS];

export async function blankActs(transaction: Transaction, subject: string): Promise<void> {
  for (const act of await readActs(transaction, subject)) await blankAct(transaction, act);
}

/** A note that was a mistake keeps no text. */
async function blankNote(transaction: Transaction, id: string): Promise<void> {
  const notes = transaction.selectFrom('acts').select(['id', 'facts']).where('kind', '=', 'note');
  const note = await notes.where('id', '=', id).executeTakeFirst();
  if (note) await blankAct(transaction, note);
}

async function blankAct(
  transaction: Transaction,
  { id, facts }: Pick<ActRow, 'id' | 'facts'>,
): Promise<void> {
  const held = v.parse(factsSchema, facts);
  if (!PERSONAL_FACTS.some((name) => name in held)) return;
  const text = JSON.stringify(held, (name, fact) => (PERSONAL_FACTS.includes(name) ? 'forgotten' : fact));
  await transaction.updateTable('acts').set({ facts: text }).where('id', '=', id).execute();
}

/** Unless she agreed to the same before. @param id made before the transaction, which may run again */
export async function writeAgreement(
  transaction: Transaction,
  subject: string,
  { version, digest, agreedAt: at, spoken }: Agreement,
  id: string,
): Promise<void> {
  const before = lastOfKind(await readActs(transaction, subject), 'consent');
  if (before && isOfText(before, { version, digest })) return;
  const { by = HERSELF, ...said } = spoken ?? {};
  await addAct(transaction, { id, subject, at, by, kind: 'consent', facts: { version, digest, ...said } });
}
