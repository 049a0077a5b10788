import type { OwnPageView } from './own-page-view.ts';
import { type Balance, balanceOf } from './tuition.ts';

/** The parts of a sum; undefined if the sum is not the current balance. */
export function partsOf(cents: number, { edition, waivedCents }: OwnPageView): Balance | undefined {
  const balance = balanceOf(edition.facts, waivedCents);
  return balance.byCardCents === cents ? balance : undefined;
}
