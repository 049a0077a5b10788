import { LETTER_QUERY } from '#shared/page.ts';

let payment: string | null = null;

/** The id of the payment whose letter led to the page, also when its query is gone; null for every other visit. */
export function paymentInLink(): string | null {
  payment ??= new URLSearchParams(location.search).get(LETTER_QUERY);
  return payment;
}

/** Takes the query off the page's address. */
export function dropQuery(): void {
  paymentInLink();
  if (location.search) history.replaceState(history.state, '', location.pathname + location.hash);
}
