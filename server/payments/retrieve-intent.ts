import type Stripe from 'stripe';
import { isMissing } from './provider-errors.ts';
import { untraced } from './untraced.ts';

/** A payment as Stripe has it now; undefined when there is none of this id. */
export function retrieveIntent(
  stripe: Stripe,
  id: string,
  expand: readonly string[] = [],
): Promise<Stripe.PaymentIntent | undefined> {
  const retrieve = () => stripe.paymentIntents.retrieve(id, { expand: [...expand] });
  return untraced(retrieve).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
}
