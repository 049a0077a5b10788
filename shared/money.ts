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

export function formatCents(amountCents: number): string {
  return formatDollars(amountCents / 100);
}

/** Formats dollars as US dollars: 1495 -> `$1,495`. Without `Intl`, whose first use takes a slow phone 100 ms. Budget: tbt. */
export function formatDollars(amount: number): string {
  const cents = Math.round(Math.abs(amount) * 100);
  const dollars = String(Math.floor(cents / 100)).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  const rest = cents % 100 === 0 ? '' : `.${String(cents % 100).padStart(2, '0')}`;
  return `${amount < 0 ? '-' : ''}$${dollars}${rest}`;
}

/** Words about what a card costs more; nothing where every way costs the same. */
export function onWays(
  { cardFeePerMille }: Readonly<Record<'cardFeePerMille', number>>,
  fee: string,
): string {
  return cardFeePerMille > 0 ? fee : '';
}

export function percentOf(perMille: number): string {
  return `${perMille / 10}%`;
}
