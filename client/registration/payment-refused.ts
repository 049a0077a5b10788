/** The payment cannot be made, for a reason that the visitor is told in these words (R4.4). */
export class PaymentRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PaymentRefused';
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
