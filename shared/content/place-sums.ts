import type { PlaceView } from './place-view.ts';
import { type Balance, balanceOf } from './tuition.ts';

/** The parts of a sum; undefined if the sum is not the current balance. */
export function partsOf(cents: number, { edition, waivedCents }: PlaceView): Balance | undefined {
  const balance = balanceOf(edition.facts, waivedCents);
  return balance.byCardCents === cents ? balance : undefined;
}
