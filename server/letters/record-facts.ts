import { balanceTermsOf, expiryOf } from '#server/record/card-on-file.ts';
import { reductionOf } from '#server/record/decisions.ts';
import { balanceOfRecord, leftToPay, paidBalances, partsOfBalance } from '#server/record/owed.ts';
import { paidByParts } from '#server/record/received.ts';
import type { Part, RegistrationRecord } from '#server/record/registration-record.ts';
import { chargeMomentOf, owingStates, stateOf } from '#server/record/registration-state.ts';
import type { Reduction } from '#shared/content/tuition.ts';

/** What every letter about a registration holds. */
export function factsOf(record: RegistrationRecord) {
  const { id, edition, registrant, linksEpoch, agreement } = record;
  const terms = balanceTermsOf(record);
  return {
    paymentIntentId: id,
    edition: edition.facts.id,
    ...registrant,
    ...(linksEpoch > 0 && { linksEpoch }),
    ...(terms !== edition.facts && { agreed: terms }),
    ...(agreement?.tax && { tax: agreement.tax }),
  };
}

/** What is to be paid next: of a payment plan a part. */
export function sumsOf(record: RegistrationRecord) {
  const { part } = record;
  if (part) {
    const { byCardCents: cents, beforeFeeCents } = balanceOfRecord(record);
    return { cents, beforeFeeCents, part: placeOfPart(part) };
  }
  return leftSumsOf(record);
}

/** Which part of how many it is. */
export function placeOfPart({ number, position, count }: Part) {
  return { number, position, count };
}

/** All that is left to pay. */
export function leftSumsOf(record: RegistrationRecord) {
  const { byCardCents: cents, beforeFeeCents } = leftToPay(record);
  const own = record.part ? undefined : record.balance?.id;
  const others = paidBalances(record).filter(({ id }) => id !== own);
  const byCard = others.reduce((sum, one) => sum + one.beforeFeeCents, 0);
  const receivedCents = paidByParts(partsOfBalance(record)) + byCard;
  return { cents, beforeFeeCents, ...reducedOf(record), ...(receivedCents > 0 && { receivedCents }) };
}

/** What is not asked of her. */
export function reducedOf({ decisions }: RegistrationRecord): { reduced?: Reduction } {
  const reduced = reductionOf(decisions);
  return reduced ? { reduced } : {};
}

/** Whether a paid balance is still refunded when she cancels. */
export function refundsOf(record: RegistrationRecord, now: Date) {
  return { isRefundable: now < new Date(balanceTermsOf(record).balance.refundsEndAt) };
}

/** The coming charge, and when she was last notified of it. */
export function chargeOf(record: RegistrationRecord, now: Date) {
  const { card, noticed } = record;
  return {
    ...sumsOf(record),
    ...refundsOf(record, now),
    dueAt: chargeMomentOf(record).toISOString(),
    ...(card && { card: { brand: card.brand, last4: card.last4 } }),
    ...(card && expiryOf(card) < chargeMomentOf(record) && { expires: true as const }),
    ...(noticed && { noticedAt: noticed.at.toISOString() }),
  };
}

/** Whether something is left to pay. */
export function owes(record: RegistrationRecord, now: Date): boolean {
  return owingStates.includes(stateOf(record, now));
}

export function msUntilDue(record: RegistrationRecord, now: Date): number {
  return chargeMomentOf(record).getTime() - now.getTime();
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Whether a letter may still tell of a moment: so many days later it is no news any more. */
export function isNews(at: Date, days: number, now: Date): boolean {
  return now.getTime() < at.getTime() + days * DAY_MS;
}
