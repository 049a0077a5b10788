import type Stripe from 'stripe';
import type { Facts } from '#shared/content/edition.ts';
import type { Contact } from '#shared/registration.ts';
import { registeredBefore } from './provider-errors.ts';
import { isDeposit, isFor, isOwnWaiting, isPaidInFull, RECORD_MARKS } from './recognise-deposit.ts';

/** In the metadata: the address had a paid registration of this edition when this one was begun or edited last. */
export const ADDRESS_HAS_PLACE = 'address-has-place';

/** In the metadata: its registrant was asked, and said that somebody else had paid under her name and address. */
const SOMEBODY_ELSE = 'somebody-else';

/** What a registration is asked, or says. */
interface Registrant {
  contact: Contact;
  somebodyElse: boolean;
  /** What she registers for. */
  facts: Facts;
}

/** What the metadata of a registration says of earlier ones. */
export function earlierMarks(addressHasPlace: boolean, { somebodyElse }: Pick<Registrant, 'somebodyElse'>) {
  return { [ADDRESS_HAS_PLACE]: addressHasPlace ? 'yes' : '', [SOMEBODY_ELSE]: somebodyElse ? 'yes' : '' };
}

/** Whether a registrant said before, under the name and address that her intent has still, that she is somebody else. */
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

/** So many registrations of an address are looked into: those of the same name first, then the newest. */
const MOST_LOOKED_INTO = 10;

/** The customers who registered at an e-mail address, whatever the case of its letters, the newest first. */
export async function customersAt(stripe: Stripe, email: string): Promise<Stripe.Customer[]> {
  return (await everybodyAt(stripe, email)).filter((customer) => !isOwnWaiting(customer));
}

/** The same with those who wait for a place. */
export async function everybodyAt(stripe: Stripe, email: string): Promise<Stripe.Customer[]> {
  // Some customers have it as it was typed.
  const spellings = new Set([email.toLowerCase(), email]);
  const lists = await Promise.all(
    [...spellings].map((spelling) => stripe.customers.list({ email: spelling, limit: 100 })),
  );
  return lists.flatMap(({ data }) => data);
}

/** The deposit of a customer: every registration has a customer of its own, who may have other payments. */
export async function depositOf(stripe: Stripe, customer: string): Promise<Stripe.PaymentIntent | undefined> {
  const { data } = await stripe.paymentIntents.list({ customer, limit: 100 });
  return data.find(isDeposit);
}

/**
 * Whether some of these customers have paid for this edition already, and not cancelled since. Nobody but the address is told, unless the name
 * is the same too.
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
    sameNameFirst.slice(0, MOST_LOOKED_INTO).map(({ id }) => depositOf(stripe, id)),
  );
  const paid = deposits.filter(
    (deposit) => deposit !== undefined && holdsPlace(deposit) && isFor(deposit, facts),
  );
  if (!somebodyElse && paid.some((deposit) => deposit && comparable(deposit.metadata) === name)) {
    throw registeredBefore();
  }
  return paid.length > 0;
}

/** Until a cancelling is worked off, it can be taken back. */
function holdsPlace(deposit: Stripe.PaymentIntent): boolean {
  return isPaidInFull(deposit) && deposit.metadata[RECORD_MARKS.cancelled] === undefined;
}

/** A name in whatever case, spacing and form of its characters. */
function comparable({ firstName = '', lastName = '' }: Partial<Contact> | Stripe.Metadata): string {
  return `${firstName} ${lastName}`.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
