import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '#server/database/database.ts';
import type { Edition } from '#shared/content/edition.ts';
import { readRegistrations } from './read-registration.ts';
import { TOGETHER } from './registration-index.ts';
import type { RegistrationRecord } from './registration-record.ts';

export type RegistrationList = ReturnType<typeof createRegistrationList>;

/** What is on record of registrations, without asking Stripe: what it said of their payments last. */
export function createRegistrationList(database: Database) {
  /** Some registrations; without those that cannot be read, or are of another edition. */
  const findSome = async (
    ids: readonly string[],
    of?: Edition,
  ): Promise<ReadonlyMap<string, RegistrationRecord>> => {
    const found = new Map<string, RegistrationRecord>();
    for (let at = 0; at < ids.length; at += TOGETHER) {
      const some = ids.slice(at, at + TOGETHER);
      for (const [id, { record }] of await database.read((transaction) =>
        readRegistrations(transaction, some),
      )) {
        if (record && (!of || record.edition.facts.id === of.facts.id)) found.set(id, record);
      }
      await nextTurn();
    }
    return found;
  };
  return {
    findSome,
    /** The registrations of an edition, the newest first; without those that cannot be read. */
    async list({ facts }: Edition): Promise<RegistrationRecord[]> {
      const rows = await database.read((transaction) =>
        transaction.selectFrom('registrations').select('id').where('edition', '=', facts.id).execute(),
      );
      const found = await findSome(rows.map(({ id }) => id));
      return [...found.values()].toSorted(newestFirst);
    },
    /** One registration; undefined where it cannot be read. */
    find: async (id: string) => (await findSome([id])).get(id),
  };
}

function newestFirst(one: RegistrationRecord, other: RegistrationRecord): number {
  return other.begunAt.getTime() - one.begunAt.getTime() || (one.id < other.id ? -1 : 1);
}
