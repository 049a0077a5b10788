import type { PlaceView } from './place-view.ts';
import { type Balance, balanceOf } from './tuition.ts';

/** What a sum consists of; undefined where it is not the balance as it is now. */
export function partsOf(cents: number, { edition, waivedCents }: PlaceView): Balance | undefined {
  const balance = balanceOf(edition.facts, waivedCents);
  return balance.byCardCents === cents ? balance : undefined;
}
