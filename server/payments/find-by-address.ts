import { findRegistration, type Records } from './find-registration.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** How many registrations of an address are looked up: hardly any address has more than one that is paid. */
const MOST_LOOKED_UP = 20;

/** The paid registrations of all editions with an e-mail address, ignoring case; those known to be paid come first. */
export async function findByAddress(records: Records, email: string): Promise<RegistrationRecord[]> {
  const rows = await records.database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select(['deposit', 'standing'])
      .where('address', '=', email.toLowerCase())
      .where('deposit', 'is not', null)
      .orderBy('begunAt', 'desc')
      .execute(),
  );
  const paidFirst = rows.toSorted(
    (one, other) => Number(other.standing === 'taken') - Number(one.standing === 'taken'),
  );
  const found: RegistrationRecord[] = [];
  for (const { deposit } of paidFirst.slice(0, MOST_LOOKED_UP)) {
    const record = deposit === null ? undefined : await findRegistration(records, deposit);
    if (record?.deposit === 'paid') found.push(record);
  }
  return found;
}
