import * as v from 'valibot';
import {
  type ActRow,
  type Database,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { AppError } from '#server/http/app-error.ts';
import { type Contact, contactIn, messages } from '#shared/registration.ts';
import { type ActKind, actSchemas, type CorrectedDetail } from './act-kinds.ts';
import { nameOf } from './registrations.ts';

export interface Register {
  database: Database;
}

export type ActFacts<Kind extends ActKind> = v.InferOutput<(typeof actSchemas)[Kind]>;
export type Agreement = ActFacts<'consent'>;

/** The day of a moment in UTC, as `yyyy-mm-dd`. */
export const utcDay = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length);

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

/** The column `facts`, whatever the kind of its act. */
export const factsSchema = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

/** @throws {AppError} when it is not what this site writes */
export function factsOfAct<Kind extends ActKind>(act: ActRow, kind: Kind): ActFacts<Kind> {
  const { id, happenedAt, byWhom: by } = act;
  const facts = v.safeParse(factsSchema, act.facts);
  const at = happenedAt.toISOString();
  const read = v.safeParse(actSchemas[kind], { ...(facts.success && facts.output), at, by });
  if (!read.success) throw unreadablePayment(`The act ${id} (${kind}) cannot be read`);
  return read.output;
}

export function allOfKind<Kind extends ActKind>(acts: readonly ActRow[], kind: Kind): ActFacts<Kind>[] {
  return acts.filter((act) => act.kind === kind).map((act) => factsOfAct(act, kind));
}

export function lastOfKind<Kind extends ActKind>(
  acts: readonly ActRow[],
  kind: Kind,
): ActFacts<Kind> | undefined {
  const act = lastAct(acts, kind);
  return act && factsOfAct(act, kind);
}

/** The acts since the place is hers who has it now: an earlier consent, card or correction is not hers. */
export function actsOfHolder(acts: readonly ActRow[]): readonly ActRow[] {
  return acts.slice(acts.findLastIndex(({ kind }) => kind === 'handed-over') + 1);
}

/** Her e-mail address, and the one that it was corrected from, in lower case. */
export function addressesOf({ address }: RegistrationRow, acts: readonly ActRow[]): string[] {
  const { email } = correctionsOf(actsOfHolder(acts));
  return email ? [address, email.was.toLowerCase()] : [address];
}

export function detailOf(contact: Contact, detail: CorrectedDetail): string {
  return detail === 'name' ? nameOf(contact) : contactIn(contact)[detail];
}

/** What each detail was before it was last corrected, when that was, and by whom. */
export type Corrections = Partial<Record<CorrectedDetail, Omit<ActFacts<'corrected'>, 'detail'>>>;

export function correctionsOf(acts: readonly ActRow[]): Corrections {
  return Object.fromEntries(allOfKind(acts, 'corrected').map(({ detail, ...rest }) => [detail, rest]));
}

export function paidAsOf(
  acts: readonly ActRow[],
  contact: RegistrationRow,
  paidAt: Date,
): { name: string; email: string } {
  const since = allOfKind(acts, 'corrected').filter(({ at }) => at >= paidAt);
  const was = (one: CorrectedDetail) => since.find(({ detail }) => detail === one)?.was;
  return { name: was('name') ?? nameOf(contact), email: was('email') ?? contact.email };
}

const UNREADABLE = 'unreadable_payment';

/** A 500 for a payment that cannot be read, so that Stripe sends its event again. */
export function unreadablePayment(what: string): AppError {
  const cause = new Error(what);
  return new AppError({ code: UNREADABLE, status: 500, message: messages.unexpected, cause });
}

export function isUnreadable(error: unknown): boolean {
  return error instanceof AppError && error.code === UNREADABLE;
}
