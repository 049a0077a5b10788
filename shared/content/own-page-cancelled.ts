import { formatCents } from '#shared/money.ts';
import { cancelTexts } from './cancel-words.ts';
import { howItComesBack, refundedCard } from './own-page-cancel.ts';
import { dayOf } from './own-page-plan.ts';
import type {
  CancelledStanding,
  Cancelling,
  CancellingStanding,
  OwnPageView,
  StandingWords,
} from './own-page-view.ts';
import { tellMoment } from './tell-moment.ts';

/** Texts of her page after she has cancelled. */
export const cancelledWords = {
  undo: 'Take it back, and keep my place',
  undoUntil: (until: string) => `If you change your mind, you can take it back until ${until}.`,
} as const;

const TITLE = 'Your place is cancelled';
const BEING_WORKED_ON = 'It is being worked on now, and a letter tells you when it is done.';

/** For a cancellation that can still be undone, or is being processed. */
export function describeInWork(
  { cancelled, undoUntil, refund }: CancellingStanding,
  view: OwnPageView,
): StandingWords {
  const letter = undoUntil ? ' A letter to you says the same.' : '';
  const after = undoUntil ? ', once the 24 hours are over in which you can take it back' : '';
  const back =
    refund.cents === 0
      ? 'By the policies that you agreed to, nothing comes back.'
      : howItComesBack(refund, after, undoUntil ? {} : { next: BEING_WORKED_ON });
  return {
    title: TITLE,
    paragraphs: [`${whenCancelled(cancelled, view)} ${cancelTexts.nothingCharged}${letter}`, back],
  };
}

/** For a processed cancellation: what was or will be refunded. */
export function describeWorkedOff(standing: CancelledStanding, view: OwnPageView): StandingWords {
  return {
    title: TITLE,
    paragraphs: [
      `${whenCancelled(standing.cancelled, view)} ${cancelTexts.nothingCharged}`,
      describeRepayment(standing, view),
    ],
  };
}

function describeRepayment({ state, cents, at, refund }: CancelledStanding, view: OwnPageView): string {
  const sum = formatCents(cents);
  const card = refund ? refundedCard(refund) : 'your card';
  const on = at ? ` on ${dayOf(at, view)}` : '';
  switch (state) {
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
        ? 'By the policies that you agreed to, nothing comes back.'
        : 'The deposit is non-refundable, and the balance was not charged.';
  }
}

/** To the minute if she cancelled on her page; only the day if she wrote to the office. */
function whenCancelled({ at, onPage }: Cancelling, view: OwnPageView): string {
  if (!onPage) return `You cancelled in writing on ${dayOf(at, view)}.`;
  return `You cancelled on ${tellMoment(at, view.edition.timetable, view.registrant.timeZone)}.`;
}
