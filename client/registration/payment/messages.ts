import type { PaymentIntent, StripeError } from '@stripe/stripe-js';
import type { FormErrors } from '#client/registration/fields/form.tsx';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { registrationCopy } from '#shared/content/registration.ts';
import { type ErrorResponse, messages, RETREAT_FULL } from '#shared/registration.ts';

const { nothingCharged, offline, unheard } = registrationCopy.reassurance;

interface Refusal {
  reassurance?: string;
  /** Set if the card was refused: another one may do. */
  ofCard?: true;
  /** The payment cannot be paid: it is being processed, or it was cancelled and can be replaced by a new one. */
  notOpen?: 'processing' | 'closed';
  /** The place that was held for her has been given to somebody else, and none is left. */
  isFull?: true;
  /** What the payment charges, in US cents, if that is not the amount shown to the visitor. */
  amountCents?: number;
}

/** The payment cannot be made; the message is the reason, in words for the visitor (R4.4). */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  readonly refusal: Refusal;

  constructor(reason: string, refusal: Refusal = {}) {
    super(reason);
    this.refusal = refusal;
  }
}

/** The provider could not be reached, or did not report the payment's state. */
export class ProviderUnreachable extends Error {
  override readonly name = 'ProviderUnreachable';
  /** Whether a confirmation was sent whose outcome is not known. */
  readonly mayBeCharged: boolean;

  constructor(reason: string, { mayBeCharged }: { mayBeCharged: boolean }) {
    super(reason);
    this.mayBeCharged = mayBeCharged;
  }
}

/** The visitor's consent to the terms is not known to be recorded: her card must not be charged. */
export class ConsentNotRecorded extends Error {
  override readonly name = 'ConsentNotRecorded';

  constructor(cause: unknown) {
    super('The consent to the terms could not be recorded', { cause });
  }
}

/** The endpoint refused, and made nothing. Holds the reason in words for the visitor, and the errors by field. */
export class RegistrationRefused extends Error {
  override readonly name = 'RegistrationRefused';
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor({ code, message, fields = {} }: ErrorResponse['error']) {
    super(message);
    this.code = code;
    this.fields = fields;
  }
}

/** The site has no room at this moment, and charged nothing; its words are for the visitor. */
export class SiteBusy extends Error {
  readonly retryAfterS: number;

  constructor(words: string, retryAfterS: number) {
    super(words);
    this.retryAfterS = retryAfterS;
  }
}

/** Codes of refusals whose message is shown as it is; the others are errors that she cannot fix. */
const SHOWN_VERBATIM = new Set([
  'already_paid',
  'looks_automated',
  'places_left',
  'payment_canceled',
  'payment_closed',
  'registration_closed',
  RETREAT_FULL,
  'too_many_held',
  'too_many_registrations',
]);

/**
 * What a form shows of an error: the errors of its fields that the endpoint refused, or a failure. A refusal by the payment
 * provider or the endpoint is shown in its own words; any other error is logged and shown as unexpected (R4.2, R4.4).
 * @param reassure what happened to the visitor's money when an unexpected error occurred, as far as it is known
 * @param formFields the form's fields, for errors that belong to one of them
 */
export function explain(
  error: unknown,
  reassure: (error: unknown) => string | undefined,
  formFields: readonly string[] = [],
): FormErrors {
  if (error instanceof PaymentRefused) {
    const { reassurance, ofCard: cardRefused } = error.refusal;
    return { _error: { words: error.message, reassurance, cardRefused } };
  }
  if (error instanceof SiteBusy) return { _error: { words: error.message } };
  if (error instanceof RegistrationRefused) {
    const refused = Object.entries(error.fields).filter(([field]) => formFields.includes(field));
    if (refused.length > 0) return Object.fromEntries(refused);
    if (SHOWN_VERBATIM.has(error.code)) return { _error: { words: error.message } };
  }
  // biome-ignore lint/suspicious/noConsole: the specification has this failure logged
  console.error(error);
  return { _error: { words: messages.unexpected, reassurance: reassure(error) } };
}

/** What an unexpected error of the payment step did to her money. */
export function reassureAtPayment(error: unknown): string | undefined {
  if (error instanceof ConsentNotRecorded) return nothingCharged;
  if (error instanceof ProviderUnreachable) return error.mayBeCharged ? unheard : offline;
  return undefined;
}

/** The error for one of Stripe.js, which has a type for a lost connection: https://docs.stripe.com/js/appendix/errors */
export function failureOf({ type, code, message = messages.unexpected }: StripeError, mayBeCharged = false) {
  if (mayBeCharged || type === 'api_connection_error')
    return new ProviderUnreachable(message, { mayBeCharged });
  const isOfCard = type === 'card_error' || code === 'payment_intent_authentication_failure';
  return new PaymentRefused(message, { reassurance: nothingCharged, ...(isOfCard && { ofCard: true }) });
}

/** The message for a cancelled payment. `abandoned` is the site's own reason for its rule of five failures. */
export function wordsForCanceled({
  cancellation_reason,
  canceled_at,
}: Pick<PaymentIntent, 'cancellation_reason' | 'canceled_at'>): string {
  if (cancellation_reason === 'abandoned') return messages.paymentClosed;
  const afterTheEnd = canceled_at !== null && canceled_at * 1000 >= Date.parse(facts.registration.closes);
  return afterTheEnd ? messages.registrationClosed : messages.paymentCanceled;
}
