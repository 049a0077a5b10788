import { setTimeout as pause } from 'node:timers/promises';
import Stripe from 'stripe';
import { dollarsToCents } from '#shared/money.ts';
import {
  customerOf,
  type Deposit,
  type DepositPayment,
  detailsOf,
  paymentOf,
  saysTheSame,
} from './deposit.ts';
import { owing } from './outbox.ts';
import { alreadyPaid, isKeyInUse, isUsedOtherwise } from './provider-errors.ts';
import { registrationName } from './registration-name.ts';
import { untraced } from './untraced.ts';
import { updateDeposit } from './update-deposit.ts';

/** How long to wait for the same request under way elsewhere, and how often to ask. */
const TURN_TIMEOUT_MS = 8_000;
const TURN_POLL_MS = 250;

/** Stripe remembers a key for a day at least; what is older than any visit was no moment. */
const STRIPE_REMEMBERS_MS = 20 * 60 * 60 * 1000;
const KEY_LIFE_MS = 400 * 24 * 60 * 60 * 1000;

type Registration = Deposit & { idempotencyKey: string };

/**
 * Makes the customer and the PaymentIntent of a registration, once for its key (R4.5). Repeated with the details that
 * the payment has by now it finds it; repeated with the first details it sets them again.
 * @throws {Stripe.errors.StripeIdempotencyError} when the key was used with other details
 * @throws {AppError} when the payment of the key was closed, or paid by the same address with other details
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function createDeposit(stripe: Stripe, registration: Registration): Promise<DepositPayment> {
  const known = isForgotten(registration.idempotencyKey) && (await find(stripe, registration));
  if (known) return goOnWith(stripe, known, registration);
  try {
    const customer = await createCustomer(stripe, registration);
    const intent = await createIntent(stripe, customer.id, registration);
    const payment = paymentOf(intent);
    return wasReplayed(intent) ? await updateDeposit(stripe, registration, payment.clientSecret) : payment;
  } catch (error) {
    const found = isUsedOtherwise(error) && (await find(stripe, registration));
    if (found) return goOnWith(stripe, found, registration, error);
    throw error;
  }
}

/** Whether Stripe may have forgotten the answers to a key by now: keys begin with the moment they were made. */
function isForgotten(idempotencyKey: string): boolean {
  const madeAtMs = Number.parseInt(idempotencyKey.split('-')[0] ?? '', 36);
  const age = Date.now() - madeAtMs;
  return idempotencyKey.includes('-') && age > STRIPE_REMEMBERS_MS && age < KEY_LIFE_MS;
}

/** The payment of this key and address: the same details find it, others are refused, as Stripe refuses them. */
async function goOnWith(
  stripe: Stripe,
  intent: Stripe.PaymentIntent,
  registration: Registration,
  refusal: unknown = new Stripe.errors.StripeIdempotencyError({ message: '', type: 'idempotency_error' }),
): Promise<DepositPayment> {
  if (saysTheSame(intent, registration)) {
    return updateDeposit(stripe, registration, paymentOf(intent).clientSecret);
  }
  throw intent.status === 'succeeded' ? alreadyPaid() : refusal;
}

function createCustomer(stripe: Stripe, registration: Registration) {
  const { contact, idempotencyKey } = registration;
  const metadata = { registration: registrationName(idempotencyKey) };
  return makeOnce(
    `${idempotencyKey}-customer`,
    (key) => stripe.customers.create({ ...customerOf(contact), metadata }, { idempotencyKey: key }),
    () => findCustomer(stripe, registration),
  );
}

function createIntent(stripe: Stripe, customer: string, registration: Registration) {
  const { retreatPackage, idempotencyKey } = registration;
  const parameters: Stripe.PaymentIntentCreateParams = {
    amount: dollarsToCents(retreatPackage.deposit),
    currency: 'usd',
    customer,
    description: retreatPackage.description,
    setup_future_usage: 'off_session',
    allowed_payment_method_types: ['card'],
    ...owing(namedDetailsOf(registration)),
  };
  return makeOnce(
    `${idempotencyKey}-intent`,
    (key) => stripe.paymentIntents.create(parameters, { idempotencyKey: key }),
    () => findIntent(stripe, customer),
  );
}

/** With its name, by which the event of its payment knows the registration again. */
function namedDetailsOf(registration: Registration) {
  const { metadata, ...details } = detailsOf(registration);
  return {
    ...details,
    metadata: { ...metadata, registration: registrationName(registration.idempotencyKey) },
  };
}

/**
 * Stripe saves a 500 under the key like any other answer, and repeats it for a day, whether or not it had made the
 * object. So what then is not there is made under a second key.
 */
async function makeOnce<Made>(
  key: string,
  make: (key: string) => Promise<Made>,
  find: () => Promise<Made | undefined>,
): Promise<Made> {
  try {
    return await inTurn(() => make(key));
  } catch (error) {
    if (!isSavedFailure(error)) throw error;
    return (await find()) ?? inTurn(() => make(`${key}-again`));
  }
}

/** While the same request is under way from elsewhere, such as another tab, waits for its answer. */
async function inTurn<Made>(make: () => Promise<Made>): Promise<Made> {
  const deadline = Date.now() + TURN_TIMEOUT_MS;
  for (;;) {
    try {
      return await untraced(make);
    } catch (error) {
      if (!isKeyInUse(error) || Date.now() > deadline) throw error;
      await pause(TURN_POLL_MS);
    }
  }
}

function isSavedFailure(error: unknown): boolean {
  return error instanceof Stripe.errors.StripeAPIError && error.headers?.['idempotent-replayed'] === 'true';
}

function wasReplayed(intent: Stripe.Response<Stripe.PaymentIntent> | Stripe.PaymentIntent): boolean {
  return 'lastResponse' in intent && intent.lastResponse.headers['idempotent-replayed'] === 'true';
}

/** The payment of this key and address. */
async function find(stripe: Stripe, registration: Registration): Promise<Stripe.PaymentIntent | undefined> {
  const customer = await findCustomer(stripe, registration);
  return customer && findIntent(stripe, customer.id);
}

async function findCustomer(stripe: Stripe, { contact, idempotencyKey }: Registration) {
  const { data } = await stripe.customers.list({ email: contact.email, limit: 100 });
  const name = registrationName(idempotencyKey);
  return data.find(({ metadata }) => metadata.registration === name);
}

/** Every registration has a customer of its own. */
async function findIntent(stripe: Stripe, customer: string): Promise<Stripe.PaymentIntent | undefined> {
  const { data } = await stripe.paymentIntents.list({ customer, limit: 1 });
  return data[0];
}
