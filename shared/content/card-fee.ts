import type { Prices } from './edition.ts';

/** How an edition asks for its price: more by card, less by check or transfer, or the same in every way. */
type Asked = Pick<Prices, 'cardFeePerMille' | 'checkDiscountPerMille'>;

/**
 * Words about what a card costs more, or a check less.
 * @param fee where a card costs more
 * @param less where a check or a transfer costs less, by so much: `3%`
 * @returns nothing where every way costs the same
 */
export function onWays(prices: Asked, fee: string, less: (percent: string) => string = () => ''): string {
  if (prices.cardFeePerMille > 0) return fee;
  return prices.checkDiscountPerMille > 0 ? less(percentOf(prices.checkDiscountPerMille)) : '';
}

/** A rate as text for people: 37.5 per mille is `3.75%`. */
export function percentOf(perMille: number): string {
  return `${perMille / 10}%`;
}
