import { comparableName, type Deposit } from '#server/record/registrations.ts';
import type { Records } from './find-registration.ts';
import { registeredBefore } from './provider-errors.ts';

/** Who registers for what, from which browser, and whether she said that this is somebody else. */
type Registering = Pick<Deposit, 'contact' | 'somebodyElse' | 'facts' | 'openPage'>;

/**
 * Whether the address has a place in this edition, as far as the register knows. Who registers is told so only in mail to
 * the address, unless her browser shows that the mailbox is hers: it has the page of a place at this address open.
 * @param own the registration that asks, if it is on record
 * @throws {AppError} when such a browser registers the name of a place there, and nobody said that this is somebody else
 */
export async function findPlace(
  { database }: Pick<Records, 'database'>,
  { contact, somebodyElse, facts, openPage }: Registering,
  own?: string,
): Promise<boolean> {
  const rows = await database.read((transaction) =>
    transaction
      .selectFrom('registrations')
      .select(['id', 'deposit', 'linksEpoch', 'person'])
      .where('address', '=', contact.email.toLowerCase())
      .where('edition', '=', facts.id)
      .where('standing', '=', 'taken')
      .execute(),
  );
  const others = rows.filter(({ id }) => id !== own);
  const isHerMailbox = others.some(
    ({ deposit, linksEpoch }) => deposit === openPage?.deposit && linksEpoch === openPage?.epoch,
  );
  const person = comparableName(contact);
  if (isHerMailbox && !somebodyElse && others.some((row) => row.person === person)) throw registeredBefore();
  return others.length > 0;
}
