import type { PaymentRow } from '#server/database/schema.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { type CardOnFile, readCard } from './card-on-file.ts';
import { actsOfHolder, depositOf, handedOverOf, type OnRecord } from './on-record.ts';
import { chargedCardOf } from './payment-on-record.ts';

/** What of a registration decides by which rules its balance is paid. */
interface Standing {
  edition: Edition;
  deposit: 'unpaid' | 'paid' | 'closed';
  agreed?: BalanceTerms;
  card?: CardOnFile;
}

/**
 * The rules of her balance: as she agreed to them, or those of the edition while she has agreed to none. Once the deposit is
 * paid, without the card fee where the edition asks it on credit cards only and the card on file is none.
 */
export function balanceTermsOf({ agreed, edition: { facts }, deposit, card }: Standing): BalanceTerms {
  const terms = agreed ?? facts;
  const isFeeAsked = !facts.prices.creditOnly || deposit !== 'paid' || card?.funding === 'credit';
  if (isFeeAsked || terms.prices.cardFeePerMille === 0) return terms;
  const { balanceBeforeFeeCents, checkDiscountPerMille } = terms.prices;
  const { chargeAt, refundsEndAt, lateDays, feeRefundable } = terms.balance;
  return {
    prices: { balanceBeforeFeeCents, cardFeePerMille: 0, checkDiscountPerMille },
    balance: { chargeAt, refundsEndAt, lateDays, feeRefundable },
  };
}

/** The card that is charged: the one that who has the place gave last, or paid the deposit with; none before it is paid. */
export function cardOnFileOf(
  onRecord: OnRecord,
  { deposit: state }: Pick<Standing, 'deposit'>,
): CardOnFile | undefined {
  const deposit = depositOf(onRecord);
  if (state !== 'paid' || !deposit) return undefined;
  const { acts } = onRecord;
  return readCard(actsOfHolder(acts)) ?? (handedOverOf(acts) ? undefined : firstCardOf(deposit));
}

/** The card that paid the deposit, if it can be charged again. */
function firstCardOf(deposit: PaymentRow): CardOnFile | undefined {
  const { id, brand, last4, expMonth, expYear, funding } = chargedCardOf(deposit) ?? {};
  if (!id || !brand || !last4 || !expMonth || !expYear || deposit.paidAt === null) return undefined;
  const card = { id, brand, last4, expMonth, expYear, since: new Date(deposit.paidAt) };
  return funding === undefined ? card : { ...card, funding };
}
