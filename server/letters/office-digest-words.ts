import type { ChargeObstacle } from '#server/registration/registration.ts';
import type { PartOfPlan } from '#shared/content/tuition.ts';
import type { DeclineReason } from '#shared/own-page.ts';

/** Why somebody of the office has to do something, and what. */
export const needs = {
  'action-needed': {
    title: 'Card declined, and not tried again',
    whatToDo:
      'Each of them gets an e-mail with the link to her own page, where she can pay. Write to her or call her, and record in her registration what you agree on: a later day, a check, a reduction. You can also try the card on file again there, unless its bank forbids that.',
  },
  'asked-to-pay': {
    title: 'Asked to pay, and not paid yet',
    whatToDo:
      'Their cards are not charged automatically. Each of them gets an e-mail with the link to her own page. You can also send her the link again.',
  },
  overdue: {
    title: 'Due, and not paid',
    whatToDo: 'Please find out what happened, and arrange with her how she will pay.',
  },
  'deposit-late': {
    title: 'A place is held, and the deposit has not come',
    whatToDo:
      'Record it once it is here, or hold the place until another day. Otherwise the place is free a day later, and she gets an e-mail that says so.',
  },
  'check-overdue': {
    title: 'Check promised, and not here by the due day',
    whatToDo:
      'Record it once it is here. Or withdraw the promise: her card is then charged, or she is asked to pay.',
  },
  disputed: {
    title: 'A charge is disputed',
    whatToDo:
      'Nothing is charged or refunded automatically. Please answer the bank in Stripe’s dashboard before its deadline: the page of her registration, printed, shows what she agreed to and what she was sent. Once the bank has decided, record that the dispute is over, and everything continues.',
  },
  'paid-twice': {
    title: 'Paid twice?',
    whatToDo:
      'Two places have the same name and e-mail address. One person may have paid on two devices: then give one of them back whole. If these are two people, record that. Until one of you does, nothing is charged for the younger place.',
  },
  'deposit-refunded': {
    title: 'Deposit given back, without a cancellation on record',
    whatToDo:
      'The balance is not charged automatically. If she has cancelled, please record it, so that no e-mail asks her for anything.',
  },
  'check-to-send': {
    title: 'A check to send',
    whatToDo:
      'The sum shown for each of them is refunded by check: she paid it by check, or her bank did not accept the refund to her card. Please send it, and record it.',
  },
  'refund-overdue': {
    title: 'To be given back, and not given back yet',
    whatToDo:
      'The site has tried for a day without success at Stripe; the worker’s log says why. Please look into it. You can withdraw an exception that Stripe refuses.',
  },
  bounced: {
    title: 'E-mails bounce',
    whatToDo:
      'An e-mail came back, or was marked as spam. No more e-mails go to these addresses, and a charge that could not be announced is not made. Call her, and correct her address: what she missed is sent there. If her address is right and works again, record that; the mail provider may have to take it off its own list first.',
  },
  payments: {
    title: 'Payments that a person must check',
    whatToDo:
      'They were not paid the way the site set them up, or cannot be read. The worker’s log names them; the command “act ID looked-at” takes them off this list.',
  },
  'place-free': {
    title: 'A place is free, and someone is waiting for one',
    whatToDo:
      'The waiting list shows who is waiting, in the order of joining, and offers a place by e-mail: it is then kept for 48 hours. As long as someone is waiting, no one else gets the place.',
  },
  'waiting-bounced': {
    title: 'The waiting list: e-mails bounce',
    whatToDo:
      'They may not know that a place is kept for them. Call them; their numbers are on the waiting list. Anyone who gave a wrong address can join again with the right one; then remove the entry with the wrong one. If the address is right after all, remove the entry first; then she can join again.',
  },
  'letter-failed': {
    title: 'E-mails that did not get through',
    whatToDo:
      'They were permanently refused, or could not be sent for three days; the reason is shown with each e-mail. If the problem was her mailbox, ask her for another address, and correct it in her registration: what is due is sent there.',
  },
  overbooked: {
    title: 'More people than places',
    whatToDo:
      'We let them in while the site could not count its places, rather than lose them. No one is turned away automatically: please decide whether there is room for them after all, or speak with those who registered last.',
  },
  'no-room': {
    title: 'The address of the video room is missing',
    whatToDo:
      'The pages of everybody with a place lead there. Please enter it on the page “Messages”, before the e-mails that lead there go out.',
  },
} as const satisfies Record<string, { title: string; whatToDo: string }>;

export type OfficeNeed = keyof typeof needs;
export const needTitle = (need: OfficeNeed): string => needs[need].title;
export const officeNeeds = Object.keys(needs).filter((name): name is OfficeNeed => name in needs);

export const obstacleWords: Readonly<Record<ChargeObstacle, string>> = {
  processing: 'a payment of hers is processing: her bank has not said yet what comes of it',
  over: 'the retreat is over',
  disputed: 'she disputes a charge',
  'paid-twice': 'another place has her name and address: give it back, or record that these are two people',
  'deposit-refunded': 'her deposit was given back',
  check: 'she pays by check',
  unreachable: 'her messages come back; correct her address, or record that it works again',
  'no-consent': 'no consent to a charge is on record',
  'too-late': 'it is due after the retreat',
  'no-card': 'there is no card on file; she can give one on her page',
  'plan-paused': 'her payment plan is paused',
  'plan-not-agreed': 'she has not agreed to her payment plan; she can do so on her page',
  'no-notice': 'she was not told of it three days before',
};

export const declineWords = {
  'insufficient-funds': 'not enough money, or a limit',
  expired: 'the card has expired',
  authentication: 'her bank wants her to confirm it',
  'card-data': 'number, date or security code not accepted',
  'card-blocked': 'her bank does not allow it',
  'not-tried': 'Stripe could not charge it, and did not ask her bank',
  declined: 'her bank does not say why',
} satisfies Record<DeclineReason, string>;

export interface OfficeItem {
  need: OfficeNeed;
  registration?: string;
  name?: string;
  /**
   * For `payments`: how many. For `overbooked`: how many too many. For `place-free`: how many places can be
   * offered.
   */
  count?: number;
  /** US cents. */
  cents?: number;
  part?: PartOfPlan;
  /** In ISO format. */
  since?: string;
  reason?: DeclineReason;
  obstacle?: ChargeObstacle;
  /** For `letter-failed`: the id of the mail on the queue. */
  mail?: string;
}
