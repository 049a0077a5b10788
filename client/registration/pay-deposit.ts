import type {
  CreatePaymentMethodCardData,
  Stripe,
  StripeCardNumberElement,
  StripeError,
} from '@stripe/stripe-js';
import type { CardPaymentIntent } from '#client/store/registration-data.ts';
import type { Contact, PaymentDetails } from '#shared/registration.ts';

type BillingDetails = NonNullable<CreatePaymentMethodCardData['billing_details']>;

/** What the payment provider refused, in its own words for the visitor (R4.4). */
export class PaymentRefused extends Error {
  constructor(error: StripeError, fallback: string) {
    super(error.message ?? fallback);
    this.name = 'PaymentRefused';
  }
}

interface DepositCharge {
  stripe: Stripe;
  card: StripeCardNumberElement;
  clientSecret: string;
  contact: Contact;
  details: PaymentDetails;
  /** Said when the provider gives no words of its own. */
  fallbackMessage: string;
}

/**
 * Charges the deposit: makes the card's payment method, confirms the payment with it (3-D Secure included) and
 * keeps the method for the balance (R4.3).
 * @throws {PaymentRefused} when the provider says no
 */
export async function payDeposit(charge: DepositCharge): Promise<CardPaymentIntent> {
  const { stripe, card, clientSecret, contact, details, fallbackMessage } = charge;
  const method = await stripe.createPaymentMethod({
    type: 'card',
    card,
    billing_details: billingDetails(contact, details),
  });
  if (method.error) throw new PaymentRefused(method.error, fallbackMessage);

  const confirmation = await stripe.confirmCardPayment(clientSecret, {
    payment_method: method.paymentMethod.id,
    receipt_email: contact.email,
    setup_future_usage: 'off_session',
  });
  if (confirmation.error) throw new PaymentRefused(confirmation.error, fallbackMessage);
  const { id, amount } = confirmation.paymentIntent;
  return { id, amount };
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
