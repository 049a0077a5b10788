import type { OwnPageView } from './own-page-view.ts';
import { type Balance, balanceOf } from './tuition.ts';

/** The parts of a sum; undefined if the sum is not the current balance. */
export function partsOf(
  cents: number,
  { edition, reduced, receivedCents }: OwnPageView,
): Balance | undefined {
  const { balanceBeforeFeeCents } = edition.facts.prices;
  const balance = balanceOf(
    edition.facts,
    Math.min((reduced?.cents ?? 0) + receivedCents, balanceBeforeFeeCents),
  );
  return balance.byCardCents === cents ? balance : undefined;
}
