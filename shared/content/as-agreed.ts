import { dateAt } from '#shared/local-time.ts';
import { percentOf } from './card-fee.ts';
import type { BalanceTerms, Edition } from './edition.ts';
import { balanceOf } from './tuition.ts';

/**
 * An edition with the balance that somebody agreed to: her letters and her page name these sums and dates, whatever the
 * edition says by now.
 */
export function asAgreed(edition: Edition, agreed: BalanceTerms | undefined): Edition {
  const { facts, timetable } = edition;
  if (!agreed || areSame(agreed, facts)) return edition;
  const prices = {
    ...facts.prices,
    ...agreed.prices,
    cardFee: percentOf(agreed.prices.cardFeePerMille),
    balanceCents: balanceOf(agreed).byCardCents,
  };
  const balance = { ...facts.balance, ...agreed.balance };
  const balanceDueDate = dateAt(new Date(balance.chargeAt), timetable.timeZone.id);
  return { ...edition, facts: { ...facts, prices, balance, balanceDueDate } };
}

function areSame(one: BalanceTerms, other: BalanceTerms): boolean {
  const [ofOne, ofOther] = [valuesOf(one), valuesOf(other)];
  return ofOne.every((value, index) => value === ofOther[index]);
}

function valuesOf({ prices, balance }: BalanceTerms): (number | boolean)[] {
  const { chargeAt, refundsEndAt, lateDays, feeRefundable } = balance;
  const moments = [chargeAt, refundsEndAt].map((moment) => Date.parse(moment));
  const { balanceBeforeFeeCents, cardFeePerMille, checkDiscountPerMille } = prices;
  const rates = [cardFeePerMille, checkDiscountPerMille];
  return [balanceBeforeFeeCents, ...rates, ...moments, lateDays, feeRefundable];
}
