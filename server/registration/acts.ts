import * as v from 'valibot';
import {
  type ActRow,
  type Database,
  type EntryRow,
  type RegistrationRow,
  rowsWith,
  type Transaction,
} from '#server/database/database.ts';
import { AppError } from '#server/web/app-error.ts';
import type { AgreedTerms, Edition } from '#shared/content/edition.ts';
import type { Question } from '#shared/content/questions.ts';
import { type Contact, contactIn, messages } from '#shared/registration.ts';
import { type ActKind, actSchemas, type CorrectedDetail, type Done, moment } from './act-kinds.ts';
import { nameOf } from './registrations.ts';

export interface Register {
  database: Database;
}

export type ActFacts<Kind extends ActKind> = v.InferOutput<(typeof actSchemas)[Kind]>;
export type Agreement = ActFacts<'consent'>;

export const utcDay = (at: Date): string => at.toISOString().slice(0, 'yyyy-mm-dd'.length);

export async function readActs(
  transaction: Transaction,
  ...subjects: readonly string[]
): Promise<readonly ActRow[]> {
  return rowsWith(transaction, 'acts', 'subject', subjects, 'number');
}

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

export function lastInForce(acts: readonly ActRow[], kind: string): ActRow | undefined {
  const last = acts.findLast((one) => one.kind === kind);
  return acts.some(({ undoes }) => last && undoes === last.id) ? undefined : last;
}

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

function allOfKind<Kind extends ActKind>(acts: readonly ActRow[], kind: Kind): ActFacts<Kind>[] {
  return acts.filter((act) => act.kind === kind).map((act) => factsOfAct(act, kind));
}

export function lastOfKind<Kind extends ActKind>(
  acts: readonly ActRow[],
  kind: Kind,
): ActFacts<Kind> | undefined {
  const act = lastAct(acts, kind);
  return act && factsOfAct(act, kind);
}

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

type Text = Pick<Agreement, 'version' | 'digest'>;

export function isOfText(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}

export function termsOfText({ agreed }: Pick<Edition, 'agreed'>, text: Text): AgreedTerms | undefined {
  return agreed.find((terms) => isOfText(terms, text));
}

export function agreedTermsOf(
  edition: Pick<Edition, 'agreed'>,
  acts: readonly ActRow[],
): AgreedTerms | undefined {
  const agreement = lastOfKind(acts, 'consent');
  return agreement && termsOfText(edition, agreement);
}

export const NOTE_LENGTH = 1_000;

/** What the office noted: never shown to her, and in none of her letters, but in the export of her data. */
export interface Note extends ActFacts<'note'> {
  id: string;
  number: number;
  isTakenBack: boolean;
}

export function notesOf({ acts }: { acts: readonly ActRow[] }): readonly Note[] {
  const all = acts.filter(({ kind }) => kind === 'note');
  return all.map((act, index) => {
    const isTakenBack = acts.some(({ undoes }) => undoes === act.id);
    return { id: act.id, number: index + 1, ...factsOfAct(act, 'note'), isTakenBack };
  });
}

interface Noted {
  notes: readonly Note[];
  registrant: { email: string };
}

/** Whether her personal data were removed: she was forgotten, or had not paid when her registration ended. */
export function isBlank({ registrant }: Pick<Noted, 'registrant'>): boolean {
  return registrant.email === '';
}

export function heldNotes(noted: Noted): readonly Note[] {
  return isBlank(noted) ? [] : noted.notes.filter(({ isTakenBack }) => !isTakenBack);
}

export const NUMBER_LENGTH = 20;

export interface Received extends ActFacts<'received'> {
  id: string;
  /** Counts her payments of this kind, also those that were taken back: `payment-1`. */
  name: string;
}

export const TAKEN_BACK = { bounced: 'It bounced', mistake: 'It was a mistake' } as const;

interface TakenBack extends ActFacts<'withdrawal'> {
  payment: Received;
}

export interface ReceivedOnRecord {
  counting: readonly Received[];
  takenBack: readonly TakenBack[];
}

export function readReceived(acts: readonly ActRow[], entries: readonly EntryRow[] = []): ReceivedOnRecord {
  const all = acts
    .filter(({ kind }) => kind === 'received')
    .map((act, index) => ({
      ...factsOfAct(act, 'received'),
      cents: entries.find(({ id }) => id === act.id)?.cents ?? 0,
      id: act.id,
      name: `payment-${index + 1}`,
    }));
  const takenBack = all.flatMap((payment) => {
    const undone = acts.find(({ undoes }) => undoes === payment.id);
    return undone ? { ...factsOfAct(undone, 'withdrawal'), payment } : [];
  });
  const counting = all.filter(({ id }) => !takenBack.some(({ payment }) => payment.id === id));
  return { counting, takenBack };
}

export interface NewAct extends Done {
  kind: ActKind;
  facts?: object;
  undoes?: string | undefined;
}

const answer = v.object({
  question: v.string(),
  /** The question as she read it: an edition may ask it no more. */
  asked: v.string(),
  answer: v.string(),
  at: moment,
});
export type Answer = v.InferOutput<typeof answer>;

const answersSchema = v.pipe(v.string(), v.parseJson(), v.array(answer));

export function parseAnswers(column: string): Answer[] | undefined {
  const read = v.safeParse(answersSchema, column);
  return read.success ? read.output : undefined;
}

/** @throws {AppError} when it is not what this site writes */
export function readAnswers({ id, answers }: Pick<RegistrationRow, 'id' | 'answers'>): Answer[] {
  const read = parseAnswers(answers);
  if (!read) throw unreadablePayment(`The answers of the registration ${id} cannot be read`);
  return read;
}

export function answersColumn(answers: readonly Answer[]): string {
  return JSON.stringify(answers);
}

interface Answered {
  edition: Edition;
  answers: readonly Answer[];
}

export function missingAnswers({ edition, answers }: Answered): readonly Question[] {
  const items = edition.questions?.items ?? [];
  return items.filter(({ id, required }) => required && !answers.some(({ question }) => question === id));
}

const QUIET_MS = 2 * 24 * 60 * 60 * 1000;

export function questionsRemindAt({
  edition: { questions },
  begunAt,
  paidAt = begunAt,
}: Pick<Answered, 'edition'> & { begunAt: Date; paidAt?: Date | undefined }): Date | undefined {
  return questions && new Date(Math.max(Date.parse(questions.remindAt), paidAt.getTime() + QUIET_MS));
}
