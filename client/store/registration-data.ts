import type { Contact, CreatePaymentResponse, PaymentDetails } from '#shared/registration.ts';

/** The confirmed PaymentIntent, as far as the page needs it. */
export interface CardPaymentIntent {
  id: string;
  /** US cents. */
  amount: number;
}

/** Contact details as they were sent to the endpoint. */
export interface SentContact extends Contact {
  /** She confirmed that this place is for another person than the one already registered under that name. */
  somebodyElse?: boolean | undefined;
}

/** All that the stepper collects, under the specification's names (R2.10). Card data is never among it. */
export interface RegistrationData
  extends Partial<Contact>,
    Partial<Omit<PaymentDetails, 'cardNumber' | 'cardExpiry' | 'cardCvc'>> {
  package?: string | undefined;
  /** The selection shown to the visitor. */
  liveStreamingPass?: string;
  /** The zone that she chose for her hours; absent while it is her browser's. */
  timeZone?: string;
  paymentIntentClientSecret?: string | undefined;
  /** The payment's amount in US cents, as far as it is known. */
  amountCents?: number | undefined;
  cardPaymentIntent?: CardPaymentIntent | undefined;
  /** Whether her mails are queued, or will be sent once mail works again. */
  confirmationMail?: CreatePaymentResponse['confirmationMail'] | undefined;
  /** To whom the place was offered that she is about to pay for, if that is somebody else. */
  offeredTo?: CreatePaymentResponse['offeredTo'] | undefined;
  /** Names this registration to the endpoint across repeated submits (R4.5). */
  idempotencyKey?: string | undefined;
  /** Contact details that were sent to the endpoint and got no answer: a payment may have been made with them. */
  unanswered?: SentContact | undefined;
  /** A confirmation of the payment was sent, and its outcome is not known: the card may have been charged. */
  confirmationUnheard?: true | undefined;
  /** Something other than the visitor filled in the honeypot: its value is no longer sent. */
  hiddenFieldFilled?: true;
}

/** The id of a registration's payment, which is no secret; undefined before there is one. */
export function paymentIdOf({ paymentIntentClientSecret }: RegistrationData): string | undefined {
  return paymentIntentClientSecret?.split('_secret_')[0];
}
