import type Stripe from 'stripe';
import { noteChange } from '#server/database/changes.ts';
import type { Transaction } from '#server/database/engine.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/digests.ts';
import { addAct } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import {
  comparableName,
  personColumns,
  type Registrant,
  registrantIn,
} from '#server/record/registrations.ts';
import type { Contact } from '#shared/registration.ts';
import { settlePlaces } from './record-payments.ts';

/** Who has a place from now on, and what is recorded of that. */
interface Holder {
  id: string;
  at: Date;
  by: string;
  /** When it was decided. */
  of?: Date;
  registrant: Registrant;
  linksEpoch: number;
}

/** Writes who has a place from now on: all that was of the person who had it before ends. */
export async function writeHolder(
  transaction: Transaction,
  row: RegistrationRow,
  { id, at, by, of, registrant, linksEpoch }: Holder,
): Promise<void> {
  const { deposit } = row;
  if (deposit === null) throw new Error(`${row.id} has no deposit`);
  // What is on record of others at her address may depend on it.
  await noteChange(transaction, deposit);
  const { timeZone: _, ...was } = registrantIn(row);
  const nameBefore = `${was.firstName} ${was.lastName}`.trim();
  const isKnown = nameBefore === '' || comparableName(was) === comparableName(registrant);
  const namesBefore = [...(isKnown ? [] : [nameBefore]), row.namesBefore].filter(Boolean).join('; ');
  const facts = { ...was, linksEpoch, ...(of && { of: of.toISOString() }) };
  await transaction
    .updateTable('registrations')
    .set({
      ...{ ...personColumns(registrant, namesBefore), namesBefore, linksEpoch },
      ...{ lettersTo: addressDigest(registrant.email), begunWith: '', secretDigest: null, somebodyElse: 0 },
      ...{ askedAddress: null, askedAt: null, payingSince: null, answers: '' },
    })
    .where('deposit', '=', deposit)
    .execute();
  await addAct(transaction, { id, subject: deposit, kind: ACTS.handedOver, at, by, facts });
  await settlePlaces(transaction, [deposit]);
}

/** Who a customer is, as far as Stripe keeps that apart: the last word of the name is taken for the last name. */
export function registrantOfCustomer({ name, email, phone }: Stripe.Customer): Contact {
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}
