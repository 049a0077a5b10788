import { formatCents } from '#shared/money.ts';
import type { DeclineReason } from '#shared/own-page.ts';
import { partToPay } from './own-page-plan.ts';
import type { CardToCharge, OwnPagePart, OwnPageState, OwnPageView } from './own-page-view.ts';
import { nameOfPart, titleOfPart } from './tuition.ts';

export interface PayNow {
  /** US cents. */
  cents: number;
  part: OwnPagePart | undefined;
  card: CardToCharge;
}

/** Decline reasons for which the same card will be refused again: it is not offered to her. */
const PERMANENT_DECLINES: readonly DeclineReason[] = ['expired', 'card-blocked'];

export function payableCents({ state, disputed }: OwnPageView): number | undefined {
  if (disputed) return undefined;
  if (state.kind === 'held') return state.isPayable ? state.cents : undefined;
  return isOwed(state) ? state.cents : undefined;
}

type Owed = Extract<OwnPageState, { kind: 'charged-later' | 'to-pay' | 'retrying' | 'action-needed' }>;

function isOwed(state: OwnPageState): state is Owed {
  return ['charged-later', 'to-pay', 'retrying', 'action-needed'].includes(state.kind);
}

export function payNowOf(view: OwnPageView): PayNow | undefined {
  const { state, card } = view;
  const cents = payableCents(view);
  const isRefused = 'reason' in state && PERMANENT_DECLINES.includes(state.reason);
  if (cents === undefined || !card || card.expired || isRefused) return undefined;
  return { cents, part: partToPay(view), card };
}

/** Whether another card would be charged without a press of hers, and the one on file is to be so. */
export function isCardChangeable({ state }: OwnPageView): boolean {
  if (state.kind === 'action-needed') return state.newCard !== undefined;
  return state.kind === 'charged-later' || state.kind === 'retrying';
}

export const payWords = {
  title: (cents: number) => `Pay ${formatCents(cents)}`,
  open: ({ cents, part }: Pick<PayNow, 'cents' | 'part'>) =>
    part ? `Pay ${nameOfPart(part)} now, ${formatCents(cents)}` : `Pay ${formatCents(cents)} now`,
  /** Where there is no card, or none that can pay. */
  openWithCard: ({ cents, part }: Pick<PayNow, 'cents' | 'part'>) =>
    `Give a card, then pay ${part ? `${nameOfPart(part)}, ` : ''}${formatCents(cents)}`,
  lede: 'It is charged at once, when you press the button. If your bank wants you to confirm it, we lead you there and back.',
  with: 'It is paid with',
  made: (beforeFee: string, cardFee: string) => `${beforeFee} and the card fee of ${cardFee}.`,
  act: 'Pay it now',
  proofNote: 'So that nobody but you pays here.',
  submit: (cents: number) => `Pay ${formatCents(cents)}`,
  spent: 'The retreat office helps you to pay all the same:',
  otherwise: 'With another card',
  otherwiseText: 'First store the other card: then you pay with it by one press.',
  anotherCard: 'Store another card first',
  away: 'Our payment provider does not answer at the moment, so nothing was charged. Please try again in a few minutes, or ask the office.',
} as const;

export const cardWords = {
  title: (hasCard: boolean) => (hasCard ? 'Change the card' : 'Give your card'),
  open: 'Change the card',
  lede: 'You enter the card at Stripe, our payment provider, and come back here. Its number never passes through this site.',
  time: 'Its page stays open for half an hour. If you go back before you have stored a card, nothing changes.',
  act: 'On to Stripe',
  proofNote: 'So that nobody but you puts another card here.',
  submit: 'Enter the card at Stripe',
  spent: 'The retreat office helps you:',
} as const;

export function whenCharged(view: OwnPageView): string {
  const { state } = view;
  const cents = 'cents' in state ? formatCents(state.cents) : '';
  const part = partToPay(view);
  const what = part ? titleOfPart(part) : 'The balance';
  if (state.kind === 'held') return `Nothing is charged before you have pressed “Pay ${cents}” on your page.`;
  if (isChargedAtOnce(state))
    return `${what}, ${cents}, is overdue: it is charged to the new card within a few minutes, if you do not pay it before.`;
  if (!isCardChangeable(view))
    return `Nothing is charged before you have pressed “Pay ${cents}” on your page.`;
  return part
    ? `Nothing is charged now. ${what} of your payment plan, ${cents}, is charged to the new card on its date, and so are the parts after it.`
    : `Nothing is charged now. The balance of ${cents} is charged to the new card when it is due.`;
}

function isChargedAtOnce(state: OwnPageState): boolean {
  if (state.kind === 'to-pay') return state.chargedAt !== undefined;
  return state.kind === 'retrying' || ('newCard' in state && state.newCard === 'at-once');
}

export const onTheWayWords = {
  title: { card: 'On to Stripe', bank: 'On to your bank' },
  lede: {
    card: 'You are led to Stripe, our payment provider, where you enter the card.',
    bank: 'Your bank wants you to confirm the payment. You are led there, and back here afterwards.',
  },
  go: 'Go on',
} as const;
export type OnTheWay = keyof typeof onTheWayWords.title;
