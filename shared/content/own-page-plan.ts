import { dateAt, formatDate } from '#shared/dates.ts';
import { formatCents, onWays } from '#shared/money.ts';
import { cancelPlanWords } from './cancel-words.ts';
import { nameCard } from './card-words.ts';
import type { Facts } from './edition.ts';
import { tellMoment } from './moments.ts';
import type { OwnPagePart, OwnPagePlan, OwnPageView } from './own-page-view.ts';
import { type Balance, balanceOf, sumsOf } from './tuition.ts';

export function partToPay({ plan }: OwnPageView): OwnPagePart | undefined {
  return plan?.parts.find(({ state }) => state !== 'paid');
}

export function isAgreementAsked({ plan }: OwnPageView): boolean {
  return plan !== undefined && !plan.agreedOn && !plan.isPaused;
}

export const planNotes = {
  asked: 'Your card is charged for no part before you have agreed to these dates.',
  open: 'See the dates, and agree',
  agreed: (day: string) => `You agreed to the dates of your payment plan on ${day}.`,
  look: 'See your payment plan',
  paused: 'Your payment plan is paused: nothing is charged until the office has written to you.',
  sums: ({ prices }: Facts) =>
    onWays(prices, `Each sum is by card, its fee of ${prices.cardFee} included.`) ||
    'Each sum is the same by card and by check.',
} as const;

export function describePart({ state, dueAt }: OwnPagePart, view: OwnPageView): string {
  const { plan, disputed } = view;
  if (state === 'paid') return 'paid';
  if (plan?.isPaused) return 'not charged while the plan is paused';
  const day = dayOf(dueAt, view);
  if (state === 'open') return `was due on ${day}, and is not paid yet`;
  if (!plan?.agreedOn) return `planned for ${day}`;
  const isCharged = ['charged-later', 'being-charged', 'retrying'].includes(view.state.kind) && !disputed;
  return `${state === 'next' ? 'next, ' : ''}${isCharged ? 'charged on' : 'due on'} ${day}`;
}

export const planPageWords = {
  title: 'Your payment plan',
  asked: (count: number) =>
    `You can pay the balance of your tuition in ${count} parts. Nothing is charged before you have agreed to these dates.`,
  agreed: (day: string) => `You agreed to these dates on ${day}.`,
  paused: planNotes.paused,
  parts: 'The parts',
  byCheck: (beforeFeeCents: number, { prices }: Facts) =>
    `by check ${formatCents(beforeFeeCents)}${onWays(prices, ', no card fee')}`,
  total: 'In all',
  means: 'What it means',
  act: 'Do you agree?',
  proofNote: 'So that nobody but you agrees here.',
  submit: 'Agree to this plan',
  spent: 'The retreat office helps you. Until you have agreed, nothing is charged.',
  otherwise: 'If it does not fit',
  otherwiseText:
    'Write to the office or call it: it makes another plan with you, or ends the plan, so that the balance is one sum again.',
} as const;

export function describePlan(view: OwnPageView): string[] {
  const { edition, card, plan, now } = view;
  const which = card ? `your ${nameCard(card)}, or to another card that you give later` : 'your card';
  const isRefundable = now < new Date(edition.facts.balance.refundsEndAt);
  const charged = `Each part is charged to ${which}, on its date. We e-mail you at least three days before; otherwise nothing is charged.`;
  return [
    ...(plan?.isPaused ? [] : [charged]),
    'You can pay a part before its date on your page. The others keep their dates, also if a part could not be charged.',
    'If the office changes the plan so that you would pay more, or sooner, you are asked again, and nothing is charged until you agree.',
    edition.plans?.roomWhilePaying
      ? 'Your place is yours, and the video room is open to you in its time, as long as no part is overdue.'
      : 'Your place is yours. The video room opens to you once all parts are paid.',
    `The rules on cancelling stay as they are. ${cancelPlanWords(edition, isRefundable)}`,
  ];
}

export function sumOfPlan({ parts }: OwnPagePlan): number {
  return parts.reduce((sum, { cents }) => sum + cents, 0);
}

export function dayOf(moment: Date, { edition: { timetable } }: Pick<OwnPageView, 'edition'>): string {
  return formatDate(dateAt(moment, timetable.timeZone.id));
}

export function momentOf(
  moment: Date,
  { edition, registrant }: Pick<OwnPageView, 'edition' | 'registrant'>,
): string {
  return tellMoment(moment, edition.timetable, registrant.timeZone);
}

/** What a sum is made of; undefined if it is neither the current balance nor, of a payment plan, the part to pay. */
export function partsOf(cents: number, view: OwnPageView): Balance | undefined {
  const part = partToPay(view);
  const due = part ? sumsOfPart(part) : sumsOfBalance(view);
  return due.byCardCents === cents ? due : undefined;
}

function sumsOfPart({ cents, beforeFeeCents }: OwnPagePart): Balance {
  return sumsOf({ beforeFeeCents, feeCents: cents - beforeFeeCents });
}

function sumsOfBalance({ edition, reduced, receivedCents }: OwnPageView): Balance {
  const { balanceBeforeFeeCents } = edition.facts.prices;
  return balanceOf(edition.facts, Math.min((reduced?.cents ?? 0) + receivedCents, balanceBeforeFeeCents));
}
