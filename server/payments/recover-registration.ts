import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '#server/database/database.ts';
import { addAct, THE_WORKER } from '#server/record/acts.ts';
import { ACTS } from '#server/record/on-record.ts';
import { editionOf, isPaidInFull } from '#server/record/recognise-deposit.ts';
import { findRow, personColumns, secretDigest, UNTOUCHED } from '#server/record/registrations.ts';
import { customerWithContact, registrantOfCustomer } from './personal-data.ts';
import { settlePlaces } from './record-payments.ts';

/**
 * Records the registration of a paid deposit that is not on record, from its customer at Stripe: it was written after the
 * copy from which the register was restored.
 * @param intent with its customer expanded
 * @returns whether it is on record now; not without contact details, or for an edition that this release does not know
 */
export async function recoverRegistration(
  database: Database,
  intent: Stripe.PaymentIntent,
): Promise<boolean> {
  const customer = customerWithContact(intent);
  const edition = editionOf(intent)?.facts.id;
  if (!isPaidInFull(intent) || !customer || edition === undefined) return false;
  const { id: deposit, created, metadata } = intent;
  const { client_secret: secret } = intent;
  const made = {
    ...({ customer: customer.id, deposit, standing: 'taken' } as const),
    secretDigest: secret && secretDigest(secret),
  };
  const begunAt = new Date(created * 1000);
  await database.write(async (transaction) => {
    if (await findRow(transaction, deposit)) return;
    await transaction
      .insertInto('registrations')
      .values({
        ...{ id: metadata.registration ?? deposit, edition, begunAt: begunAt.toISOString(), begunWith: '' },
        ...personColumns({ ...registrantOfCustomer(customer), timeZone: '' }),
        ...UNTOUCHED,
        ...{
          lettersTo: '',
          addressHasPlace: 0,
          somebodyElse: 0,
          waiting: null,
          heldUntil: begunAt.toISOString(),
        },
        ...made,
      })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(made))
      .execute();
    const act = { id: uuidV7(), subject: deposit, kind: ACTS.recovered, at: begunAt, by: THE_WORKER };
    await addAct(transaction, act);
    await settlePlaces(transaction, [deposit]);
  });
  return true;
}
