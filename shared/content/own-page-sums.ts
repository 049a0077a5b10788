import { partToPay } from './own-page-plan.ts';
import type { OwnPageView } from './own-page-view.ts';
import { type Balance, balanceOf } from './tuition.ts';

/** What a sum is made of; undefined if it is neither the current balance nor, of a payment plan, the part to pay. */
export function partsOf(cents: number, view: OwnPageView): Balance | undefined {
  const due = sumsOfPart(view) ?? sumsOfBalance(view);
  return due.byCardCents === cents ? due : undefined;
}

function sumsOfPart(view: OwnPageView): Balance | undefined {
  const part = partToPay(view);
  if (!part) return undefined;
  const { cents: byCardCents, beforeFeeCents } = part;
  return {
    beforeFeeCents,
    feeCents: byCardCents - beforeFeeCents,
    byCardCents,
    byCheckCents: beforeFeeCents,
  };
}

function sumsOfBalance({ edition, reduced, receivedCents }: OwnPageView): Balance {
  const { balanceBeforeFeeCents } = edition.facts.prices;
  return balanceOf(edition.facts, Math.min((reduced?.cents ?? 0) + receivedCents, balanceBeforeFeeCents));
}
