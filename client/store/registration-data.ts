import type { Contact, CreatePaymentResponse, PaymentDetails } from '#shared/registration.ts';

/** What the card confirmation said, as far as the page needs it. */
export interface CardPaymentIntent {
  id: string;
  /** US cents. */
  amount: number;
}

/** Contact details as the endpoint was told them. */
export interface SentContact extends Contact {
  /** She was asked whether the place is for somebody else than whom she named, and said so. */
  somebodyElse?: boolean | undefined;
}

/** All that the stepper collects, under the specification's names (R2.10). Card data is never among it. */
export interface RegistrationData
  extends Partial<Contact>,
    Partial<Omit<PaymentDetails, 'cardNumber' | 'cardExpiry' | 'cardCvc'>> {
  package?: string | undefined;
  /** The selection shown to the visitor. */
  liveStreamingPass?: string;
  paymentIntentClientSecret?: string | undefined;
  /** What the payment charges, in US cents, as far as is known. */
  amountCents?: number | undefined;
  cardPaymentIntent?: CardPaymentIntent | undefined;
  /** Whether her mails are on their way, or follow when mail runs again. */
  confirmationMail?: CreatePaymentResponse['confirmationMail'] | undefined;
  /** Names this registration to the endpoint across repeated submits (R4.5). */
  idempotencyKey?: string | undefined;
  /** Contact details that were sent to the endpoint and got no answer: a payment may have been made with them. */
  unanswered?: SentContact | undefined;
  /** A confirmation of the payment was sent, and its outcome is not known: the card may have been charged. */
  confirmationUnheard?: true | undefined;
  /** Something other than the visitor fills in the field that is not shown: what it holds is sent no more. */
  hiddenFieldFilled?: true;
}

/** The id of a registration's payment, which is no secret; undefined before there is one. */
export function paymentIdOf({ paymentIntentClientSecret }: RegistrationData): string | undefined {
  return paymentIntentClientSecret?.split('_secret_')[0];
}
