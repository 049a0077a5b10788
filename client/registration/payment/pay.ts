import type {
  CreatePaymentMethodCardData,
  PaymentIntent,
  Stripe,
  StripeCardNumberElement,
  StripeElements,
} from '@stripe/stripe-js';
import * as v from 'valibot';
import type { CardPaymentIntent } from '#client/store/stepper-slice.ts';
import { terms } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import {
  type Contact,
  messages,
  type PaymentDetails,
  RECORD_CONSENT_PATH,
  RETREAT_FULL,
  type RecordConsentRequest,
} from '#shared/registration.ts';
import {
  ConsentNotRecorded,
  failureOf,
  PaymentRefused,
  RegistrationRefused,
  SiteBusy,
  wordsForCanceled,
} from './messages.ts';
import { ask } from './request.ts';

/*
 * The deposit is charged once, and only with her consent:
 * 1. Read the payment. Paid already, in another tab or by a confirmation that was not answered: done, nothing is charged.
 * 2. Make the card's payment method, and record her consent on the server meanwhile. Without either, nothing is charged.
 * 3. Note that a confirmation is on its way (`onConfirm`, kept as `confirmationUnheard`), then confirm. From here on the card
 *    may have been charged: until Stripe has said what became of it, no message says that nothing was charged, and every
 *    press begins at 1.
 */

type BillingDetails = NonNullable<CreatePaymentMethodCardData['billing_details']>;

export type Means = ({ card: StripeCardNumberElement } | { wallet: StripeElements }) & {
  details: PaidDetails;
};

export type PaidDetails = Partial<Omit<PaymentDetails, 'cardNumber' | 'cardExpiry' | 'cardCvc'>>;

interface DepositCharge {
  stripe: Stripe;
  means: Means;
  clientSecret: string;
  /** The amount that the page shows as due, in US cents. */
  shownCents: number;
  contact: Contact;
  /** Whether an earlier confirmation was sent whose outcome is not known. */
  confirmationUnheard: boolean;
  /** Called right before the confirmation is sent. */
  onConfirm: () => void;
}

/**
 * Charges the deposit, 3-D Secure included, and stores the card for the balance (R4.3).
 * @throws {ConsentNotRecorded} when the server did not record the consent; nothing is charged
 * @throws {PaymentRefused} when the provider refuses, or the amount is not the shown one; nothing is charged
 * @throws {ProviderUnreachable} when the provider's answer did not arrive
 */
export async function payDeposit(charge: DepositCharge): Promise<CardPaymentIntent> {
  const { stripe, means, clientSecret, shownCents, contact, confirmationUnheard } = charge;
  const startedAt = performance.now();
  if ('wallet' in means) {
    // Stripe wants it before any other asynchronous work: https://docs.stripe.com/js/elements/submit
    const { error } = await means.wallet.submit();
    if (error) throw failureOf(error, confirmationUnheard);
  }
  const { paid, amountCents } = await readDeposit(stripe, clientSecret, confirmationUnheard);
  if (paid) return paid;
  if (amountCents !== shownCents) throw new PaymentRefused(messages.amountChanged, { amountCents });

  const making = createMethod(stripe, means, contact);
  const giveUp = new AbortController();
  const consent = recordConsent(clientSecret, giveUp.signal);
  // Awaited below: an error of the card is reported before one of the consent.
  consent.catch(() => undefined);
  making.catch(() => giveUp.abort());
  const method = await making;
  try {
    await ('wallet' in means ? whileSheetIsOpen(consent, startedAt) : consent);
  } catch (error) {
    giveUp.abort();
    // Consent is also refused if the payment was made meanwhile: then `nothing was charged` would be wrong.
    const meanwhile = await readDeposit(stripe, clientSecret, confirmationUnheard);
    if (meanwhile.paid) return meanwhile.paid;
    if (error instanceof PaymentRefused && meanwhile.amountCents !== shownCents)
      throw new PaymentRefused(error.message, { ...error.refusal, amountCents: meanwhile.amountCents });
    throw error;
  }

  charge.onConfirm();
  const { paymentIntent, error } = await stripe.confirmCardPayment(clientSecret, {
    payment_method: method,
    receipt_email: contact.email,
    setup_future_usage: 'off_session',
  });
  if (paymentIntent?.status === 'succeeded') return chargeOf(paymentIntent);
  if (error?.type === 'card_error') throw failureOf(error);
  const final = await readDeposit(stripe, clientSecret, true);
  if (final.paid) return final.paid;
  // Without an explicit refusal the charge may still be on its way to the bank.
  const refused = error?.type === 'invalid_request_error' || error?.type === 'validation_error';
  if (error) throw failureOf(error, !refused);
  const { nothingCharged } = registrationCopy.reassurance;
  throw new PaymentRefused(messages.unexpected, { reassurance: nothingCharged });
}

interface DepositState {
  paid: CardPaymentIntent | undefined;
  amountCents: number;
}

/**
 * Reads the payment's current state from Stripe.
 * @param confirmationUnheard whether a confirmation was sent whose outcome is not known
 * @throws {PaymentRefused} when the payment cannot be paid (`notOpen`), or the provider does not give its state
 * @throws {ProviderUnreachable} when the provider's answer did not arrive
 */
export async function readDeposit(
  stripe: Stripe,
  clientSecret: string,
  confirmationUnheard = false,
): Promise<DepositState> {
  const { paymentIntent, error } = await stripe.retrievePaymentIntent(clientSecret);
  if (error) throw failureOf(error, confirmationUnheard);
  switch (paymentIntent.status) {
    case 'succeeded':
      return { paid: chargeOf(paymentIntent), amountCents: paymentIntent.amount };
    case 'processing':
      throw new PaymentRefused(messages.paymentProcessing, { notOpen: 'processing' });
    case 'canceled':
      throw new PaymentRefused(wordsForCanceled(paymentIntent), { notOpen: 'closed' });
    default:
      return { paid: undefined, amountCents: paymentIntent.amount };
  }
}

const chargeOf = ({ id, amount }: PaymentIntent): CardPaymentIntent => ({ id, amount });

/**
 * The wallet's elements make a card's payment method, which is confirmed and stored like any other.
 * @returns its id
 * @see https://docs.stripe.com/js/payment_methods/create_payment_method_elements
 */
async function createMethod(stripe: Stripe, means: Means, contact: Contact): Promise<string> {
  const billing_details = billingDetails(contact, means.details);
  const { paymentMethod, error } = await ('card' in means
    ? stripe.createPaymentMethod({ type: 'card', card: means.card, billing_details })
    : stripe.createPaymentMethod({ elements: means.wallet, params: { billing_details } }));
  if (error) throw failureOf(error);
  return paymentMethod.id;
}

function billingDetails(contact: Contact, details: PaidDetails): BillingDetails {
  const address = {
    line1: details.addressLine1,
    line2: details.addressLine2,
    city: details.addressCity,
    state: details.addressState,
    postal_code: details.addressPostalCode,
    country: details.addressCountry,
  };
  return {
    ...(details.billingName && { name: details.billingName }),
    email: contact.email,
    phone: contact.phoneNumber,
    address: Object.fromEntries(Object.entries(address).filter(([, line]) => line)),
  };
}

/**
 * An authorized sheet of Apple Pay closes itself after 30 s, as if the payment had failed: a confirmation must be sent before,
 * or not at all.
 */
const SHEET_PATIENCE_MS = 20_000;

/**
 * @param confirmedAt when the sheet was confirmed, as `performance.now()`
 * @throws {ConsentNotRecorded} when it takes too long for an open sheet
 */
function whileSheetIsOpen(consent: Promise<void>, confirmedAt: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new ConsentNotRecorded('The sheet of the wallet stays open no longer'));
    const timer = setTimeout(end, Math.max(0, confirmedAt + SHEET_PATIENCE_MS - performance.now()));
    consent.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/**
 * Records on the server that the visitor agreed to the terms that this page shows, for the payment of a client secret.
 * @param signal ends the wait before the second try, once the consent is no longer needed
 * @throws {PaymentRefused} when the site has no room; when her place is no longer held, and none is left; when her own page,
 *   open in this browser, shows that she has a place; or when the server does not know her registration: another one can be
 *   begun
 * @throws {ConsentNotRecorded} when it could not be recorded for any other reason
 */
async function recordConsent(paymentIntentClientSecret: string, signal: AbortSignal): Promise<void> {
  const { version, digest } = terms;
  const json: RecordConsentRequest = { paymentIntentClientSecret, version, digest };
  try {
    await ask(RECORD_CONSENT_PATH, v.unknown(), json, { signal });
  } catch (error) {
    if (error instanceof SiteBusy) throw new PaymentRefused(error.message);
    if (error instanceof RegistrationRefused && error.code === RETREAT_FULL)
      throw new PaymentRefused(error.message, { isFull: true });
    if (error instanceof RegistrationRefused && error.code === 'registration_not_found')
      throw new PaymentRefused(messages.registrationUnknown, { notOpen: 'closed' });
    throw new ConsentNotRecorded(error);
  }
}
