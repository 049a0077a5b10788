import type Stripe from 'stripe';
import { type DepositPlace, placeOfDeposit } from './deposit.ts';
import { requireNoPlaceYet } from './earlier-registrations.ts';
import { ownDeposit } from './own-deposit.ts';
import { alreadyPaid, depositClosed, isKeyInUse, isUsedOtherwise, unknownTerms } from './provider-errors.ts';
import { editionOf, isUnpaid } from './recognise-deposit.ts';
import { type Agreement, formatAgreement, readAgreement, TERMS_MARK } from './terms-mark.ts';

/** What a registrant ticked before she pays, and the deposit that it is for, by its client secret. */
export interface Consent extends Agreement {
  clientSecret: string;
}

/**
 * Writes to an unpaid deposit which terms its registrant agreed to. The first time stays: of the same terms nothing is
 * written again, be it for a second press or from another tab.
 * @param onProven is awaited before anything is written, and told for which place she is to pay
 * @throws {AppError} when the secret opens no deposit that is still to be paid, its edition never had these terms, or its
 *   registrant has paid another deposit
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
  // At the same time: a consent to what is not paid then does no harm.
  await Promise.all([requireNoPlaceYet(stripe, intent, edition.facts), write(stripe, intent, consent)]);
}

async function write(stripe: Stripe, intent: Stripe.PaymentIntent, consent: Consent): Promise<void> {
  const before = readAgreement(intent.metadata);
  if (before && isOf(before, consent)) return;

  const writeUnder = (key: string) => {
    const metadata = { [TERMS_MARK]: formatAgreement(consent) };
    return stripe.paymentIntents.update(intent.id, { metadata }, { idempotencyKey: key });
  };
  // Stripe lets one writer pass for what stood there before: another time under the same key is refused.
  const key = `${intent.id}-terms-${consent.version}-after-${before?.agreedAt.toISOString() ?? 'none'}`;
  try {
    await writeUnder(key);
  } catch (error) {
    if (!isUsedOtherwise(error) && !isKeyInUse(error)) throw error;
    const now = readAgreement((await stripe.paymentIntents.retrieve(intent.id)).metadata);
    if (now && isOf(now, consent)) return;
    // What Stripe has under the key is a failure of its own, which it would repeat for a day.
    await writeUnder(`${key}-at-${consent.agreedAt.toISOString()}`);
  }
}

type Text = Pick<Agreement, 'version' | 'digest'>;

function isOf(one: Text, other: Text): boolean {
  return one.version === other.version && one.digest === other.digest;
}
