import type { BalanceTerms } from '#shared/content/edition.ts';
import type { Tax } from '#shared/content/sells.ts';
import type { Reduction, WayBesideCard } from '#shared/content/tuition.ts';
import type { DeclineReason } from '#shared/own-page.ts';
import type { Contact } from '#shared/registration.ts';

/** A date and time in ISO format. */
type Moment = string;
/** US cents. */
type Cents = number;

/** A person, with the details that letters use. */
interface Person extends Contact {
  /** What she registers or waits for. */
  edition: string;
  /** Her own time zone by its IANA name; empty when her browser did not say. */
  timeZone: string;
}

export interface Registrant extends Person {
  /** The payment of her deposit. */
  paymentIntentId: string;
  /**
   * How often the links to her page were renewed: the link in the letter is made from it when the letter is
   * sent.
   */
  linksEpoch?: number;
  /** The balance as she agreed to it; absent where no consent is on record. */
  agreed?: BalanceTerms;
  /** What is contained in her payments, as she agreed to it; absent where that is nothing, or not known. */
  tax?: Tax;
  /** Present when a person asked for the letter although it was sent before. */
  again?: true;
}

/** Somebody on the waiting list. */
export interface Waiting extends Person {
  /** Her entry. */
  waitingId: string;
  joinedAt: Moment;
}

/** The `toldBy` of the last notice to the office; absent when it has had none. */
export interface Told {
  told?: string;
}

/** What letters about a deposit say of it; each says a part. */
export interface Deposited extends Told {
  /** Whether the address already has a paid registration for this edition, under another name or as a repeated one. */
  addressHasPlace?: boolean;
  paid: boolean;
  before?: DetailsBefore;
  /** The place was handed over: those details were somebody else's. */
  isHandedOver?: true;
  amountCents: Cents;
  /** The version of the terms that she agreed to; absent where that is not on record. */
  termsVersion?: string;
  paidAt: Moment;
  /** The country of her billing address, as two letters; absent where she gave none. */
  country?: string;
  /** How it was paid, if no card paid it. */
  by?: WayBesideCard | 'scholarship' | undefined;
  /** The payment is held: she had paid before. */
  isSecond?: true;
}

/** A card as people know it. */
export interface ShownCard {
  brand: string;
  last4: string;
}

/** What is left to pay: by card, and by check, which is without the card fee. */
export interface Sums {
  cents: Cents;
  beforeFeeCents: Cents;
  /** What was subtracted: what is not asked of her, and what came by check or transfer. */
  reduced?: Reduction;
  receivedCents?: Cents;
  /** They are those of a part of her payment plan. */
  part?: PartOfPlan;
}

/** Which part of how many it is. */
export interface PartOfPlan {
  /** Names it among the parts of all her plans. */
  number: number;
  position: number;
  count: number;
}

/** Whether a paid balance is still refunded when she cancels: the last day for refunds is not over. */
interface Refunds {
  isRefundable: boolean;
}

/** An upcoming charge. */
export interface Charge extends Sums, Refunds {
  dueAt: Moment;
  /** Absent if Stripe does not return it. */
  card?: ShownCard;
  /** Present if the card will have expired by then. */
  expires?: true;
  /** When she last got a notice of a charge; absent when she never did. */
  noticedAt?: Moment;
}

/** The charge for which her card will have expired. */
export interface Expiry extends Sums {
  dueAt: Moment;
  card: ShownCard & { id: string; expMonth: number; expYear: number };
}

/** What she is asked to pay, because her card is not charged automatically. */
export interface AskedToPay extends Sums, Refunds {
  /** When the balance is due: if that moment changes, she is asked again. */
  dueAt: Moment;
  /** Absent when the due moment is past. */
  payBy?: Moment;
  /** When a decision about the balance was last withdrawn: she is asked again. */
  changedAt?: Moment;
  /** She has not agreed to the plan of which it is a part: with that her card could be charged. */
  isToAgree?: true;
}

/** How a charge to her card was refused. */
export interface Refusal extends Sums {
  /** How many charge attempts there had been before this round of retries began. */
  triedBefore: number;
  /** `first`: the charge is retried, at `nextAt`. `last`: it is not retried. */
  stage: 'first' | 'last';
  nextAt?: Moment;
  reason: DeclineReason;
  card: ShownCard & { id: string };
  /** The card was refused for good with another part of the plan, and is not tried with this one. */
  isUntried?: true;
}

/** All payments; nothing is left to pay. */
export interface Receipt {
  deposit: {
    cents: Cents;
    paidAt: Moment;
    card?: ShownCard;
    by?: Deposited['by'];
    /** It was paid by who had the place before. */
    isEarlier?: true;
  };
  balance: readonly PaidPart[];
  reduced?: Reduction;
  /** What she paid beyond the balance. */
  surplusCents?: Cents;
  /** It was paid by a plan. */
  ofPlan?: true;
}

/** A payment of the balance. */
export interface PaidPart extends Sums {
  by: 'card' | WayBesideCard;
  paidAt: Moment;
  card?: ShownCard;
  /** The id of the payment at Stripe, the number of the check, or the reference of the transfer. */
  reference?: string;
}

/** What is to be paid next of a plan, or once it has ended. */
export interface NextPayment extends Sums {
  /** Absent when that moment is past. */
  dueAt?: Moment;
  /** Whether her card is charged then; it is not where that cannot be announced early enough any more. */
  way: 'charged' | 'asked' | 'announced-too-late' | 'paused' | 'open';
}

/** A payment plan that was made, changed, agreed to, paused or ended. */
export interface PlanTold extends Act {
  standing: 'to-agree' | 'agreed' | 'paused' | 'ended';
  /** In the order of their dates; none once it has ended. */
  parts: readonly (Pick<Sums, 'cents' | 'beforeFeeCents'> & { dueAt: Moment; paidAt?: Moment })[];
  /** All that is left to pay. */
  left: Sums;
  /** What is next, where she has yet to agree: once she has. */
  next: NextPayment;
  /** When she agreed: on her page, or as the office recorded it. */
  herAgreement?: { at: Moment; how?: 'phone' | 'writing' };
  /** It is another one than she agreed to then. */
  isChanged?: true;
  card?: ShownCard;
}

/** A part of a payment plan that her card paid, while something is left to pay. */
export interface PartReceipt extends Act {
  payment: PaidPart & { part: PartOfPlan };
  left: Sums;
  next: NextPayment;
}

/** A place that the office holds: how she pays the deposit, until when, and how much it is. */
export interface HeldPlace extends Act, Sums {
  way: 'card' | WayBesideCard;
  until: Moment;
  /** No card can pay it any more: its payment is closed, or a part of it came otherwise. */
  noCard?: true;
  /** The version of the terms that she agreed to, as the office recorded it. */
  termsVersion?: string;
}

/** A part of the tuition is not asked of her from this moment on. */
export interface TuitionReduced extends Act, Sums {
  reduced: Reduction;
  /** What she has paid beyond what she owes now, and gets back. */
  surplusCents: Cents;
}

/** A check or a transfer that came, or bounced, and what is left to pay. */
export interface PaymentReceived extends Act, Sums {
  payment: PaidPart;
  /** Absent when the due moment is past. */
  dueAt?: Moment;
  /** The part of her payment plan that is due then. */
  next?: Sums;
  /** She pays the rest by check too. */
  byCheck?: true;
  /** The sums are those of the deposit, for which her place is held until then, or no longer if that is absent. */
  ofDeposit?: true;
  heldUntil?: Moment;
}

/** When the event that the letter is about happened: there is one letter for each such moment. */
export interface Act {
  at: Moment;
}

/** What a registrant who cancels gets back: to her card, by check, and why, line by line. */
interface Refund {
  cardCents: Cents;
  checkCents: Cents;
  /** Deductions are negative. Empty if the calculation cannot be repeated any more. */
  lines: readonly { words: string; why?: string; keptCents?: Cents; cents: Cents }[];
  /** The card that was charged. */
  card?: ShownCard;
}

/** A cancellation whose refund was not processed yet when the letter was written. */
export interface Cancelling extends Act, Refund {
  /** The moment that decides how much is refunded. */
  writtenAt: Moment;
  /** Present if she cancelled on her page; otherwise the office recorded her written cancelling. */
  onPage?: true;
  /** Absent when the cancellation cannot be taken back any more. */
  undoUntil?: Moment;
  /** From when on the refund is made; absent when that is past. */
  workedOffFrom?: Moment;
  /** She disputes a charge, so nothing is given back automatically. */
  isDisputed: boolean;
}

/** The state of her balance after she has taken her cancellation back. */
export interface Undone extends Act, Sums {
  standing: 'paid' | 'by-check' | 'owed';
}

/** The result of a cancellation. */
export interface Cancelled extends Act, Refund {
  writtenAt?: Moment;
}

/** A refund that her bank did not take. */
export interface NotTaken {
  /** The id of the refund at Stripe. */
  refund: string;
  cents: Cents;
  card?: ShownCard;
}

/** Nobody has said where the video room is, and its session begins: she can look again, or call. */
export interface Roomless {
  isRoomless?: true;
}

/** How to enter the video room on one day. */
export interface Entry extends Roomless {
  /** The day before the retreat or one of its days: an ISO date in the retreat's time zone. */
  day: string;
  /** Nothing is left to pay, so her page links to the room. */
  isOpen: boolean;
  /** When the letter is rendered, so that it lists no session that is over. */
  writtenAt: Moment;
}

/** What the office gave back as an exception. */
export interface GivenBack extends Act {
  cents: Cents;
  by: 'card' | 'check';
  madeAt: Moment;
  card?: ShownCard;
}

/** What the office has written itself. */
export interface Written {
  message: string;
  subject: string;
  /** Paragraphs with an empty line between them, with placeholders. */
  text: string;
}

/** The address of a letter that does not go to her present one. */
export interface Elsewhere {
  to: string;
}

/** The same, where it is another person's. */
export interface ToAnother extends Elsewhere {
  addressee: Pick<Person, 'firstName' | 'lastName'>;
}

interface DetailBefore {
  was: string;
  until: Moment;
  by: string;
}
/** Her details before they were corrected, until when they were valid, and by whom they were corrected. */
export interface DetailsBefore {
  name?: DetailBefore;
  email?: DetailBefore;
  phoneNumber?: DetailBefore;
}

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
  /** One person has paid twice for one place: the second payment is to be given back, unless these are two people. */
  'second-payment',
  /** Her deposit was given back whole, and nobody recorded that she cancelled. */
  'deposit-refunded',
  /** A refund that cannot go to her card is owed to her by check. */
  'check-to-send',
  /** A refund that was decided should have been made a day ago. */
  'refund-overdue',
  /** A letter to her bounced: no more letters are sent to her address. */
  'bounced',
  /** She marked a letter as spam. */
  'complained',
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

/** One thing that needs the office. */
export interface OfficeItem {
  need: OfficeNeed;
  /** Absent where the item is not about one registration. */
  paymentIntentId?: string;
  name?: string;
  /**
   * For `payments`: how many. For `overbooked`: how many too many. For `place-free`: how many places can be
   * offered.
   */
  count?: number;
  cents?: Cents;
  /** The part of a payment plan that the sum is. */
  part?: PartOfPlan;
  since?: Moment;
  /** For `action-needed`. */
  reason?: DeclineReason;
  /** For `asked-to-pay`. */
  obstacle?: 'no-consent' | 'no-card' | 'too-late' | 'no-notice' | 'plan-not-agreed';
  /** For `letter-failed`: the id of the mail on the queue. */
  mail?: string;
}
