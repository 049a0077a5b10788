import type { PaymentIntent } from '@stripe/stripe-js';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { messages } from '#shared/registration.ts';

interface Refusal {
  /** What became of the visitor's money, where the reason does not say it. */
  reassurance?: string;
}

/** The payment cannot be made; the message is the reason, in words for the visitor (R4.4). */
export class PaymentRefused extends Error {
  readonly reassurance: string | undefined;

  constructor(reason: string, { reassurance }: Refusal = {}) {
    super(reason);
    this.name = 'PaymentRefused';
    this.reassurance = reassurance;
  }
}

/** The card was refused: another one may do. */
export class CardRefused extends PaymentRefused {
  constructor(reason: string, refusal: Refusal) {
    super(reason, refusal);
    this.name = 'CardRefused';
  }
}

/** The payment cannot be paid: it was cancelled, or is being processed. */
export class PaymentNotOpen extends PaymentRefused {
  /** Whether it was cancelled: it can then be replaced by a new payment. */
  readonly closed: boolean;

  constructor(reason: string, { closed }: { closed: boolean }) {
    super(reason);
    this.name = 'PaymentNotOpen';
    this.closed = closed;
  }
}

/** The place that was held for her has been given to somebody else, and none is left. */
export class RetreatFull extends PaymentRefused {
  constructor(reason: string) {
    super(reason);
    this.name = 'RetreatFull';
  }
}

/** The payment's amount differs from the one shown to the visitor. */
export class AmountChanged extends PaymentRefused {
  /** What it charges, in US cents. */
  readonly amountCents: number;

  constructor(reason: string, { amountCents }: { amountCents: number }) {
    super(reason);
    this.name = 'AmountChanged';
    this.amountCents = amountCents;
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
