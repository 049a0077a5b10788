import { formatMonthAndDay } from '#shared/dates.ts';
import { formatCents } from '#shared/money.ts';
import { cancelPlanWords, cancelTexts, cancelWords, lastRefundDay } from './cancel-words.ts';
import { cardsOfRefund, nameCard } from './card-words.ts';
import type { Edition } from './edition.ts';
import { dayOf, momentOf, partsOf } from './own-page-plan.ts';
import {
  type CancelledState,
  type Cancelling,
  type CancellingState,
  type OwnPageRefund,
  type OwnPageView,
  type StateWords,
  says,
} from './own-page-view.ts';
import type { RefundLine } from './tuition.ts';

const MINUTE_MS = 60 * 1000;

const ONCE_FINAL = ', once the 24 hours are over in which you can undo it';
const NOTHING_BACK = 'By the policies that you agreed to, nothing comes back.';

export const cancelPageWords = {
  title: 'Cancel your place',
  lede: 'Plans change, and that is all right. Here is what it means today. Nothing happens until you press the button at the end.',
  refund: 'What comes back to you',
  total: 'Comes back to you',
  ends: 'What ends',
  endsText:
    'Your place ends at once, and with it the links to the room. Nothing more is charged. Your page and your receipts stay.',
  undo: 'If you change your mind',
  undoText: (isShort: boolean) =>
    `${isShort ? 'Until the retreat is over' : 'For 24 hours'} you can undo it on your page, just as easily. Then your place is yours as before. We send you an e-mail that says so.`,
  act: 'Cancel',
  spent: 'You can still cancel today: write to the office. What counts is when you write.',
  proofNote: 'So that nobody but you gives your place up.',
  submit: 'Cancel my place',
  noReason: 'You don’t have to say why.',
  inWriting: 'If you would rather write',
  inWritingText: (ways: string) =>
    `The office cancels your place for you just as well, ${ways}. What counts is when you write.`,
} as const;

export const undoPageWords = {
  title: 'Keep your place',
  lede: 'You have cancelled. Undo it here, and your place is yours again, as it was.',
  proofNote: 'So that nobody but you can undo it.',
  submit: 'Keep my place',
  spent:
    'You can still keep your place: call the office or write to it while the cancellation can still be undone.',
} as const;

interface RefundWords {
  label: string;
  sum: string;
  note?: string;
}

export function describeRefund({ lines }: OwnPageRefund, edition: Edition): RefundWords[] {
  return joined(lines).map((line) => describeLine(line, edition));
}

function joined(lines: readonly RefundLine[]): RefundLine[] {
  const joined: RefundLine[] = [];
  for (const line of lines) {
    const { of, words, afterCancelling } = line;
    const at = joined.findIndex(
      (one) => one.of === of && one.words === words && one.afterCancelling === afterCancelling,
    );
    const { paidCents = 0, cents = 0 } = joined[at] ?? {};
    joined.splice(at < 0 ? joined.length : at, 1, {
      ...line,
      paidCents: paidCents + line.paidCents,
      cents: cents + line.cents,
    });
  }
  return joined;
}

function describeLine({ of, paidCents, cents, afterCancelling }: RefundLine, edition: Edition): RefundWords {
  const sum = formatCents(cents);
  const paid = formatCents(paidCents);
  switch (of) {
    case 'deposit':
      return {
        label: `Of the deposit of ${paid}`,
        sum,
        note: 'By the policies that you agreed to, the deposit is not refunded.',
      };
    case 'given-back':
      return { label: 'Given back to you before', sum };
    case 'fee':
      return {
        label: `Of its card fee of ${paid}`,
        sum,
        note: cents > 0 ? 'It comes back too.' : 'The card fee is not refunded.',
      };
    case 'balance': {
      const label = `Of the balance of ${paid}`;
      if (afterCancelling)
        return { label, sum, note: 'It was paid after you had cancelled, so all of it comes back.' };
      const day = formatMonthAndDay(lastRefundDay(edition));
      const inTime = `Cancelled by the end of ${day}: all of it comes back.`;
      return { label, sum, note: cents > 0 ? inTime : `The last day for a refund was ${day}.` };
    }
  }
}

function refundedCard({ card }: OwnPageRefund): string {
  return card ? `your ${nameCard(card)}` : cardsOfRefund();
}

/**
 * How a refund reaches her: to her card, by check, or both.
 * @param when what follows each way, such as `, once the 24 hours are over`
 * @param ofCard what follows the card, and the sentence after that
 */
function howItComesBack(
  refund: OwnPageRefund,
  when: string,
  { which = '', next = cancelTexts.banks as string } = {},
): string {
  const { cents, checkCents } = refund;
  const check = `The office sends you a check of ${formatCents(checkCents)}${when}.`;
  if (checkCents === cents) return check;
  const card = `${formatCents(cents - checkCents)} goes back to ${refundedCard(refund)}${which}${when}. ${next}`;
  return checkCents > 0 ? `${card} ${check}` : card;
}

export function describeOffer(refund: OwnPageRefund, view: OwnPageView): string[] {
  const until = new Date(view.edition.facts.balance.refundsEndAt);
  if (refund.cents === 0) {
    const meaning = describeCancelling(view);
    return ['Nothing comes back, and nothing more is charged.', ...(meaning ? [meaning] : [])];
  }
  const sum = formatCents(refund.cents);
  const how = howItComesBack(refund, ONCE_FINAL, {
    which: refund.card ? ', with which you paid the balance' : '',
  });
  if (view.now >= until) return [how];
  const last = momentOf(new Date(until.getTime() - MINUTE_MS), view);
  return [how, `Until ${last}, you get ${sum}. After that, nothing comes back.`];
}

/**
 * What cancelling means at the moment, in the words of her letters; undefined if nothing is to be charged.
 */
export function describeCancelling(view: OwnPageView): string | undefined {
  const { state, edition, now, plan } = view;
  const isRefundable = now < new Date(edition.facts.balance.refundsEndAt);
  if (plan) return cancelPlanWords(edition, isRefundable);
  const parts = 'cents' in state ? partsOf(state.cents, view) : undefined;
  if (!parts) return undefined;
  const dueAt = state.kind === 'charged-later' ? state.dueAt : undefined;
  const sums = { cents: parts.byCardCents, beforeFeeCents: parts.beforeFeeCents };
  return cancelWords(sums, edition, isRefundable, dueAt);
}

export const cancelledWords = {
  undo: 'Undo it, and keep my place',
  undoUntil: (until: string) => `You can undo this until ${until}.`,
} as const;

const TITLE = 'Your place is cancelled';
const BEING_WORKED_ON = 'We are working on it now, and send you an e-mail when it is done.';

export function describeInWork(
  { cancelled, undoUntil, refund }: CancellingState,
  view: OwnPageView,
): StateWords {
  const letter = undoUntil ? ' We have sent you an e-mail that says the same.' : '';
  const how = undoUntil
    ? howItComesBack(refund, ONCE_FINAL)
    : howItComesBack(refund, '', { next: BEING_WORKED_ON });
  const back = refund.cents === 0 ? NOTHING_BACK : how;
  return says(TITLE, `${whenCancelled(cancelled, view)} ${cancelTexts.nothingCharged}${letter}`, back);
}

export function describeWorkedOff(state: CancelledState, view: OwnPageView): StateWords {
  return says(
    TITLE,
    `${whenCancelled(state.cancelled, view)} ${cancelTexts.nothingCharged}`,
    describeRepayment(state, view),
  );
}

function describeRepayment({ repayment, cents, at, refund }: CancelledState, view: OwnPageView): string {
  const sum = formatCents(cents);
  const card = refund ? refundedCard(refund) : 'your card';
  const on = at ? ` on ${dayOf(at, view)}` : '';
  switch (repayment) {
    case 'in-work':
      return `${sum} comes back to you; it is being sent.`;
    case 'pending':
      return `${sum} is on its way back to ${card}; it was sent${on}. ${cancelTexts.banks}`;
    case 'refunded':
      return `${sum} was sent back to ${card}${on}. ${cancelTexts.banks}`;
    case 'failed':
      return `${sum} could not go back to ${card}. It is yours all the same: the office sends you a check. Please tell the office to which address.`;
    case 'check-due':
      return `${sum} comes back to you: the office sends you a check.`;
    case 'check-sent':
      return `${sum} came back to you by a check, which the office sent${on}.`;
    case 'nothing':
      return view.payments.some(({ what }) => what === 'balance')
        ? NOTHING_BACK
        : 'The deposit is non-refundable, and the balance was not charged.';
  }
}

function whenCancelled({ at, onPage, whole }: Cancelling, view: OwnPageView): string {
  if (whole) return 'You have paid for another place too, and keep that one.';
  if (!onPage) return `You cancelled in writing on ${dayOf(at, view)}.`;
  return `You cancelled on ${momentOf(at, view)}.`;
}
