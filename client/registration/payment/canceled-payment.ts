import type { PaymentIntent } from '@stripe/stripe-js';
import { registrationEnds } from '#shared/content/registration-window.ts';
import { messages } from '#shared/registration.ts';

/** What a visitor is told whose payment was cancelled. The site gives its five-failures rule as `abandoned`. */
export function wordsForCanceled({
  cancellation_reason,
  canceled_at,
}: Pick<PaymentIntent, 'cancellation_reason' | 'canceled_at'>): string {
  if (cancellation_reason === 'abandoned') return messages.paymentClosed;
  const afterTheEnd = canceled_at !== null && canceled_at * 1000 >= registrationEnds.getTime();
  return afterTheEnd ? messages.registrationClosed : messages.paymentCanceled;
}
