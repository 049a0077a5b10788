import type Stripe from 'stripe';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '#server/database/database.ts';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import { beginHold } from '#server/database/hold.ts';
import type { RegistrationRow } from '#server/database/schema.ts';
import { THE_WORKER } from '#server/registration/acts.ts';
import { ACTS } from '#server/registration/on-record.ts';
import { settlePlaces } from '#server/registration/places-taken.ts';
import { findRow, personColumns, secretDigest, UNTOUCHED } from '#server/registration/registrations.ts';
import { addAct } from '#server/registration/write-acts.ts';
import { changeByPayments, insertRegistration } from '#server/registration/write-ledger.ts';
import type { Contact } from '#shared/registration.ts';
import { editionOf, isDeposit, isPaidInFull, registrationOf } from './payment-at-stripe.ts';
import { idOf } from './stripe-calls.ts';

const LOST =
  'Stripe has a deposit of this site whose registration is missing: the register is older than it was.';

/** Who a customer is, as far as Stripe keeps that apart: the last word of the name is taken for the last name. */
function registrantOfCustomer({ name, email, phone }: Stripe.Customer): Contact {
  const [, firstName = '', lastName = ''] = /^(.*?)(?: (\S+))?$/.exec(name ?? '') ?? [];
  return { firstName, lastName, email: email ?? '', phoneNumber: phone ?? '' };
}

/** Has the registrations of deposits on record: of paid ones also if they are lost. */
export async function recoverLost(
  database: Database,
  intents: readonly Stripe.PaymentIntent[],
): Promise<void> {
  const deposits = intents.filter(isDeposit);
  if (deposits.length === 0) return;
  const known = await database.read((transaction) =>
    rowsWith(transaction, 'registrations', 'id', deposits.map(registrationOf)),
  );
  const isKnown = (intent: Stripe.PaymentIntent) =>
    known.some(({ id, customer }) => id === registrationOf(intent) && customer !== null);
  for (const intent of deposits) if (!isKnown(intent)) await recoverRegistration(database, intent);
}

/**
 * Records the registration of a paid deposit that is not on record, from its customer at Stripe: not without contact
 * details, or for an edition that this release does not know. A row was written before the payment was made: if it is
 * missing, also of an unpaid one, the register is older than it was, and it is held.
 * @param intent with its customer expanded
 */
async function recoverRegistration(database: Database, intent: Stripe.PaymentIntent): Promise<void> {
  const customer = customerWithContact(intent);
  const facts = editionOf(intent)?.facts;
  const { created, client_secret: secret } = intent;
  const id = registrationOf(intent);
  const begunAt = new Date(created * 1000);
  const made = { customer: idOf(intent.customer) ?? null, secretDigest: secret && secretDigest(secret) };
  const act = { id: uuidV7(), subject: id, kind: ACTS.recovered, at: begunAt, by: THE_WORKER };
  await database.write(async (transaction) => {
    const row = await findRow(transaction, id);
    if (row) return adopt(transaction, row, made);
    if (!(await isReleasedSince(transaction, begunAt))) await beginHold(transaction, LOST);
    if (!isPaidInFull(intent) || !customer || !facts) return;
    const known = { ...personColumns({ ...registrantOfCustomer(customer), timeZone: '' }), ...made };
    const standing = { standing: 'taken' as const, heldUntil: begunAt };
    const lost = { ...UNTOUCHED, id, edition: facts.id, begunAt, ...standing, ...known };
    await insertRegistration(transaction, lost, facts);
    await changeByPayments(transaction, id);
    await addAct(transaction, act);
    await settlePlaces(transaction, [id]);
  });
}

/** The answer was lost when the payment was made: what it would have told is recorded now. */
async function adopt(
  transaction: Transaction,
  { id, customer }: RegistrationRow,
  made: Pick<RegistrationRow, 'customer' | 'secretDigest'>,
): Promise<void> {
  if (customer === null)
    await transaction.updateTable('registrations').set(made).where('id', '=', id).execute();
}

/** What was missing then is missing for good, such as a registration that nobody paid for: it holds nothing once more. */
async function isReleasedSince(transaction: Transaction, begunAt: Date): Promise<boolean> {
  const released = await transaction
    .selectFrom('acts')
    .innerJoin('register', 'register.name', 'acts.subject')
    .select('acts.id')
    .where('acts.kind', '=', ACTS.released)
    .where('acts.happenedAt', '>=', begunAt)
    .limit(1)
    .executeTakeFirst();
  return released !== undefined;
}

/** The customer of a payment if it has contact details; undefined if not, or if somebody has deleted it. */
function customerWithContact({ customer }: Stripe.PaymentIntent): Stripe.Customer | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const { email, name, phone, address } = customer;
  return email || name || phone || address ? customer : undefined;
}
