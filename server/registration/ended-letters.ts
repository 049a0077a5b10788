import * as v from 'valibot';
import type { Database, LetterRow, Transaction } from '#server/database/database.ts';
import { moment } from './act-kinds.ts';

export const noticeSchema = v.object({
  /** When she is to be charged, and how much (US cents). */
  dueAt: moment,
  cents: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** The address that it went to, as its `addressDigest`. */
  to: v.string(),
  /** The installment that is charged. */
  number: v.number(),
});
export type Notice = v.InferOutput<typeof noticeSchema>;

const noticeColumn = v.nullable(v.pipe(v.string(), v.parseJson(), noticeSchema));

/** A letter that needs nothing more: it was sent, or a person dismissed it. */
export interface EndedLetter {
  id?: string;
  kind: string;
  version: string;
  state: 'sent' | 'dismissed';
  at: Date;
  /** The charge that it announced. */
  notice?: Notice | undefined;
}

/** The letters of some subjects that need nothing more, the oldest first; subjects without any are left out. */
export async function readEndedLetters(
  transaction: Transaction,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, readonly EndedLetter[]>> {
  const rows = await transaction
    .selectFrom('letters')
    .select(['id', 'subject', 'kind', 'version', 'state', 'endedAt', 'again', 'notice'])
    .where('subject', 'in', subjects)
    .where('state', 'in', ['sent', 'dismissed'])
    .orderBy('endedAt')
    .orderBy('id')
    .execute();
  const ended = new Map<string, EndedLetter[]>();
  for (const row of rows) ended.set(row.subject, [...(ended.get(row.subject) ?? []), ...endedIn(row)]);
  return ended;
}

type Ended = Omit<LetterRow, 'owedAt' | 'address' | 'askedBy' | 'triedAt' | 'said'>;

function endedIn({ id, kind, version, state, endedAt: at, again, notice }: Ended): EndedLetter[] {
  if (at === null || (state !== 'sent' && state !== 'dismissed')) return [];
  // Of a copy that was dismissed the letter itself was sent before.
  if (again === 1 && state === 'dismissed') return [];
  return [{ id, kind, version, state, at, notice: v.parse(noticeColumn, notice) ?? undefined }];
}

/** What a letter to her said; undefined where that is not kept. */
export async function readSaid(
  { database }: { database: Database },
  subject: string,
  id: string,
): Promise<string | undefined> {
  const row = await database.read((transaction) =>
    transaction
      .selectFrom('letters')
      .select('said')
      .where('id', '=', id)
      .where('subject', '=', subject)
      .executeTakeFirst(),
  );
  return row?.said ?? undefined;
}
