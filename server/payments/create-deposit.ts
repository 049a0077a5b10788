import Stripe from 'stripe';
import {
  customerOf,
  type Deposit,
  detailsDigest,
  detailsOf,
  type RegistrationKey,
  registrationName,
  saysTheSame,
} from './deposit.ts';
import { customersAt, depositOf, earlierMarks, findPlace } from './earlier-registrations.ts';
import { alreadyPaid, isReplayed, isUsedOtherwise, notYours, wasReplayed } from './provider-errors.ts';
import { isDeposit } from './recognise-deposit.ts';
import { bringUpToDate } from './update-deposit.ts';
import { inTurn } from './write-once.ts';

/** In the metadata: a digest of the details that the payment was made with. */
export const MADE_WITH = 'made-with';

type Registration = Deposit & { key: RegistrationKey };

/**
 * Makes the customer and the PaymentIntent of a registration, once for its key (R4.5). It first looks for
 * those made before, since Stripe forgets a key after a day: a request with the details that the payment has
 * now, or had at first, finds it and updates it to them. Of two concurrent requests, Stripe carries out one.
 * @throws {Stripe.errors.StripeIdempotencyError} when the key was used with other details
 * @throws {AppError} when the payment of the key was closed, or paid with other details; and when the same
 *   person has paid already and nobody said that this is somebody else
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function createDeposit(
  stripe: Stripe,
  registration: Registration,
): Promise<Stripe.PaymentIntent> {
  const { email } = registration.contact;
  const customers = await customersAt(stripe, email);
  const own = await findOwn(stripe, customers, registration.key);
  if (own?.intent) return goOnWith(stripe, own.intent, registration, customers);
  const addressHasPlace = await findPlace(stripe, customers, registration);
  try {
    const customer = own?.customer ?? (await createCustomer(stripe, registration));
    const intent = await createIntent(stripe, customer.id, registration, addressHasPlace);
    if (!wasReplayed(intent)) return intent;
    const now = await stripe.paymentIntents.retrieve(intent.id);
    if (!isDeposit(now)) throw notYours();
    return bringUpToDate(stripe, now, registration, customers);
  } catch (error) {
    if (!isUsedOtherwise(error)) throw error;
    const now = await customersAt(stripe, email);
    const found = await findOwn(stripe, now, registration.key);
    if (!found?.intent) throw error;
    return goOnWith(stripe, found.intent, registration, now);
  }
}

/**
 * The customer and the payment of a key. A key from the browser identifies its registration for ever; a key
 * that the server derived from the details (`before` is its predecessor) does so until the registration is
 * paid.
 */
async function findOwn(
  stripe: Stripe,
  customers: readonly Stripe.Customer[],
  { value, before }: RegistrationKey,
) {
  const names = [value, before].map((key) => key && registrationName(key));
  const customer = customers.find(
    ({ metadata }) => metadata.registration && names.includes(metadata.registration),
  );
  if (!customer) return undefined;
  const intent = await depositOf(stripe, customer.id);
  return before && intent?.status === 'succeeded' ? undefined : { customer, intent };
}

/**
 * Continues with the payment of a key if the details are its current or its first ones; else refuses, as
 * Stripe does.
 */
async function goOnWith(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  registration: Registration,
  customers: readonly Stripe.Customer[],
): Promise<Stripe.PaymentIntent> {
  const isKnown =
    saysTheSame(intent, registration) || intent.metadata[MADE_WITH] === detailsDigest(registration);
  if (isKnown) return bringUpToDate(stripe, intent, registration, customers);
  if (intent.status === 'succeeded') throw alreadyPaid();
  throw new Stripe.errors.StripeIdempotencyError({ message: '', type: 'idempotency_error' });
}

function createCustomer(stripe: Stripe, registration: Registration): Promise<Stripe.Customer> {
  const { contact, key } = registration;
  const metadata = { registration: registrationName(key.value) };
  return makeOnce(
    `${key.value}-customer`,
    (idempotencyKey) => stripe.customers.create({ ...customerOf(contact), metadata }, { idempotencyKey }),
    async () => {
      const customers = await customersAt(stripe, contact.email);
      return customers.find((customer) => customer.metadata.registration === metadata.registration);
    },
  );
}

/**
 * The metadata include the registration's name, by which the payment's webhook event identifies the
 * registration.
 */
function createIntent(
  stripe: Stripe,
  customer: string,
  registration: Registration,
  addressHasPlace: boolean,
): Promise<Stripe.PaymentIntent> {
  const { metadata, ...details } = detailsOf(registration);
  const parameters: Stripe.PaymentIntentCreateParams = {
    ...details,
    currency: 'usd',
    customer,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    metadata: {
      ...metadata,
      ...earlierMarks(addressHasPlace, registration),
      registration: registrationName(registration.key.value),
      [MADE_WITH]: detailsDigest(registration),
    },
  };
  return makeOnce(
    `${registration.key.value}-intent`,
    (idempotencyKey) => stripe.paymentIntents.create(parameters, { idempotencyKey }),
    () => depositOf(stripe, customer),
  );
}

/**
 * Stripe saves a 500 under the key like any other answer, and replays it for a day, whether or not it had
 * made the object. So if the object is not there, it is made under a second key.
 */
async function makeOnce<Made>(
  key: string,
  make: (key: string) => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await inTurn(() => make(key));
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeAPIError && isReplayed(error))) throw error;
    return (await find()) ?? inTurn(() => make(`${key}-again`));
  }
}
