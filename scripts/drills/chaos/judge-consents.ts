import type Stripe from 'stripe';
import { readAgreement } from '#server/payments/terms-mark.ts';
import type { Visit } from './visits.ts';

/** What happened to the consents. */
export interface ConsentCount {
  expected: number;
  recorded: number;
  lost: number;
  /** Consents that were written although they were on record already. */
  doubled: number;
  problems: string[];
}

/**
 * Checks that each paid payment has its consent: to the terms that she saw, with a time between her press and
 * her payment, written once; and that no other payment has one.
 * @param writes the payments that consents were written to, each time they were
 */
export function checkConsents(
  visits: readonly Visit[],
  intents: readonly Pick<Stripe.PaymentIntent, 'id' | 'metadata'>[],
  writes: readonly string[],
): ConsentCount {
  const metadata = new Map(intents.map((intent) => [intent.id, intent.metadata]));
  const given = visits.filter(({ consent }) => consent);
  const problems: string[] = [];
  let recorded = 0;
  for (const { paymentIntentId: id, consent } of visits) {
    const agreement = readAgreement(metadata.get(id) ?? {});
    if (agreement && consent) recorded += 1;
    if (agreement && !consent) problems.push(`${id} holds a consent that nobody gave`);
    if (!agreement && consent) problems.push(`the consent of ${id} is lost`);
    if (!agreement || !consent) continue;
    const { version, digest, agreedAt } = agreement;
    const { terms } = consent;
    if (version !== terms.version || digest !== terms.digest)
      problems.push(`${id} holds a consent to other terms: ${version}`);
    if (agreedAt.getTime() < consent.fromMs || agreedAt.getTime() > consent.untilMs)
      problems.push(`${id} holds a consent of another time: ${agreedAt.toISOString()}`);
  }
  const again = writes.filter((id, place) => writes.indexOf(id) < place);
  problems.push(...again.map((id) => `the consent of ${id} was written again`));
  const lost = given.length - recorded;
  return { expected: given.length, recorded, lost, doubled: again.length, problems };
}
