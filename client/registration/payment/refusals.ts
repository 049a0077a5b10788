import type { PaymentIntent } from '@stripe/stripe-js';
import { SubmissionError } from 'redux-form';
import type { FormFailure } from '#client/registration/fields/form-field.tsx';
import { facts } from '#shared/content/compiled/on-sale.ts';
import { messages, RETREAT_FULL } from '#shared/registration.ts';
import { RegistrationRefused, SiteBusy } from './request-payment.ts';

interface Refusal {
  /** What happened to the visitor's money, where the reason does not say it. */
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
  readonly refusal: Refusal;

  constructor(reason: string, refusal: Refusal = {}) {
    super(reason);
    this.name = 'PaymentRefused';
    this.refusal = refusal;
  }
}

/** The provider could not be reached, or did not report the payment's state. */
export class ProviderUnreachable extends Error {
  /** Whether a confirmation was sent whose outcome is not known. */
  readonly mayBeCharged: boolean;

  constructor(reason: string, { mayBeCharged }: { mayBeCharged: boolean }) {
    super(reason);
    this.name = 'ProviderUnreachable';
    this.mayBeCharged = mayBeCharged;
  }
}

/**
 * The message for a cancelled payment. `abandoned` is the site's own reason for its rule of five failures.
 */
export function wordsForCanceled({
  cancellation_reason,
  canceled_at,
}: Pick<PaymentIntent, 'cancellation_reason' | 'canceled_at'>): string {
  if (cancellation_reason === 'abandoned') return messages.paymentClosed;
  const afterTheEnd = canceled_at !== null && canceled_at * 1000 >= Date.parse(facts.registration.closes);
  return afterTheEnd ? messages.registrationClosed : messages.paymentCanceled;
}

/** Codes of refusals whose message is shown as it is; the others are errors that she cannot fix. */
const SHOWN_VERBATIM = new Set([
  'already_paid',
  'looks_automated',
  'offer_over',
  'offer_used',
  'places_left',
  'payment_canceled',
  'payment_closed',
  'registration_closed',
  RETREAT_FULL,
  'too_many_held',
  'too_many_registrations',
]);

interface Explanation {
  /** The form's fields, for errors that belong to one of them. */
  formFields?: readonly string[];
  /** What happened to the visitor's money when an unexpected error occurred, as far as it is known. */
  reassure: (error: unknown) => string | undefined;
}

/**
 * Runs a form's submit. A refusal by the payment provider or the endpoint is shown in its own words; any
 * other error is logged and shown as unexpected, since redux-form would swallow it (R4.2, R4.4).
 * @throws {SubmissionError} with the form-level error, or with those of the form's fields that the endpoint
 * refused
 */
export async function submitOrExplain(submit: () => Promise<void>, explain: Explanation): Promise<void> {
  try {
    await submit();
  } catch (error) {
    const fields = fieldsOf(error, explain.formFields ?? []);
    throw fields
      ? new SubmissionError(fields)
      : new SubmissionError<object, FormFailure>({ _error: failureFor(error, explain) });
  }
}

function fieldsOf(error: unknown, formFields: readonly string[]): Record<string, string> | undefined {
  if (!(error instanceof RegistrationRefused)) return undefined;
  const refused = Object.entries(error.fields).filter(([field]) => formFields.includes(field));
  return refused.length > 0 ? Object.fromEntries(refused) : undefined;
}

function failureFor(error: unknown, { reassure }: Explanation): FormFailure {
  if (error instanceof PaymentRefused) {
    const { reassurance, ofCard: cardRefused } = error.refusal;
    return { words: error.message, reassurance, cardRefused };
  }
  const isVerbatim = error instanceof RegistrationRefused && SHOWN_VERBATIM.has(error.code);
  if (isVerbatim || error instanceof SiteBusy) return { words: error.message };
  // biome-ignore lint/suspicious/noConsole: the specification has this failure logged
  console.error(error);
  return { words: messages.unexpected, reassurance: reassure(error) };
}
