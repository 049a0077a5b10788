import type Stripe from 'stripe';
import { LINKS_MARK } from './deposit-letters.ts';
import type { RegistrationRecord } from './registration-record.ts';

/**
 * Raises the number that links to the registration's page must name: older links stop working.
 * @returns the number for new links
 */
export async function renewLinks(
  stripe: Stripe,
  { id, linksEpoch }: Pick<RegistrationRecord, 'id' | 'linksEpoch'>,
): Promise<number> {
  const epoch = linksEpoch + 1;
  await stripe.paymentIntents.update(id, { metadata: { [LINKS_MARK]: String(epoch) } });
  return epoch;
}
