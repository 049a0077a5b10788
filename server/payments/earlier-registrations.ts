import type Stripe from 'stripe';
import { folded } from '#server/service/folded.ts';
import type { Facts } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { registeredBefore } from './provider-errors.ts';
import { isDeposit, isFor, isPaidInFull, RECORD_MARKS } from './recognise-deposit.ts';

/** In the metadata: the address had a paid registration of this edition when this one was begun or edited last. */
export const ADDRESS_HAS_PLACE = 'address-has-place';

/**
 * In the metadata: she was asked, and said that it was somebody else who had paid under her name and address.
 */
const SOMEBODY_ELSE = 'somebody-else';

/** The facts of a registration by which earlier ones are looked up. */
interface Registrant {
  contact: Contact;
  somebodyElse: boolean;
  /** What she registers for. */
  facts: Facts;
}

/** The metadata of a registration about earlier ones. */
export function earlierMarks(addressHasPlace: boolean, { somebodyElse }: Pick<Registrant, 'somebodyElse'>) {
  return { [ADDRESS_HAS_PLACE]: addressHasPlace ? 'yes' : '', [SOMEBODY_ELSE]: somebodyElse ? 'yes' : '' };
}

/**
 * Whether she said before, under the name and address that her intent still has, that she is somebody else.
 */
export function isSomebodyElse(
  { metadata }: Stripe.PaymentIntent,
  { contact }: Pick<Registrant, 'contact'>,
): boolean {
  const isSame =
    comparable(metadata) === comparable(contact) &&
    metadata.email?.toLowerCase() === contact.email.toLowerCase();
  return isSame && metadata[SOMEBODY_ELSE] === 'yes';
}

/**
 * Makes sure, right before a deposit is paid, that its registrant has not paid another one meanwhile, such as in another
 * browser.
 * @throws {AppError} when she has, and did not say that this is somebody else
 */
export async function requireNoPlaceYet(
  stripe: Stripe,
  { metadata }: Stripe.PaymentIntent,
  facts: Facts,
): Promise<void> {
  const { firstName = '', lastName = '', email = '', phoneNumber = '' } = metadata;
  const contact = { firstName, lastName, email, phoneNumber };
  const somebodyElse = metadata[SOMEBODY_ELSE] === 'yes';
  if (!somebodyElse)
    await findPlace(stripe, await customersAt(stripe, email), { contact, somebodyElse, facts });
}

/** How many registrations of an address are checked: those with the same name first, then the newest. */
const MAX_CHECKED = 10;

/**
 * The customers who registered with an e-mail address, the newest first: at most 100 that have it in lower case, and
 * at most 100 that have it as it was typed.
 */
export async function customersAt(stripe: Stripe, email: string): Promise<Stripe.Customer[]> {
  // Some customers have the address as it was typed.
  const spellings = new Set([email.toLowerCase(), email]);
  const lists = await Promise.all(
    [...spellings].map((spelling) => stripe.customers.list({ email: spelling, limit: 100 })),
  );
  return lists.flatMap(({ data }) => data).toSorted((one, other) => other.created - one.created);
}

/** The deposit of a customer: every registration has a customer of its own, who may have other payments. */
export async function depositOf(stripe: Stripe, customer: string): Promise<Stripe.PaymentIntent | undefined> {
  const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
  return data.find(isDeposit);
}

/**
 * Whether any of these customers has already paid for this edition, and not cancelled since. Unless the name
 * is the same too, this is disclosed only in mail to the address.
 * @throws {AppError} when one of them has the same name, and nobody said that this is somebody else
 */
export async function findPlace(
  stripe: Stripe,
  customers: readonly Stripe.Customer[],
  { contact, somebodyElse, facts }: Registrant,
): Promise<boolean> {
  const name = comparable(contact);
  const hasSameName = (customer: Stripe.Customer): boolean =>
    comparable({ firstName: customer.name ?? '' }) === name;
  const sameNameFirst = customers.toSorted(
    (one, other) => Number(hasSameName(other)) - Number(hasSameName(one)),
  );
  const deposits = await Promise.all(
    sameNameFirst.slice(0, MAX_CHECKED).map(({ id }) => depositOf(stripe, id)),
  );
  const paid = deposits.filter(
    (deposit) => deposit !== undefined && holdsPlace(deposit) && isFor(deposit, facts),
  );
  if (!somebodyElse && paid.some((deposit) => deposit && comparable(deposit.metadata) === name)) {
    throw registeredBefore();
  }
  return paid.length > 0;
}

/**
 * A cancelled deposit holds its place until the cancellation is carried out, since it can be undone until
 * then.
 */
function holdsPlace(deposit: Stripe.PaymentIntent): boolean {
  return isPaidInFull(deposit) && deposit.metadata[RECORD_MARKS.cancelled] === undefined;
}

/** Her name as it is compared with others. */
function comparable({ firstName = '', lastName = '' }: Partial<Contact> | Stripe.Metadata): string {
  return folded(`${firstName} ${lastName}`);
}
