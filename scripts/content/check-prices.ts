import { cardFeeCents, dollarsToCents } from '#shared/money.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';
import { textsOf } from './texts.ts';

/** What is wrong in fields of `edition.yaml`, by their paths. */
export type Wrong = Readonly<Record<string, string | false>>;

/** Finds prices that contradict each other. */
export function wrongPricesOf({ price, balance }: Written['edition']): Wrong {
  const { tuition, regularTuition, depositBeforeFee, cardFee, creditOnly, checkDiscount, deposit } = price;
  const cents = dollarsToCents(depositBeforeFee);
  const wanted = Math.round((cents + cardFeeCents(cents, cardFee * 10)) / 100);
  const sum = `${depositBeforeFee} plus ${cardFee} percent is ${wanted} in whole dollars, not ${deposit}`;
  const { feeRefundable } = balance;
  return {
    'price.regularTuition':
      regularTuition <= tuition &&
      `it is no higher than the tuition of ${tuition}, and the page tells what is saved: write the regular price`,
    'price.depositBeforeFee':
      depositBeforeFee >= tuition &&
      `it leaves nothing of the tuition of ${tuition} to pay later: write less`,
    'price.creditOnly':
      creditOnly === true &&
      ((cardFee === 0 && 'no card fee is asked (price.cardFee) on any card: delete it') ||
        (depositBeforeFee % 1 !== 0 &&
          `a debit card pays the deposit of ${depositBeforeFee} without a fee: write whole dollars for depositBeforeFee`)),
    'price.checkDiscount':
      checkDiscount > 0 &&
      cardFee > 0 &&
      `a card costs ${cardFee} percent more, and a check ${checkDiscount} percent less: delete cardFee or checkDiscount`,
    'price.deposit':
      cardFee > 0
        ? deposit !== wanted && `the price does not add up: ${sum}. Write ${wanted}, or correct the others`
        : deposit !== depositBeforeFee &&
          `no card fee is asked (price.cardFee), so deposit and depositBeforeFee are the same sum in whole dollars: write it twice`,
    'balance.feeRefundable':
      cardFee > 0
        ? feeRefundable === undefined && 'say whether a refund includes the card fee: write true or false'
        : feeRefundable !== undefined &&
          'no card fee is asked (price.cardFee), so none is refunded: delete it',
  };
}

const ON_FEE =
  /\{cardFee\}|\b(?:(?:credit[\s-]+)?card|processing)[\s-]+(?:processing[\s-]+)?fees?\b|\bsurcharges?\b/i;

/** Finds texts that name a card fee where none is asked. */
export function* checkFeeWords({ written, problem }: EditionFolder): Iterable<ContentProblem> {
  if (written.edition.price.cardFee > 0) return;
  for (const { file, field, text } of textsOf(written)) {
    const [named] = ON_FEE.exec(text) ?? [];
    if (named === undefined) continue;
    yield problem(file, field, `it names “${named}”, and no card fee is asked (price.cardFee): take it out`);
  }
}

/** Finds terms that do not name the discount that they give, nor the cards that bear no fee. */
export function* checkPriceTerms({ written, problem }: EditionFolder): Iterable<ContentProblem> {
  const { cardFee, creditOnly, checkDiscount } = written.edition.price;
  const terms = JSON.stringify(written.terms);
  if (creditOnly && !/\bdebit\b/i.test(terms))
    yield problem('terms', ['policies'], 'no policy says that debit and prepaid cards bear no fee: tell it');
  if (cardFee > 0 || checkDiscount === 0 || terms.includes('{checkDiscount}')) return;
  const says = 'no policy says what is less by check: tell it, with {checkDiscount}';
  yield problem('terms', ['policies'], says);
}
