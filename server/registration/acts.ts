import * as v from 'valibot';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { ActRow } from '#server/database/schema.ts';
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

export function hasKind(acts: readonly ActRow[], kind: string): boolean {
  return acts.some((act) => act.kind === kind);
}

export function lastAct(acts: readonly ActRow[], kind: string): ActRow | undefined {
  return acts.findLast((act) => act.kind === kind);
}

const factsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/**
 * What an act tells, with its moment and who did it.
 * @throws {AppError} when it is not what this site writes
 */
export function parseAct<Schema extends v.GenericSchema>(act: ActRow, schema: Schema): v.InferOutput<Schema> {
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
  return new AppError({ code: UNREADABLE, status: 500, message: messages.unexpected, cause });
}

const UNREADABLE = 'unreadable_payment';

export function isUnreadable(error: unknown): boolean {
  return error instanceof AppError && error.code === UNREADABLE;
}
