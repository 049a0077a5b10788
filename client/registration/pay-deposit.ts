import type {
  CreatePaymentMethodCardData,
  PaymentIntent,
  Stripe,
  StripeCardNumberElement,
  StripeError,
} from '@stripe/stripe-js';
import type { CardPaymentIntent } from '#client/store/registration-data.ts';
import { type Contact, messages, type PaymentDetails } from '#shared/registration.ts';
import { PaymentRefused } from './payment-refused.ts';

type BillingDetails = NonNullable<CreatePaymentMethodCardData['billing_details']>;

interface DepositCharge {
  stripe: Stripe;
  card: StripeCardNumberElement;
  clientSecret: string;
  contact: Contact;
  details: PaymentDetails;
}

/**
 * Charges the deposit: makes the card's payment method, confirms the payment with it (3-D Secure included) and
 * keeps the method for the balance (R4.3).
 * @throws {PaymentRefused} when the provider says no
 */
export async function payDeposit(charge: DepositCharge): Promise<CardPaymentIntent> {
  const { stripe, card, clientSecret, contact, details } = charge;
  const method = await stripe.createPaymentMethod({
    type: 'card',
    card,
    billing_details: billingDetails(contact, details),
  });
  if (method.error) throw refusal(method.error);

  const confirmation = await stripe.confirmCardPayment(clientSecret, {
    payment_method: method.paymentMethod.id,
    receipt_email: contact.email,
    setup_future_usage: 'off_session',
  });
  const intent = confirmation.paymentIntent ?? (await findPaid(stripe, clientSecret));
  if (intent?.status === 'succeeded') return { id: intent.id, amount: intent.amount };
  throw confirmation.error ? refusal(confirmation.error) : new PaymentRefused(messages.unexpected);
}

/** A payment may have been made although its answer was lost, or in another tab: its true state decides. */
async function findPaid(stripe: Stripe, clientSecret: string): Promise<PaymentIntent | undefined> {
  const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
  return paymentIntent;
}

function refusal({ message }: StripeError): PaymentRefused {
  return new PaymentRefused(message ?? messages.unexpected);
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
      postal_code: details.addressPostalCode,
      country: details.addressCountry,
    },
  };
}
