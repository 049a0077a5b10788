import type { PaymentIntent } from '@stripe/stripe-js';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { messages } from '#shared/registration.ts';

interface Refusal {
  /** What became of the visitor's money, where the reason does not say it. */
  reassurance?: string;
}

/** The payment cannot be made, for a reason that the visitor is told in these words (R4.4). */
export class PaymentRefused extends Error {
  readonly reassurance: string | undefined;

  constructor(reason: string, { reassurance }: Refusal = {}) {
    super(reason);
    this.name = 'PaymentRefused';
    this.reassurance = reassurance;
  }
}

/** The payment takes no card any more, or not now: it was cancelled, or is being made. */
export class PaymentNotOpen extends PaymentRefused {
  /** Whether it is over: another payment can take its place. */
  readonly closed: boolean;

  constructor(reason: string, { closed }: { closed: boolean }) {
    super(reason);
    this.name = 'PaymentNotOpen';
    this.closed = closed;
  }
}

/** The place that was held for her is another's, and none is left. */
export class RetreatFull extends PaymentRefused {
  constructor(reason: string) {
    super(reason);
    this.name = 'RetreatFull';
  }
}

/** The payment charges another amount than the visitor was shown. */
export class AmountChanged extends PaymentRefused {
  /** What it charges, in US cents. */
  readonly amountCents: number;

  constructor(reason: string, { amountCents }: { amountCents: number }) {
    super(reason);
    this.name = 'AmountChanged';
    this.amountCents = amountCents;
  }
}

/** The provider could not be reached, or did not tell how the payment stands. */
export class ProviderUnreachable extends Error {
  /** Whether a confirmation was sent whose outcome is not known. */
  readonly mayBeCharged: boolean;

  constructor(reason: string, { mayBeCharged }: { mayBeCharged: boolean }) {
    super(reason);
    this.name = 'ProviderUnreachable';
    this.mayBeCharged = mayBeCharged;
  }
}

/** What a visitor is told whose payment was cancelled. The site gives its five-failures rule as `abandoned`. */
export function wordsForCanceled({
  cancellation_reason,
  canceled_at,
}: Pick<PaymentIntent, 'cancellation_reason' | 'canceled_at'>): string {
  if (cancellation_reason === 'abandoned') return messages.paymentClosed;
  const afterTheEnd = canceled_at !== null && canceled_at * 1000 >= Date.parse(facts.registration.closes);
  return afterTheEnd ? messages.registrationClosed : messages.paymentCanceled;
}
