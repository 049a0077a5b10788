import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import { noteChange } from '#server/database/changes.ts';
import { type Database, noteAct } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow, Tables } from '#server/database/schema.ts';
import { AppError } from '#server/http/app-error.ts';
import { CONTACT_FIELDS, messages } from '#shared/registration.ts';

/** A moment as stored in JSON. */
export const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
);
/** The day of a moment in UTC, as `yyyy-mm-dd`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length);
/** US cents. */
export const cents = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The `by` of an act on her page; for an act of the office it is a name. */
export const HERSELF = 'the registrant';
export const THE_WORKER = 'the worker';
export const HER_BANK = 'her bank';
export const SOMEBODY_WITH_LINK = 'somebody with her link';
/** Those who are no users of the office: nothing that one of these does is recorded for them. */
export const NO_USERS: readonly string[] = [HERSELF, THE_WORKER, HER_BANK, SOMEBODY_WITH_LINK];

export const done = { at: moment, by: v.pipe(v.string(), v.nonEmpty()) };
export interface Done {
  at: Date;
  by: string;
}

export const HOW_AGREED = { phone: 'on the phone', writing: 'in writing' } as const;

/** Her consent as the office recorded it: how she gave it, and on which day. */
export const spoken = { how: v.picklist(['phone', 'writing']), on: moment };

export interface NewAct extends Done {
  kind: string;
  facts?: object;
  /** The id of the act that it takes back. */
  undoes?: string | undefined;
}

/** The same with its id, and what it is about. */
interface NamedAct extends NewAct {
  /** Made before the transaction: if it runs again, the act is found by it. */
  id: string;
  /** A registration, or an edition. */
  subject: string;
}

export async function readActs(
  transaction: Transaction,
  ...subjects: readonly string[]
): Promise<readonly ActRow[]> {
  return rowsWith(transaction, 'acts', 'subject', subjects, 'number');
}

/** The acts of some kinds about an edition, in their order: there may be many others, with long texts. */
export async function readActsOfKinds(
  transaction: Transaction,
  edition: string,
  kinds: readonly string[],
): Promise<readonly ActRow[]> {
  return transaction
    .selectFrom('acts')
    .selectAll()
    .where('subject', '=', edition)
    .where('kind', 'in', kinds)
    .orderBy('number')
    .execute();
}

/** Records an act, after all others about its subject; one that is on record stays as it is. */
export async function addAct(
  transaction: Transaction,
  { id, subject, kind, at, by: byWhom, facts = {}, undoes }: NamedAct,
): Promise<void> {
  const { last } = await transaction
    .selectFrom('acts')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('subject', '=', subject)
    .executeTakeFirstOrThrow();
  const row: Tables['acts'] = {
    id,
    subject,
    number: (last ?? 0) + 1,
    kind,
    happenedAt: at,
    byWhom,
    facts: JSON.stringify(facts),
    undoes: undoes ?? null,
  };
  await transaction
    .insertInto('acts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  noteAct(id);
  await noteChange(transaction, subject);
}

/**
 * Records an act about a subject, with what else follows from it, in one transaction: once, also where the answer to the
 * COMMIT is lost.
 * @param actAfter the act, after those that are on record; undefined where there is nothing to record
 * @param alsoWrite what else is written with it
 * @returns whether it is on record
 */
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

export function hasKind(acts: readonly ActRow[], kind: string): boolean {
  return acts.some((act) => act.kind === kind);
}

/** What the last act of a kind tells, see `factsOfAct`; undefined where there is none. */
export function lastOfKind<Schema extends v.GenericSchema>(
  acts: readonly ActRow[],
  kind: string,
  schema: Schema,
): v.InferOutput<Schema> | undefined {
  const act = acts.findLast((one) => one.kind === kind);
  return act && factsOfAct(act, schema);
}

const factsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/**
 * What an act tells, with its moment and who did it.
 * @throws {AppError} when it is not what this site writes
 */
export function factsOfAct<Schema extends v.GenericSchema>(
  act: ActRow,
  schema: Schema,
): v.InferOutput<Schema> {
  const { id, kind, happenedAt, byWhom: by } = act;
  const facts = v.safeParse(factsSchema, act.facts);
  const read = v.safeParse(schema, { ...(facts.success && facts.output), at: happenedAt.toISOString(), by });
  if (!read.success) throw unreadablePayment(`The act ${id} (${kind}) cannot be read`);
  return read.output;
}

/**
 * What acts tell that may be personal: the office's reasons and the texts of its notes, which are free text, details
 * before their correction, and those of the people between whom a place is handed over.
 */
const PERSONAL_FACTS = ['reason', 'text', 'was', ...CONTACT_FIELDS];

/** Removes personal data from the acts about a subject. */
export async function blankActs(transaction: Transaction, subject: string): Promise<void> {
  for (const act of await readActs(transaction, subject)) await blankAct(transaction, act);
}

/** Removes personal data from an act. */
export async function blankAct(
  transaction: Transaction,
  { id, facts }: Pick<ActRow, 'id' | 'facts'>,
): Promise<void> {
  const held = v.parse(factsSchema, facts);
  if (!PERSONAL_FACTS.some((name) => name in held)) return;
  const text = JSON.stringify(held, (name, fact) => (PERSONAL_FACTS.includes(name) ? 'forgotten' : fact));
  await transaction.updateTable('acts').set({ facts: text }).where('id', '=', id).execute();
}

/** A 500 for a payment that cannot be read, so that Stripe sends its event again. */
export function unreadablePayment(what: string): AppError {
  const cause = new Error(what);
  return new AppError({ code: 'unreadable_payment', status: 500, message: messages.unexpected, cause });
}
