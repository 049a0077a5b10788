import * as v from 'valibot';
import type { Transaction } from '#server/database/engine.ts';
import type { LetterRow } from '#server/database/schema.ts';
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
    .selectAll()
    .where('subject', 'in', subjects)
    .where('state', 'in', ['sent', 'dismissed'])
    .orderBy('endedAt')
    .orderBy('id')
    .execute();
  const ended = new Map<string, EndedLetter[]>();
  for (const row of rows) ended.set(row.subject, [...(ended.get(row.subject) ?? []), ...endedIn(row)]);
  return ended;
}

function endedIn({ kind, version, state, endedAt: at, again, notice }: LetterRow): EndedLetter[] {
  if (at === null || (state !== 'sent' && state !== 'dismissed')) return [];
  // Of a copy that was dismissed the letter itself was sent before.
  if (again === 1 && state === 'dismissed') return [];
  return [{ kind, version, state, at, notice: v.parse(noticeColumn, notice) ?? undefined }];
}
