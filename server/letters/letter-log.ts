import { type Database, type LetterRow, noteChange, type Transaction } from '#server/database/database.ts';
import { isHeld } from '#server/registration/registration.ts';
import type { Mail, OwedLetter } from './letter-kind.ts';
import { isLetterName, type LetterName } from './table.ts';

export interface RecordedLetter extends OwedLetter {
  kind: LetterName;
  state: LetterRow['state'];
  owedAt: Date;
  /** When the mail server accepted it, or it was dismissed or dropped. */
  endedAt?: Date | undefined;
  /** A person asked for it although it was sent before. */
  again: boolean;
  askedBy?: string | undefined;
}

interface AskedAgain {
  name: string;
  askedBy?: string | undefined;
}

/** A letter is recorded before its job is queued, and sent with the facts of the moment when it is sent. */
export type LetterLog = ReturnType<typeof createLetterLog>;

const DAY_MS = 24 * 60 * 60 * 1000;

export const copyId = ({ id }: Pick<OwedLetter, 'id'>, name: string): string => `${id}-again-${name}`;

export function createLetterLog(database: Database) {
  const select = async (column: 'id' | 'subject', values: readonly string[]): Promise<LetterRow[]> => {
    if (values.length === 0) return [];
    return database.read((transaction) => {
      const letters = transaction.selectFrom('letters').selectAll().where(column, 'in', values);
      return letters.orderBy('owedAt').orderBy('id').execute();
    });
  };
  const end = async (id: string, state: 'dismissed' | 'dropped', at: Date): Promise<void> => {
    await database.write(async (transaction) => {
      const ended = await transaction
        .updateTable('letters')
        .set({ state, endedAt: at })
        .where('id', '=', id)
        .where('state', '=', 'owed')
        .returning('subject')
        .execute();
      if (state === 'dismissed') await noteChange(transaction, ...ended.map(({ subject }) => subject));
    });
  };
  return {
    /** One that is recorded already stays as it is, unless it was dropped. */
    async owe(letters: readonly OwedLetter[], at: Date): Promise<void> {
      if (letters.length === 0) return;
      await database.write(async (transaction) => void (await oweTogether(transaction, letters, at)));
    },
    async oweAgain(letter: OwedLetter, { name, askedBy }: AskedAgain, at: Date) {
      const copy = { ...letter, id: copyId(letter, name), again: 1 as const, askedBy: askedBy ?? null };
      await database.write(async (transaction) => void (await oweTogether(transaction, [copy], at)));
      return copy.id;
    },
    /** Those that are not recorded, or of an unknown kind, are left out. */
    async find(ids: readonly string[]): Promise<ReadonlyMap<string, RecordedLetter>> {
      return new Map((await select('id', ids)).flatMap(readLetter).map((one) => [one.id, one]));
    },
    readForSending: (id: string) =>
      database.read(async (transaction) => {
        const letters = transaction.selectFrom('letters').selectAll().where('id', '=', id);
        const row = await letters.executeTakeFirst();
        const { caughtUpAt } = await transaction
          .selectFrom('register')
          .select('caughtUpAt')
          .executeTakeFirstOrThrow();
        return {
          isHeld: await isHeld(transaction),
          /** Also where this release does not know its kind. */
          isKnown: row !== undefined,
          recorded: row && readLetter(row).at(0),
          /** Whether the register knows all payments that were made before it fell due. */
          isCaughtUp: row !== undefined && caughtUpAt !== null && caughtUpAt >= row.owedAt,
        };
      }),
    about: async (subject: string) => (await select('subject', [subject])).flatMap(readLetter),
    /** Those that ended last, the newest first. */
    newest: (limit: number): Promise<RecordedLetter[]> =>
      database.read(async (transaction) => {
        const ended = transaction.selectFrom('letters').selectAll().where('endedAt', 'is not', null);
        const rows = await ended.orderBy('endedAt', 'desc').orderBy('id', 'desc').limit(limit).execute();
        return rows.flatMap(readLetter);
      }),
    owedSince: (at: Date): Promise<readonly string[]> =>
      database.read(async (transaction) => {
        const rows = await transaction
          .selectFrom('letters')
          .select('id')
          .where('state', '=', 'owed')
          .where('owedAt', '<=', at)
          .execute();
        return rows.map(({ id }) => id);
      }),
    /** Whether it may go out. Where this cannot be recorded, nor could it be that the letter was sent. */
    noteTry: (id: string, at: Date): Promise<boolean> =>
      database.write(async (transaction) => {
        if (await isHeld(transaction)) return false;
        await transaction.updateTable('letters').set({ triedAt: at }).where('id', '=', id).execute();
        return true;
      }),
    /** With the charge that it announced, except for a copy, which comes too late to announce one. */
    async markSent(
      { id: own, subject, notice }: Pick<Mail, 'id' | 'subject' | 'notice'>,
      at: Date,
      id = own,
      said: string | null = null,
    ): Promise<void> {
      const told = id === own && notice ? JSON.stringify(notice) : null;
      await database.write(async (transaction) => {
        await transaction
          .updateTable('letters')
          .set(({ case: when }) => ({
            state: 'sent',
            endedAt: at,
            notice: told,
            // She may be forgotten since.
            said: when().when('address', '=', '').then(null).else(said).end(),
          }))
          .where('id', '=', id)
          .where('state', '!=', 'sent')
          .execute();
        await noteChange(transaction, subject);
      });
    },
    /** A person decided that it is not sent; without effect if it was. */
    dismiss: (id: string, at: Date) => end(id, 'dismissed', at),
    /** It was not due any more. Should it be due once more, it is owed again. */
    drop: (id: string, at: Date) => end(id, 'dropped', at),
    /** Those of the day before a moment that are about nobody who has paid. */
    sentUnpaid: (before: Date): Promise<readonly string[]> =>
      database.read(async (transaction) => {
        const rows = await transaction
          .selectFrom('letters')
          .leftJoin('registrations', 'registrations.id', 'letters.subject')
          .select('letters.id')
          .where('letters.state', '=', 'sent')
          .where('letters.endedAt', '>', new Date(before.getTime() - DAY_MS))
          .where('letters.endedAt', '<=', before)
          .where('registrations.paidAt', 'is', null)
          .execute();
        return rows.map(({ id }) => id);
      }),
    /** Removes the addresses of the letters that ended before a moment, as the privacy text promises. */
    async forgetAddresses(before: Date): Promise<void> {
      await database.write((transaction) =>
        transaction
          .updateTable('letters')
          .set({ address: '' })
          .where('endedAt', '<', before)
          .where('address', '!=', '')
          .execute(),
      );
    },
    /** Dismisses what is owed to somebody, and removes her personal data. */
    async forget(subject: string, at: Date): Promise<void> {
      await database.write(async (transaction) => {
        const hers = transaction.updateTable('letters').where('subject', '=', subject);
        await hers.set({ address: '' }).execute();
        await hers.set({ state: 'dismissed', endedAt: at }).where('state', '=', 'owed').execute();
        await noteChange(transaction, subject);
      });
    },
  };
}

/** How many rows one statement inserts: SQLite takes 32,766 values at most. */
const INSERTED_AT_ONCE = 200;

/** In the caller's transaction. Returns the ids of those that were not on record, or were dropped. */
export async function oweTogether(
  transaction: Transaction,
  letters: readonly (OwedLetter & Partial<Pick<LetterRow, 'again' | 'askedBy'>>)[],
  at: Date,
): Promise<readonly string[]> {
  const ended = { endedAt: null, notice: null, triedAt: null, said: null };
  const rows = letters.map(
    ({ id, subject, kind, version, address, again = 0, askedBy = null }): LetterRow => ({
      ...{ id, subject, kind, version, address, again, askedBy, state: 'owed', owedAt: at },
      ...ended,
    }),
  );
  const different = [...new Map(rows.map((row) => [row.id, row])).values()];
  const owed: string[] = [];
  for (let from = 0; from < different.length; from += INSERTED_AT_ONCE) {
    const inserted = await transaction
      .insertInto('letters')
      .values(different.slice(from, from + INSERTED_AT_ONCE))
      .onConflict((conflict) =>
        conflict
          .column('id')
          .doUpdateSet(({ ref }) => ({
            state: ref('excluded.state'),
            address: ref('excluded.address'),
            owedAt: ref('excluded.owedAt'),
            askedBy: ref('excluded.askedBy'),
            triedAt: null,
            endedAt: null,
          }))
          .where('letters.state', '=', 'dropped'),
      )
      .returning('id')
      .execute();
    owed.push(...inserted.map(({ id }) => id));
  }
  return owed;
}

/** Empty for a kind that this release does not know. */
function readLetter({ notice: _, triedAt: __, said: ___, ...row }: LetterRow): RecordedLetter[] {
  const { kind, askedBy, endedAt, again } = row;
  if (!isLetterName(kind)) return [];
  const ended = { endedAt: endedAt ?? undefined, askedBy: askedBy ?? undefined };
  return [{ ...row, ...ended, kind, again: again === 1 }];
}
