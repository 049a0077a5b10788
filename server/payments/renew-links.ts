import { noteChange } from '#server/database/changes.ts';
import type { Records } from './find-registration.ts';
import type { RegistrationRecord } from './registration-record.ts';

/**
 * Raises the number that links to the registration's page must name: older links stop working.
 * @returns the number for new links
 */
export async function renewLinks(
  { database }: Pick<Records, 'database'>,
  { id }: Pick<RegistrationRecord, 'id'>,
): Promise<number> {
  return database.write(async (transaction) => {
    const { linksEpoch } = await transaction
      .updateTable('registrations')
      .set(({ eb }) => ({ linksEpoch: eb('linksEpoch', '+', 1) }))
      .where('deposit', '=', id)
      .returning('linksEpoch')
      .executeTakeFirstOrThrow();
    await noteChange(transaction, id);
    return linksEpoch;
  });
}
