import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import { type Database, rowsWith, type Transaction } from '#server/database/database.ts';
import {
  addAct,
  beginHold,
  changeByPayments,
  findRow,
  insertRegistration,
  personColumns,
  secretDigest,
  settlePlaces,
  THE_WORKER,
  UNTOUCHED,
} from '#server/registration/registration.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { Contact } from '#shared/registration.ts';
import { isDeposit, readMarks, registrationOf } from './payment-at-stripe.ts';
import { idOf, momentOf } from './stripe-calls.ts';

const LOST =
  'Stripe has a deposit of this site whose registration is missing: the register is older than it was.';

export async function recoverLost(
  database: Database,
  intents: readonly Stripe.PaymentIntent[],
): Promise<void> {
  const deposits = intents.filter(isDeposit);
  if (deposits.length === 0) return;
  const known = await database.read((transaction) =>
    rowsWith(transaction, 'registrations', 'id', deposits.map(registrationOf)),
  );
  const ids = new Set(known.map(({ id }) => id));
  for (const intent of deposits)
    if (!ids.has(registrationOf(intent))) await recoverRegistration(database, intent);
}

/**
 * A registration's row is written before its payment is made: if it is missing, the register is older than it was, and is
 * held. Of a paid deposit it is made from the customer at Stripe, which is expanded.
 */
async function recoverRegistration(database: Database, intent: Stripe.PaymentIntent): Promise<void> {
  const registrant = registrantOf(intent);
  const facts = findEdition(readMarks(intent)?.edition ?? '')?.facts;
  const id = registrationOf(intent);
  const begunAt = momentOf(intent.created);
  const act = { id: uuidV7(), subject: id, kind: 'recovered' as const, at: begunAt, by: THE_WORKER };
  await database.write(async (transaction) => {
    if (await findRow(transaction, id)) return;
    if (!(await isReleasedSince(transaction, begunAt))) await beginHold(transaction, LOST);
    if (intent.status !== 'succeeded' || !registrant || !facts) return;
    const row = {
      ...UNTOUCHED,
      ...personColumns({ ...registrant, timeZone: '' }),
      id,
      edition: facts.id,
      begunAt,
      standing: 'taken' as const,
      heldUntil: begunAt,
      customer: idOf(intent.customer) ?? null,
      secretDigest: intent.client_secret && secretDigest(intent.client_secret),
    };
    await insertRegistration(transaction, row, facts);
    await changeByPayments(transaction, id);
    await addAct(transaction, act);
    await settlePlaces(transaction, [id]);
  });
}

/** The last word is taken for the last name. */
function registrantOf({ customer }: Stripe.PaymentIntent): Contact | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { name, email, phone } = customer;
  if (!name && !email && !phone) return undefined;
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}

/** What is missing since then is missing for good. */
async function isReleasedSince(transaction: Transaction, begunAt: Date): Promise<boolean> {
  const released = await transaction
    .selectFrom('acts')
    .innerJoin('register', 'register.name', 'acts.subject')
    .select('acts.id')
    .where('acts.kind', '=', 'released')
    .where('acts.happenedAt', '>=', begunAt)
    .limit(1)
    .executeTakeFirst();
  return released !== undefined;
}
