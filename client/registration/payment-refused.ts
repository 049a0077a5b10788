/** The payment cannot be made, for a reason that the visitor is told in these words (R4.4). */
export class PaymentRefused extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'PaymentRefused';
  }
}
