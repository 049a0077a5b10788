import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Register } from '#server/registration/on-record.ts';
import { readRegistrations } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import type { Edition } from '#shared/content/edition.ts';
import { TOGETHER } from './registration-index.ts';

/** Some registrations; without those that cannot be read. */
export async function findRegistrations(
  { database }: Register,
  ids: readonly string[],
): Promise<ReadonlyMap<string, RegistrationRecord>> {
  const found = new Map<string, RegistrationRecord>();
  for (let at = 0; at < ids.length; at += TOGETHER) {
    const some = ids.slice(at, at + TOGETHER);
    const read = await database.read((transaction) => readRegistrations(transaction, some));
    for (const [id, { record }] of read) if (record) found.set(id, record);
    await nextTurn();
  }
  return found;
}

/** The registrations of an edition, the newest first; without those that cannot be read. */
export async function registrationsOf(register: Register, { facts }: Edition): Promise<RegistrationRecord[]> {
  const rows = await register.database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select('id')
      .where('edition', '=', facts.id)
      .orderBy('begunAt', 'desc')
      .orderBy('id')
      .execute(),
  );
  const found = await findRegistrations(
    register,
    rows.map(({ id }) => id),
  );
  return rows.flatMap(({ id }) => found.get(id) ?? []);
}
