import { LETTER_QUERY } from '#shared/page.ts';

let payment: string | null = null;

/**
 * The payment id from the reminder's link that opened the page, even after `dropQuery`; null for other visits.
 */
export function paymentInLink(): string | null {
  payment ??= new URLSearchParams(location.search).get(LETTER_QUERY);
  return payment;
}

/** Takes the query off the page's address. */
export function dropQuery(): void {
  paymentInLink();
  if (location.search) history.replaceState(history.state, '', location.pathname + location.hash);
}
