import type {
  CreatePaymentMethodCardData,
  PaymentIntent,
  Stripe,
  StripeCardNumberElement,
  StripeError,
} from '@stripe/stripe-js';
import type { CardPaymentIntent } from '#client/store/registration-data.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { type Contact, messages, type PaymentDetails } from '#shared/registration.ts';
import {
  AmountChanged,
  PaymentNotOpen,
  PaymentRefused,
  ProviderUnreachable,
  wordsForCanceled,
} from './payment-refused.ts';
import { recordConsent } from './record-consent.ts';

type BillingDetails = NonNullable<CreatePaymentMethodCardData['billing_details']>;

interface DepositCharge {
  stripe: Stripe;
  card: StripeCardNumberElement;
  clientSecret: string;
  /** What the page says that will be charged, in US cents. */
  shownCents: number;
  contact: Contact;
  details: PaymentDetails;
  /** Whether an earlier confirmation was sent whose outcome is not known. */
  confirmationUnheard: boolean;
  /** Called right before the confirmation is sent: from then on the card may have been charged. */
  onConfirm: () => void;
}

/**
 * Charges the deposit: makes the card's payment method, while the consent to the terms travels to the server, confirms
 * the payment with it (3-D Secure included) and keeps the method for the balance (R4.3). What was paid before, in another
 * tab or by an attempt whose answer was lost, is found and not paid again.
 * @throws {AmountChanged} when the page shows another amount; nothing is charged
 * @throws {ConsentNotRecorded} when the server did not take the consent; nothing is charged
 * @throws {PaymentRefused} when the provider says no; nothing is charged
 * @throws {ProviderUnreachable} when its answer did not come
 */
export async function payDeposit(charge: DepositCharge): Promise<CardPaymentIntent> {
  const { stripe, card, clientSecret, shownCents, contact, details } = charge;
  const { paid, amountCents } = await readDeposit(stripe, clientSecret, charge.confirmationUnheard);
  if (paid) return paid;
  if (amountCents !== shownCents) throw new AmountChanged(messages.amountChanged, { amountCents });

  const giveUp = new AbortController();
  const consent = recordConsent(clientSecret, giveUp.signal);
  // Awaited below; what the provider says of the card is told first.
  consent.catch(() => undefined);
  const method = await stripe.createPaymentMethod({
    type: 'card',
    card,
    billing_details: billingDetails(contact, details),
  });
  if (method.error) {
    giveUp.abort();
    throw failureOf(method.error);
  }
  try {
    await consent;
  } catch (error) {
    // It is refused too when the payment was made meanwhile: then nobody says that nothing was charged.
    const meanwhile = await readDeposit(stripe, clientSecret, charge.confirmationUnheard);
    if (meanwhile.paid) return meanwhile.paid;
    throw error;
  }

  charge.onConfirm();
  const { paymentIntent, error } = await stripe.confirmCardPayment(clientSecret, {
    payment_method: method.paymentMethod.id,
    receipt_email: contact.email,
    setup_future_usage: 'off_session',
  });
  if (paymentIntent?.status === 'succeeded') return chargeOf(paymentIntent);
  if (error?.type === 'card_error') throw failureOf(error);
  const afterAll = await readDeposit(stripe, clientSecret, true);
  if (afterAll.paid) return afterAll.paid;
  // Without an explicit refusal the charge may still be on its way to the bank.
  const refused = error?.type === 'invalid_request_error' || error?.type === 'validation_error';
  throw error ? failureOf(error, !refused) : notCharged(messages.unexpected);
}

interface DepositState {
  /** The charge, if it was made. */
  paid: CardPaymentIntent | undefined;
  /** What the payment charges, in US cents. */
  amountCents: number;
}

/**
 * The payment's true state.
 * @param confirmationUnheard whether a confirmation was sent whose outcome is not known
 * @throws {PaymentNotOpen} when the payment can take no card
 * @throws {PaymentRefused} when the provider does not tell its state
 * @throws {ProviderUnreachable} when its answer did not come
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
      throw new PaymentNotOpen(messages.paymentProcessing, { closed: false });
    case 'canceled':
      throw new PaymentNotOpen(wordsForCanceled(paymentIntent), { closed: true });
    default:
      return { paid: undefined, amountCents: paymentIntent.amount };
  }
}

function chargeOf({ id, amount }: PaymentIntent): CardPaymentIntent {
  return { id, amount };
}

/** Stripe.js gives a lost connection as an error of its own type: https://docs.stripe.com/js/appendix/errors */
function failureOf({ type, message = messages.unexpected }: StripeError, mayBeCharged = false): Error {
  const unknown = mayBeCharged || type === 'api_connection_error';
  return unknown ? new ProviderUnreachable(message, { mayBeCharged }) : notCharged(message);
}

function notCharged(reason: string): PaymentRefused {
  return new PaymentRefused(reason, { reassurance: registrationCopy.reassurance.nothingCharged });
}

function billingDetails(contact: Contact, details: PaymentDetails): BillingDetails {
  return {
    name: details.billingName,
    email: contact.email,
    phone: contact.phoneNumber,
    address: {
      line1: details.addressLine1,
      ...(details.addressLine2 && { line2: details.addressLine2 }),
      city: details.addressCity,
      state: details.addressState,
      ...(details.addressPostalCode && { postal_code: details.addressPostalCode }),
      country: details.addressCountry,
    },
  };
}
