import type { Edition } from '#shared/content/edition.ts';

const HOUR_MS = 60 * 60 * 1000;

/** A moment some hours after another one, both in ISO format. */
export function hoursAfter(moment: string, hours: number): string {
  return new Date(Date.parse(moment) + hours * HOUR_MS).toISOString();
}

/** What the samples of several letters say. */
export function sampleFacts({ facts: { prices, balance } }: Edition) {
  const paidAt = hoursAfter(balance.chargeAt, 0);
  return {
    paidAt,
    /** Some days before the charge. */
    earlier: hoursAfter(paidAt, -391),
    depositPaidAt: hoursAfter(paidAt, -487),
    sums: { cents: prices.balanceCents, beforeFeeCents: prices.balanceBeforeFeeCents },
    /** What is left after a scholarship. */
    part: {
      ...{ cents: 51_875, beforeFeeCents: 50_000 },
      reduced: { cents: prices.balanceBeforeFeeCents - 50_000, as: 'scholarship' as const },
    },
    /** The second of the three parts of a payment plan. */
    ofPlan: { cents: 25_938, beforeFeeCents: 25_000, part: { number: 2, position: 2, count: 3 } },
    card: { brand: 'visa', last4: '4242' },
  };
}
