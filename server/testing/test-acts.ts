import { v7 as uuidV7 } from 'uuid';
import type { Database } from '#server/database/database.ts';
import { addAct } from '#server/record/acts.ts';

/** Records an act about a registration, as a process does that dies right after it; returns its id. */
export async function recordAct(
  database: Database,
  subject: string,
  kind: string,
  { at, by = 'Anna', undoes, ...facts }: { at: Date; by?: string; undoes?: string; [fact: string]: unknown },
): Promise<string> {
  const id = uuidV7();
  await database.write((transaction) =>
    addAct(transaction, { id, subject, kind, at, by, facts, ...(undoes && { undoes }) }),
  );
  return id;
}
