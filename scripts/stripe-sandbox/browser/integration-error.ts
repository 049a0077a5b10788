/** A mistake in how the page uses the script; Stripe.js throws errors of this name too. */
export class IntegrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IntegrationError';
  }
}
