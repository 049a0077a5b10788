import type Stripe from 'stripe';
import { type DepositPlace, placeOfDeposit } from './deposit.ts';
import { requireNoPlaceYet } from './earlier-registrations.ts';
import { ownDeposit } from './own-deposit.ts';
import { alreadyPaid, depositClosed, isKeyInUse, isUsedOtherwise, unknownTerms } from './provider-errors.ts';
import { editionOf, isUnpaid } from './recognise-deposit.ts';
import { type Agreement, formatAgreement, readAgreement, TERMS_MARK } from './terms-mark.ts';

/**
 * The terms that a registrant agreed to before she pays, and the deposit that they are for, by its client
 * secret.
 */
export interface Consent extends Agreement {
  clientSecret: string;
}

/**
 * Writes to an unpaid deposit which terms its registrant agreed to. The first time is kept: the same terms
 * are not written again, neither for a second press nor from another tab.
 * @param onProven is called with the place that she is to pay for, and awaited before anything is written
 * @throws {AppError} when the secret opens no deposit that is still to be paid, its edition never had these
 *   terms, or its registrant has paid another deposit
 */
export async function recordConsent(
  stripe: Stripe,
  consent: Consent,
  onProven: (place: DepositPlace) => Promise<void>,
): Promise<void> {
  const intent = await ownDeposit(stripe, consent.clientSecret);
  if (intent.status === 'canceled') throw depositClosed(intent);
  if (!isUnpaid(intent)) throw alreadyPaid();
  const edition = editionOf(intent);
  if (!edition?.agreed.some((terms) => isOf(terms, consent))) throw unknownTerms();
  await onProven(placeOfDeposit(intent, edition.facts));
  // Both in parallel: a consent is harmless if the deposit is then not paid.
  await Promise.all([requireNoPlaceYet(stripe, intent, edition.facts), write(stripe, intent, consent)]);
}

async function write(stripe: Stripe, intent: Stripe.PaymentIntent, consent: Consent): Promise<void> {
  const before = readAgreement(intent.metadata);
  if (before && isOf(before, consent)) return;

  const writeUnder = (key: string) => {
    const metadata = { [TERMS_MARK]: formatAgreement(consent) };
    return stripe.paymentIntents.update(intent.id, { metadata }, { idempotencyKey: key });
  };
  // Stripe accepts one write per previous value: a write with another time under the same key is refused.
  const key = `${intent.id}-terms-${consent.version}-after-${before?.agreedAt.toISOString() ?? 'none'}`;
  try {
    await writeUnder(key);
  } catch (error) {
    if (!isUsedOtherwise(error) && !isKeyInUse(error)) throw error;
    const now = readAgreement((await stripe.paymentIntents.retrieve(intent.id)).metadata);
    if (now && isOf(now, consent)) return;
    // What Stripe saved under the key is a failure of its own, which it would replay for a day.
    await writeUnder(`${key}-at-${consent.agreedAt.toISOString()}`);
  }
}

type Text = Pick<Agreement, 'version' | 'digest'>;

function isOf(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}
