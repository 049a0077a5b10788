/** The payment cannot be made, for a reason that the visitor is told in these words (R4.4). */
export class PaymentRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PaymentRefused';
  }
}

/** The payment takes no card any more, or not now: it was closed, or is being made. */
export class PaymentNotOpen extends PaymentRefused {
  readonly closed: boolean;

  constructor(reason: string, { closed }: { closed: boolean }) {
    super(reason);
    this.name = 'PaymentNotOpen';
    this.closed = closed;
  }
}
