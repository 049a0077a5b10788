import type Stripe from 'stripe';
import type { RegistrationRow } from '#server/database/database.ts';
import type { Register, RegistrationRecord } from '#server/registration/registration.ts';
import { dialledNumber } from '#shared/mail-and-phone.ts';
import type { Contact } from '#shared/registration.ts';
import type { Records } from './record-payments.ts';
import { isCustomerMissing, writeOnce } from './stripe-calls.ts';

/** The longest phone number Stripe keeps with a customer; the register holds it as it was typed. */
const CUSTOMER_PHONE_LENGTH = 20;

/** The address is in lower case, because Stripe's list filter is case-sensitive. */
export function customerOf({ firstName, lastName, email, phoneNumber }: Contact) {
  return {
    name: `${firstName} ${lastName}`,
    email: email.toLowerCase(),
    phone: dialledNumber(phoneNumber).slice(0, CUSTOMER_PHONE_LENGTH),
  };
}

/**
 * The customer of a registration, made if it has none; that it is asked for is on record before.
 * @param isFirstTry else the answer may have been lost, and it is looked up
 * @param deleted at Stripe, which another one replaces
 */
export async function customerFor(
  stripe: Stripe,
  row: RegistrationRow,
  isFirstTry: boolean,
  deleted?: string,
): Promise<string> {
  const { id, customer } = row;
  if (customer !== null && customer !== deleted) return customer;
  const made = await writeOnce(
    [id, 'customer', ...(deleted === undefined ? [] : ['after', deleted])].join('-'),
    (idempotencyKey) =>
      stripe.customers.create({ ...customerOf(row), metadata: { registration: id } }, { idempotencyKey }),
    () => findCustomer(stripe, row),
    isFirstTry,
  );
  return made.id;
}

type Holder = Pick<RegistrationRecord, 'id' | 'customerId'>;

/** Does what needs her customer; where somebody has deleted it at Stripe, once more with a new one. */
export async function withCustomer<Result>(
  records: Records,
  record: Holder,
  now: Date,
  work: (customer: string) => Promise<Result>,
): Promise<Result> {
  const customer = await customerOfHeld(records, record, now);
  try {
    return await work(customer);
  } catch (error) {
    if (!isCustomerMissing(error)) throw error;
    return work(await customerOfHeld(records, record, now, customer));
  }
}

export async function customerOfHeld(
  records: Records,
  { id, customerId }: Holder,
  customerAskedAt: Date,
  deleted?: string,
): Promise<string> {
  if (customerId !== undefined && customerId !== deleted) return customerId;
  const row = await records.database.write((transaction) =>
    transaction
      .updateTable('registrations')
      .set({ customerAskedAt })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
  const customer = await customerFor(records.stripe, row, false, deleted);
  await storeCustomer(records, id, customer);
  return customer;
}

export async function adoptCustomer(records: Records, row: RegistrationRow): Promise<string | undefined> {
  if (row.customer !== null || row.customerAskedAt === null) return row.customer ?? undefined;
  const customer = (await findCustomer(records.stripe, row))?.id;
  if (customer !== undefined) await storeCustomer(records, row.id, customer);
  return customer;
}

async function storeCustomer({ database }: Register, id: string, customer: string): Promise<void> {
  await database.write((transaction) =>
    transaction.updateTable('registrations').set({ customer }).where('id', '=', id).execute(),
  );
}

async function findCustomer(
  stripe: Stripe,
  { id, email }: Pick<RegistrationRow, 'id' | 'email'>,
): Promise<Stripe.Customer | undefined> {
  if (email === '') return undefined;
  const { data } = await stripe.customers.list({ email: email.toLowerCase(), limit: 100 });
  return data.find(({ metadata }) => metadata.registration === id);
}
