import * as v from 'valibot';
import { cardError } from './api-error.ts';
import { integer, text } from './parameters.ts';
import { findTestCard, type TestCard } from './test-cards.ts';

/** A card as it is typed. */
export const cardParameters = v.strictObject({
  number: text(64),
  exp_month: integer,
  exp_year: integer,
  cvc: v.exactOptional(text(16)),
});

type CardInput = v.InferOutput<typeof cardParameters>;

/** The year in four digits: cards may be sent with the last two only. */
export function fullYear(year: number): number {
  return year < 100 ? 2000 + year : year;
}

/** The test card of this number. Throws a card error for any other number, and for a date or CVC that cannot be. */
export function checkCard(card: CardInput, nowSeconds: number): TestCard {
  const testCard = findTestCard(card.number.replaceAll(/[\s-]/g, ''));
  if (!testCard) {
    throw cardError(
      "Your card was declined. This is a sandbox: it takes Stripe's test card numbers only, such as 4242 4242 4242 4242.",
      { code: 'card_declined', decline_code: 'test_mode_live_card', param: 'number' },
    );
  }
  if (card.exp_month < 1 || card.exp_month > 12) {
    throw cardError("Your card's expiration month is invalid.", {
      code: 'invalid_expiry_month',
      param: 'exp_month',
    });
  }
  if (!(Date.UTC(fullYear(card.exp_year), card.exp_month) > nowSeconds * 1000)) {
    throw cardError("Your card's expiration year is invalid.", {
      code: 'invalid_expiry_year',
      param: 'exp_year',
    });
  }
  if (card.cvc !== undefined && !(card.cvc.length === testCard.cvcLength && /^\d+$/.test(card.cvc))) {
    throw cardError("Your card's security code is invalid.", { code: 'invalid_cvc', param: 'cvc' });
  }
  return testCard;
}
