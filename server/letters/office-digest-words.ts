import type { Facts } from '#shared/content/edition.ts';
import type { PartOfPlan } from '#shared/content/tuition.ts';
import { formatDate } from '#shared/dates.ts';
import type { DeclineReason } from '#shared/own-page.ts';
import type { Contact } from '#shared/registration.ts';

/** Why somebody of the office has to do something. */
export const officeNeeds = [
  /** Somebody of the office noted that she is to be called back. */
  'call-back',
  /** Her card was refused and is not retried; she has to act, or the office together with her. */
  'action-needed',
  /** Her card is not charged automatically: she was asked to pay, and has not paid. */
  'asked-to-pay',
  /** The balance is due, but is neither charged nor asked for, for example after the retreat. */
  'overdue',
  /** The deposit of a place that the office holds has not come by its day. */
  'deposit-late',
  /** The check that she promised has not come, and the balance is due. */
  'check-overdue',
  'disputed',
  /** Two places have one name and address: one is to be given back, unless these are two people. */
  'paid-twice',
  /** Her deposit was given back whole, and nobody recorded that she cancelled. */
  'deposit-refunded',
  /** A refund that cannot go to her card is owed to her by check. */
  'check-to-send',
  /** A refund that was decided should have been made a day ago. */
  'refund-overdue',
  /** A letter to her came back, or she marked one as spam: no more letters are sent to her address. */
  'bounced',
  /** Payments that differ from how the site creates them, or that cannot be read. */
  'payments',
  /** A place is free, and somebody waits for one. */
  'place-free',
  /** Letters to somebody who waits for a place come back. */
  'waiting-bounced',
  /** A letter that will not be sent unless somebody acts. */
  'letter-failed',
  /** More people have paid for a place than there are places. */
  'overbooked',
  /** Nobody has said where the video room is, and letters are to lead there within a week. */
  'no-room',
] as const;
export type OfficeNeed = (typeof officeNeeds)[number];

export interface OfficeItem {
  need: OfficeNeed;
  /** Absent where the item is not about one registration. */
  registration?: string;
  name?: string;
  /**
   * For `payments`: how many. For `overbooked`: how many too many. For `place-free`: how many places can be
   * offered.
   */
  count?: number;
  /** US cents. */
  cents?: number;
  /** The part of a payment plan that the sum is. */
  part?: PartOfPlan;
  /** In ISO format. */
  since?: string;
  /** For `action-needed`. */
  reason?: DeclineReason;
  /** For `asked-to-pay`. */
  obstacle?: keyof typeof officeDigestMail.obstacles;
  /** For `letter-failed`: the id of the mail on the queue. */
  mail?: string;
}

/** What somebody changed on her page, or that she has somebody else's place. */
export interface OfficeChange {
  registration: string;
  name: string;
  detail: keyof Contact | 'name' | 'place';
  /** What it was before; of a place, who had it. */
  was: string;
  /** In ISO format. */
  at: string;
}

/** For each thing that needs the office: its title, what to do, and the command for it. */
const needs = {
  'call-back': {
    title: 'To call back',
    whatToDo:
      'One of you noted that these people want a call. The note is with each registration; record the call there once it is made.',
    command: (id: string) => `support act ${id} called-back --by NAME`,
  },
  'action-needed': {
    title: 'Card declined, and not tried again',
    whatToDo:
      'Each of them gets an e-mail with the link to her own page, where she can pay. Write to her or call her, and record in her registration what you agree on: a later day, a check, a reduction. You can also try the card on file again there, unless its bank forbids that.',
    command: (id: string) => `support act ${id} charge --by NAME`,
  },
  'asked-to-pay': {
    title: 'Asked to pay, and not paid yet',
    whatToDo:
      'Their cards are not charged automatically. Each of them gets an e-mail with the link to her own page. You can also send her the link again.',
    command: (id: string) => `support act ${id} link --by NAME`,
  },
  overdue: {
    title: 'Due, and not paid',
    whatToDo: 'Please find out what happened, and arrange with her how she will pay.',
    command: (id: string) => `support show ${id}`,
  },
  'deposit-late': {
    title: 'A place is held, and the deposit has not come',
    whatToDo:
      'Record it once it is here, or hold the place until another day. Otherwise the place is free a day later, and she gets an e-mail that says so.',
    command: (id: string) => `support act ${id} received way=check dollars=DOLLARS on=DATE --by NAME`,
  },
  'check-overdue': {
    title: 'Check promised, and not here by the due day',
    whatToDo:
      'Record it once it is here. Or withdraw the promise: her card is then charged, or she is asked to pay.',
    command: (id: string) => `support act ${id} received way=check dollars=DOLLARS on=DATE --by NAME`,
  },
  disputed: {
    title: 'A charge is disputed',
    whatToDo:
      'Nothing is charged or refunded automatically. Please answer the bank in Stripe’s dashboard before its deadline: the page of her registration, printed, shows what she agreed to and what she was sent. Once the bank has decided, record that the dispute is over, and everything continues.',
    command: (id: string) => `support show ${id}`,
  },
  'paid-twice': {
    title: 'Paid twice?',
    whatToDo:
      'Two places have the same name and e-mail address. One person may have paid on two devices: then give one of them back whole. If these are two people, record that. Until one of you does, nothing is charged for the younger place.',
    command: (id: string) => `support act ${id} cancel-whole --by NAME`,
  },
  'deposit-refunded': {
    title: 'Deposit given back, without a cancellation on record',
    whatToDo:
      'The balance is not charged automatically. If she has cancelled, please record it, so that no e-mail asks her for anything.',
    command: (id: string) => `support act ${id} cancel written=DATE --by NAME`,
  },
  'check-to-send': {
    title: 'A check to send',
    whatToDo:
      'The sum shown for each of them is refunded by check: she paid it by check, or her bank did not accept the refund to her card. Please send it, and record it.',
    command: (id: string) => `support act ${id} refund-by-check dollars=DOLLARS sent=DATE --by NAME`,
  },
  'refund-overdue': {
    title: 'To be given back, and not given back yet',
    whatToDo:
      'The site has tried for a day without success at Stripe; the worker’s log says why. Please look into it. You can withdraw an exception that Stripe refuses.',
    command: (id: string) => `support show ${id}`,
  },
  'place-free': {
    title: 'A place is free, and someone is waiting for one',
    whatToDo:
      'The waiting list shows who is waiting, in the order of joining, and offers a place by e-mail: it is then kept for 48 hours. As long as someone is waiting, no one else gets the place.',
    command: (edition: string) => `support list --edition ${edition}`,
  },
  'waiting-bounced': {
    title: 'The waiting list: e-mails bounce',
    whatToDo:
      'They may not know that a place is kept for them. Call them; their numbers are on the waiting list. Anyone who gave a wrong address can join again with the right one; then remove the entry with the wrong one. If the address is right after all, remove the entry first; then she can join again.',
    command: (edition: string) => `support list --edition ${edition}`,
  },
  'letter-failed': {
    title: 'E-mails that did not get through',
    whatToDo:
      'They were permanently refused, or could not be sent for three days; the reason is shown with each e-mail. If the problem was her mailbox, ask her for another address, and correct it in her registration: what is due is sent there.',
    command: (id: string) => `support act ${id} edit email=ADDRESS --by NAME`,
  },
  bounced: {
    title: 'E-mails bounce',
    whatToDo:
      'An e-mail came back, or was marked as spam. No more e-mails go to these addresses, and a charge that could not be announced is not made. Call her, and correct her address: what she missed is sent there. If her address is right and works again, record that; the mail provider may have to take it off its own list first.',
    command: (id: string) => `support act ${id} edit email=ADDRESS --by NAME`,
  },
  overbooked: {
    title: 'More people than places',
    whatToDo:
      'We let them in while the site could not count its places, rather than lose them. No one is turned away automatically: please decide whether there is room for them after all, or speak with those who registered last.',
  },
  'no-room': {
    title: 'The address of the video room is missing',
    whatToDo: 'E-mails are waiting for it. Please enter it on the page “Messages”.',
    command: (edition: string) => `support act ${edition} announce-room url=URL --by NAME`,
  },
  payments: {
    title: 'Payments that a person must check',
    whatToDo:
      'They were not paid the way the site set them up, or cannot be read. The worker’s log names them; the command “act ID looked-at” takes them off this list.',
  },
} as const;

/** Texts of the digest, which the office gets once a day while something needs it or has changed. */
export const officeDigestMail = {
  subject: (count: number, { title }: Facts) =>
    count === 0
      ? `What has changed: ${title}`
      : `${count === 1 ? 'One thing needs' : `${count} things need`} you: ${title}`,
  preheader: (titles: readonly string[]) => titles.join('; '),
  title: (day: string) => `What needs you, ${formatDate(day)}`,
  intro: ({ title }: Facts) =>
    `This is how the registrations for ${title} stand right now. What has been settled in the meantime is no longer listed.`,
  needs,
  changes: {
    title: 'Changed on their own pages',
    place: 'The place was handed over by',
    before: (label: string) => `${label} before`,
  },
  name: 'Name',
  sum: 'Sum',
  since: 'Since',
  why: 'Why',
  letter: 'E-mail',
  payments: 'Payments',
  places: 'Free places',
  waitingList: 'The waiting list',
  lettersToAll: 'Messages',
  tooMany: 'Too many',
  command: 'Command',
  open: 'Open',
  herPage: 'Her registration',
  obstacles: {
    'no-consent': 'no consent to a charge is on record',
    'no-card': 'Stripe has no card for her',
    'too-late': 'it would be due after the retreat',
    'plan-not-agreed': 'she has not agreed to her payment plan',
    'no-notice': 'no e-mail announced the charge in time',
  },
  reasons: {
    'insufficient-funds': 'not enough money, or a limit',
    expired: 'the card has expired',
    authentication: 'her bank wants her to confirm it',
    'card-data': 'number, date or security code not accepted',
    'card-blocked': 'her bank does not allow it',
    'not-tried': 'Stripe could not charge it, and did not ask her bank',
    declined: 'her bank does not say why',
  } satisfies Record<DeclineReason, string>,
  another: 'The next digest comes tomorrow, if anything is left to do or has changed.',
  reason: (pageUrl: string) =>
    `${pageUrl} sends you this digest once a day while something needs you or has changed.`,
} as const;
