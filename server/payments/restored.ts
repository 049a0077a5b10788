import { v7 as uuidV7 } from 'uuid';
import * as v from 'valibot';
import type { Transaction } from '#server/database/engine.ts';
import { rowsWith } from '#server/database/read-rows.ts';
import { addAct, factsOfAct, THE_WORKER } from '#server/record/acts.ts';
import { ACTS, type Register } from '#server/record/on-record.ts';
import { nameOf } from '#server/record/registrations.ts';
import { MIRROR_KEYS } from './mirror.ts';

/**
 * A register that was restored from a copy, or is older than it was. Until somebody has confirmed it, nothing goes out:
 * no charge, no refund, no letter.
 */
export interface Restored {
  /** When the newest copy that it knows of was made; undefined where this site makes none, as of PostgreSQL. */
  copiedAt?: Date;
  /** Whether all that Stripe knows has been added. */
  isReconciled: boolean;
  /** What was added, by the deposits of the registrations. */
  added: readonly { deposit: string; name: string; what: Added['what']; isTakenBack: boolean }[];
}

/** Whether the register was restored and nobody has confirmed it yet. */
export async function isRestored({ database }: Register): Promise<boolean> {
  const { copyOf } = await database.read((transaction) =>
    transaction.selectFrom('register').select('copyOf').executeTakeFirstOrThrow(),
  );
  return copyOf !== null;
}

/** What is known of a register that was restored; undefined where it was not, or that is confirmed. */
export async function readRestored({ database }: Register): Promise<Restored | undefined> {
  return database.read(async (transaction) => {
    const { copyOf, copiedAt, reconciledAt } = await transaction
      .selectFrom('register')
      .select(['copyOf', 'copiedAt', 'reconciledAt'])
      .executeTakeFirstOrThrow();
    if (copyOf === null) return undefined;
    return {
      ...(copiedAt !== null && { copiedAt: new Date(copiedAt) }),
      isReconciled: reconciledAt !== null,
      added: await readAdded(transaction, new Date(copiedAt ?? 0)),
    };
  });
}

/** What a recovered act says was added: a registration unless it says otherwise. */
const recoveredSchema = v.object({
  what: v.optional(v.picklist(['registration', ...MIRROR_KEYS]), 'registration'),
  isTakenBack: v.optional(v.boolean(), false),
});
type Added = v.InferOutput<typeof recoveredSchema>;

async function readAdded(transaction: Transaction, since: Date): Promise<Restored['added']> {
  const acts = await transaction
    .selectFrom('acts')
    .selectAll()
    .where('kind', '=', ACTS.recovered)
    .where('byWhom', '=', THE_WORKER)
    // Ids are made by the machine's clock, as copies are; the clock of the site may be another one.
    .where('id', '>=', uuidV7({ msecs: since.getTime() }))
    .orderBy('id')
    .execute();
  const deposits = acts.map(({ subject }) => subject);
  const rows = await rowsWith(transaction, 'registrations', 'deposit', deposits);
  return acts.map((act) => {
    const row = rows.find(({ deposit }) => deposit === act.subject);
    const name = row ? nameOf(row) : '';
    return { deposit: act.subject, name, ...factsOfAct(act, recoveredSchema) };
  });
}

/** Records that somebody has read what was added, and has everything go out again. */
export async function confirmRestored({ database }: Register, by: string, at: Date): Promise<void> {
  const id = uuidV7();
  await database.write(async (transaction) => {
    const { name } = await transaction
      .updateTable('register')
      .set({ copyOf: null, reconciledAt: null })
      .returning('name')
      .executeTakeFirstOrThrow();
    await addAct(transaction, { id, subject: name, kind: ACTS.confirmed, at, by });
  });
}
