import type { OfficeNeed } from '#server/letters/office-digest-words.ts';
import type { RegistrationState } from '#server/registration/registration.ts';
import type { Group } from '#server/worker/registration-index.ts';

const stateWords: Readonly<Record<RegistrationState, string>> = {
  begun: 'Deposit not paid yet',
  held: 'Place held, deposit to come',
  lapsed: 'Deposit left unpaid',
  closed: 'Deposit cancelled unpaid',
  registered: 'Deposit paid',
  noticed: 'Deposit paid, told of the charge',
  postponed: 'Balance postponed',
  due: 'Balance due',
  retrying: 'Card being charged, or tried again soon',
  'action-needed': 'Card declined, not tried again',
  settled: 'Paid in full',
  cancelling: 'Cancelled, refund not made yet',
  cancelled: 'Cancelled, refund under way',
  'refund-pending': 'Cancelled, refund on its way',
  'refund-failed': 'Cancelled, refund refused by her bank',
  refunded: 'Cancelled and refunded',
  'nothing-back': 'Cancelled, nothing goes back',
};

/** @param state absent for one of a later release */
export function wordsOfState(state: RegistrationState | undefined): string {
  return state ? stateWords[state] : 'Not known to this release';
}

export const needWords: Readonly<Record<OfficeNeed, string>> = {
  'call-back': 'Call her back',
  'action-needed': 'Ask her how she pays: her card is not tried again',
  'asked-to-pay': 'See that she pays: her card is not charged automatically',
  overdue: 'Find out why the balance was not paid',
  'deposit-late': 'Ask for the deposit of a place that is held: it has not come',
  'check-overdue': 'Ask for her check: it is late',
  disputed: 'Answer her bank: she disputes a charge',
  'paid-twice': 'Paid twice? Give one back, or record that these are two people',
  'deposit-refunded': 'Record whether she cancelled: her deposit went back',
  'check-to-send': 'Send her a check',
  'refund-overdue': 'Find out why the refund was not made',
  bounced: 'Reach her otherwise: messages to her address come back, or she marked one as spam',
  payments: 'Look at the payment: it cannot be read',
  'place-free': 'Offer a place to somebody who waits',
  'waiting-bounced': 'Call who waits for a place: messages to her come back',
  overbooked: 'Find room: more people have paid than there are places',
  'no-room': 'Say where the video room is: messages are to lead there',
  'letter-failed': 'Mend a message that did not get through',
};

export const groupWords: Readonly<Record<Group, string>> = {
  all: 'All',
  'needs-you': 'Needs you',
  'call-back': 'To call back',
  'letter-failed': 'Message failed',
  bounced: 'Message bounced',
  late: 'Late',
  due: 'Due later',
  paid: 'Paid in full',
  registered: 'Registered',
  'by-check': 'By check',
  waived: 'Waived',
  cancelled: 'Cancelled',
  refunded: 'Refunded',
  held: 'Place held',
  unpaid: 'Deposit not paid',
  unanswered: 'Questions not answered',
  attending: 'Participants',
};
