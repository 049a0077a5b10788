import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Reading,
  type Register,
  type RegistrationRecord,
  readRegistrations,
} from '#server/registration/registration.ts';
import type { Edition } from '#shared/content/edition.ts';

/** How many registrations are read together, in a few milliseconds: the same process serves pages or sends letters. */
const TOGETHER = 40;

/** Reads registrations some at a time. */
export async function* readTogether(
  { database }: Register,
  ids: readonly string[],
): AsyncGenerator<ReadonlyMap<string, Reading>> {
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids.slice(at, at + TOGETHER);
    yield await database.read((transaction) => readRegistrations(transaction, some));
    await nextTurn();
  }
}

/** Some registrations; without those that cannot be read. */
export async function findRegistrations(
  register: Register,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RegistrationRecord>> {
  const found = new Map<string, RegistrationRecord>();
  for await (const some of readTogether(register, ids))
    for (const [id, { record }] of some) if (record) found.set(id, record);
  return found;
}

/** The registrations of an edition, or the newest of them, the newest first; without those that cannot be read. */
export async function registrationsOf(
  register: Register,
  { facts }: Edition,
  limit?: number,
): Promise<RegistrationRecord[]> {
  const rows = await register.database.read((transaction) => {
    const all = transaction
      .selectFrom('registrations')
      .select('id')
      .where('edition', '=', facts.id)
      .orderBy('begunAt', 'desc')
      .orderBy('id');
    return (limit === undefined ? all : all.limit(limit)).execute();
  });
  const ids = rows.map(({ id }) => id);
  return [...(await findRegistrations(register, ids)).values()];
}
