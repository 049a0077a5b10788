/** Whole US cents for an amount in US dollars, e.g. 721 -> 72100. */
export function dollarsToCents(dollars: number): number {
  return Math.round(dollars * 100);
}

/**
 * The card fee on an amount of US cents, rounded to the nearest cent.
 * The rate is given per mille so that the arithmetic stays in integers: 3.75% is 37.5.
 */
export function cardFeeCents(amountCents: number, ratePerMille: number): number {
  return Math.round((amountCents * ratePerMille) / 1000);
}

/** What a sum of US cents is by check or transfer, the discount taken off and rounded to the nearest cent. */
export function checkCents(amountCents: number, discountPerMille: number): number {
  return amountCents - Math.round((amountCents * discountPerMille) / 1000);
}

/**
 * What a check or a transfer pays of a sum, in US cents: the inverse of `checkCents`. Where two sums are the same by check,
 * it is the higher one, so that a check of what is asked for always pays all of it.
 * @param discountPerMille less than 500
 */
export function paidByCheck(cents: number, discountPerMille: number): number {
  const near = Math.round((cents * 1000) / (1000 - discountPerMille));
  const highest = [near + 2, near + 1, near].find((sum) => checkCents(sum, discountPerMille) <= cents);
  return highest ?? near - 1;
}

/** Made by its first use, as that takes a phone tens of milliseconds. Budget: TBT below 60 ms. */
let format: Intl.NumberFormat | undefined;

/** Formats whole cents as US dollars: 72100 -> `$721`, 72625 -> `$726.25`, 139500 -> `$1,395`. */
export function formatCents(amountCents: number): string {
  return formatDollars(amountCents / 100);
}

/** Formats dollars as US dollars: 1495 -> `$1,495`. */
export function formatDollars(amount: number): string {
  format ??= new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    trailingZeroDisplay: 'stripIfInteger',
  });
  return format.format(amount);
}

/** The part of a sum by card that is not the card fee, in US cents: the inverse of adding `cardFeeCents`. */
export function beforeCardFee(byCardCents: number, perMille: number): number {
  const near = Math.round((byCardCents * 1000) / (1000 + perMille));
  const found = [near, near - 1, near + 1].find(
    (cents) => cents + cardFeeCents(cents, perMille) === byCardCents,
  );
  return found ?? near;
}

/** How an edition asks for its price: more by card, less by check or transfer, or the same in every way. */
type Asked = Readonly<Record<'cardFeePerMille' | 'checkDiscountPerMille', number>>;

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
