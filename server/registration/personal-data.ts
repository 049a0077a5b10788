import { noteChange } from '#server/database/changes.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import type { Done } from './act-kinds.ts';
import { settlePlaces } from './places-taken.ts';
import {
  comparableName,
  NOBODY,
  NOTHING_OF_HERS,
  nameOf,
  personColumns,
  type Registrant,
  registrantIn,
} from './registrations.ts';
import { addAct, blankActs } from './write-acts.ts';

interface Holder extends Done {
  id: string;
  of: Date;
  registrant: Registrant;
}

/** Writes who has a place from now on: all that was of the person who had it before ends. */
export async function writeHolder(
  transaction: Transaction,
  row: RegistrationRow,
  { id, at, by, of, registrant }: Holder,
): Promise<void> {
  const linksEpoch = row.linksEpoch + 1;
  // What is on record of others at her address may depend on it.
  await noteChange(transaction, row.id);
  const { timeZone: _, ...was } = registrantIn(row);
  const nameBefore = nameOf(was);
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, of: of.toISOString() };
  await transaction
    .updateTable('registrations')
    .set({
      ...NOTHING_OF_HERS,
      ...personColumns(registrant, namesBefore),
      linksEpoch,
      secretDigest: null,
      payingBegunAt: null,
    })
    .where('id', '=', row.id)
    .execute();
  await addAct(transaction, { id, subject: row.id, kind: 'handed-over', at, by, facts });
  await settlePlaces(transaction, [row.id]);
}

/** Removes personal data from a registration, and from what is on record about it. */
export async function blankRegistration(transaction: Transaction, id: string): Promise<void> {
  await noteChange(transaction, id);
  await transaction
    .updateTable('registrations')
    .set({ ...NOTHING_OF_HERS, ...personColumns(NOBODY) })
    .where('id', '=', id)
    .execute();
  await transaction
    .updateTable('payments')
    .set({ postalCode: null })
    .where('registration', '=', id)
    .execute();
  await blankActs(transaction, id);
  await settlePlaces(transaction, [id]);
}
