import { cardFeeCents, dollarsToCents } from './money.ts';

/** What a visitor can reserve. All amounts in whole US dollars (requirement R8). */
export interface RetreatPackage {
  id: string;
  title: string;
  description: string;
  total: number;
  oldPrice: number;
  /** What the card is charged today, fee included, in US dollars. */
  deposit: number;
  features: readonly string[];
  asteriskNote?: string;
}

/** The card fee: 3.75%, per mille. Some card networks and places cap or forbid it. */
export const CARD_FEE_PER_MILLE = 37.5;

/** The deposit of the payment policy before the card fee, in US dollars. */
export const DEPOSIT_BEFORE_FEE = 695;

export const retreatPackage: RetreatPackage = {
  id: 'january_2026_retreat',
  title: 'LIVE Online Retreat Package',
  description: 'January 2026 Retreat Deposit',
  total: 1395,
  oldPrice: 1495,
  deposit: Math.round(
    DEPOSIT_BEFORE_FEE + cardFeeCents(dollarsToCents(DEPOSIT_BEFORE_FEE), CARD_FEE_PER_MILLE) / 100,
  ),
  features: [
    'Daily Meditations',
    'Daily Guided Meal with the teacher',
    'Interactive Groups with the teacher',
    'Ongoing Support Programs',
    'Video Recordings for review',
  ],
};

/** What early registration saves, in US dollars. */
export const SAVING = retreatPackage.oldPrice - retreatPackage.total;

/** The card charge for the deposit, in US cents. */
export const DEPOSIT_CENTS = dollarsToCents(retreatPackage.deposit);

/** The balance before the card fee, in US dollars: what the deposit before its fee leaves of the tuition. */
export const BALANCE_BEFORE_FEE = retreatPackage.total - DEPOSIT_BEFORE_FEE;

/** The balance as it is charged to the card on file, fee included, in US cents. */
export const BALANCE_CENTS =
  dollarsToCents(BALANCE_BEFORE_FEE) + cardFeeCents(dollarsToCents(BALANCE_BEFORE_FEE), CARD_FEE_PER_MILLE);

/** The whole price by card, fees included, in US cents. */
export const PRICE_BY_CARD_CENTS = DEPOSIT_CENTS + BALANCE_CENTS;

/** The value reported for a purchase, in US dollars (R6.2). */
export const PURCHASE_VALUE = retreatPackage.oldPrice;

const packagesById = new Map([[retreatPackage.id, retreatPackage]]);

/** The package of that id, or undefined. A map, so that `constructor` or `__proto__` finds nothing. */
export function findPackage(id: string): RetreatPackage | undefined {
  return packagesById.get(id);
}
