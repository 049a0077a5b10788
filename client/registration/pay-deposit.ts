import type {
  CreatePaymentMethodCardData,
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
  if (confirmation.error) throw refusal(confirmation.error);
  const { id, amount } = confirmation.paymentIntent;
  return { id, amount };
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
