import { SubmissionError } from 'redux-form';
import type { FormFailure } from '#client/registration/fields/form-error.tsx';
import { messages, RETREAT_FULL } from '#shared/registration.ts';
import { RegistrationRefused } from './create-payment.ts';
import { CardRefused, PaymentRefused } from './payment-refused.ts';

/** Codes of refusals whose message is shown as it is; the others are errors that she cannot fix. */
const SHOWN_VERBATIM = new Set([
  'already_paid',
  'looks_automated',
  'offer_over',
  'offer_used',
  'places_left',
  'payment_canceled',
  'payment_closed',
  'registered_before',
  'registration_closed',
  RETREAT_FULL,
  'too_many_registrations',
]);

interface Explanation {
  /** The form's fields, for errors that belong to one of them. */
  formFields?: readonly string[];
  /** What became of the visitor's money when an unexpected error occurred, as far as it is known. */
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
    const cardRefused = error instanceof CardRefused;
    return { words: error.message, reassurance: error.reassurance, cardRefused };
  }
  if (error instanceof RegistrationRefused && SHOWN_VERBATIM.has(error.code)) return { words: error.message };
  // biome-ignore lint/suspicious/noConsole: the specification has this failure logged
  console.error(error);
  return { words: messages.unexpected, reassurance: reassure(error) };
}
