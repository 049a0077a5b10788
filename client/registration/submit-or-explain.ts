import { SubmissionError } from 'redux-form';
import { messages } from '#shared/registration.ts';
import { PaymentRefused } from './payment-refused.ts';

/**
 * Runs a form's submit. What the payment provider refused is shown in its words, everything else is logged and
 * shown as an unexpected error; redux-form would swallow it (R4.2, R4.4).
 * @throws {SubmissionError} with the form-level error
 */
export async function submitOrExplain(submit: () => Promise<void>): Promise<void> {
  try {
    await submit();
  } catch (error) {
    if (error instanceof PaymentRefused) throw new SubmissionError({ _error: error.message });
    // biome-ignore lint/suspicious/noConsole: the specification has this failure logged
    console.error(error);
    throw new SubmissionError({ _error: messages.unexpected });
  }
}
