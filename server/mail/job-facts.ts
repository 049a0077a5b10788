import type { BalanceTerms } from '#shared/content/edition.ts';
import type { OfficeChange, OfficeItem } from '#shared/content/office-digest-words.ts';
import type { PartOfPlan, Reduction, WayBesideCard } from '#shared/content/tuition.ts';
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
  registration: string;
  /** The payment of its deposit at Stripe; absent where none was made. */
  depositPayment?: string | undefined;
  /**
   * How often the links to her page were renewed: the link in the letter is made from it when the letter is
   * sent.
   */
  linksEpoch?: number | undefined;
  /** The balance as she agreed to it; absent where no consent is on record. */
  agreed?: BalanceTerms | undefined;
  /** Present when a person asked for the letter although it was sent before. */
  again?: true | undefined;
}

/** Somebody on the waiting list. */
export interface Waiting extends Person {
  /** Her entry. */
  waitingId: string;
  joinedAt: Moment;
}

/** The version of the terms that she agreed to; absent where that is not on record. */
export interface Agreed {
  termsVersion?: string | undefined;
}

/** The deposit that she paid. */
export interface Deposited {
  amountCents: Cents;
  /** How it was paid, if no card paid it. */
  by?: WayBesideCard | 'scholarship' | undefined;
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
  reduced?: Reduction | undefined;
  receivedCents?: Cents | undefined;
  /** They are those of a part of her payment plan. */
  part?: NumberedPart | undefined;
}

export interface NumberedPart extends PartOfPlan {
  /** Names it among all that was ever asked of her. */
  number: number;
}

/** Whether a paid balance is still refunded when she cancels: the last day for refunds is not over. */
export interface Refunds {
  isRefundable: boolean;
}

export interface Charge extends Sums, Refunds {
  /** Names the installment. */
  number: number;
  dueAt: Moment;
  /** Absent if Stripe does not return it. */
  card?: ShownCard | undefined;
  /** Present if the card will have expired by then. */
  expires?: true | undefined;
  /** When she last got a notice of a charge; absent when she never did. */
  noticedAt?: Moment | undefined;
}

/** A payment of the balance. */
export interface PaidPart extends Sums {
  by: 'card' | WayBesideCard;
  paidAt: Moment;
  card?: ShownCard | undefined;
  /** The id of the payment at Stripe, the number of the check, or the reference of the transfer. */
  reference?: string | undefined;
}

/** What is to be paid next of a plan, or once it has ended. */
export interface NextPayment extends Sums {
  /** Absent when that moment is past. */
  dueAt?: Moment | undefined;
  /** Whether her card is charged then; it is not where that cannot be announced early enough any more. */
  way: 'charged' | 'asked' | 'announced-too-late' | 'paused' | 'open';
}

export interface PlanTold extends Act {
  standing: 'to-agree' | 'agreed' | 'paused' | 'ended';
  /** In the order of their dates; none once it has ended. */
  parts: readonly (Pick<Sums, 'cents' | 'beforeFeeCents'> & { dueAt: Moment; paidAt?: Moment | undefined })[];
  /** All that is left to pay. */
  left: Sums;
  /** What is next, where she has yet to agree: once she has. */
  next: NextPayment;
  /** When she agreed: on her page, or as the office recorded it. */
  herAgreement?: { at: Moment; how?: 'phone' | 'writing' | undefined } | undefined;
  /** It is another one than she agreed to then. */
  isChanged?: true | undefined;
  card?: ShownCard | undefined;
}

/** A place that the office holds: how she pays the deposit, until when, and how much it is. */
export interface HeldPlace extends Act, Sums {
  way: 'card' | WayBesideCard;
  until: Moment;
  /** No card can pay it any more: its payment is closed, or a part of it came otherwise. */
  noCard?: true | undefined;
  /** The version of the terms that she agreed to, as the office recorded it. */
  termsVersion?: string | undefined;
}

/** A check or a transfer that came, or bounced, and what is left to pay. */
export interface PaymentReceived extends Act, Sums {
  payment: PaidPart;
  /** It is from who had the place before. */
  isEarlier?: true | undefined;
  /** Absent when the due moment is past. */
  dueAt?: Moment | undefined;
  /** The part of her payment plan that is due then. */
  next?: Sums | undefined;
  /** She pays the rest by check too. */
  byCheck?: true | undefined;
  /** The sums are those of the deposit, for which her place is held until then, or no longer if that is absent. */
  ofDeposit?: true | undefined;
  heldUntil?: Moment | undefined;
}

/** When the event that the letter is about happened: there is one letter for each such moment. */
export interface Act {
  at: Moment;
}

/** What a registrant who cancels gets back: to her card, by check, and why, line by line. */
export interface Refund {
  cardCents: Cents;
  checkCents: Cents;
  /** Deductions are negative. Empty if the calculation cannot be repeated any more. */
  lines: readonly { words: string; why?: string; keptCents?: Cents; cents: Cents }[];
  /** The card that was charged. */
  card?: ShownCard | undefined;
}

/** A cancellation whose refund was not processed yet when the letter was written. */
export interface Cancelling extends Act, Refund {
  /** The moment that decides how much is refunded. */
  writtenAt: Moment;
  /** Present if she cancelled on her page; otherwise the office recorded her written cancelling. */
  onPage?: true | undefined;
  /** Absent when the cancellation cannot be taken back any more. */
  undoUntil?: Moment | undefined;
  /** From when on the refund is made; absent when that is past. */
  workedOffFrom?: Moment | undefined;
  /** She disputes a charge, so nothing is given back automatically. */
  isDisputed: boolean;
}

/** The state of her balance after she has taken her cancellation back. */
export interface Undone extends Act, Sums {
  standing: 'paid' | 'by-check' | 'owed';
}

/** Nobody has said where the video room is, and its session begins: she can look again, or call. */
export interface Roomless {
  isRoomless?: true | undefined;
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

/** What each kind of letter says, besides whom it is about. It contains no card number, no link and no secret. */
export interface LetterFacts {
  'registration-received': Registrant & {
    /** Whether the address already has a paid registration for this edition, under another name or as a repeated one. */
    addressHasPlace?: boolean | undefined;
  };
  /** She has not paid a day after she began: how to come back, and how to end it. */
  unfinished: Registrant;
  'office-notice': Registrant;
  welcome: Registrant &
    Deposited &
    Agreed & {
      paidAt?: string | undefined;
      /** The balance has changed since, or its due moment is past: her page shows its state. */
      hasMovedOn?: true | undefined;
      /** When the letter is rendered, so that it says nothing that is past. */
      writtenAt?: string | undefined;
    };
  'office-paid': Registrant & Deposited;
  /** Notice that her card will be charged, when and how much: without this letter in time, it is not charged. */
  'balance-notice': Registrant & Charge;
  'balance-reminder': Registrant & Charge;
  /** The same as the notice, for a date to which the office postponed the charge. */
  'balance-postponed': Registrant & Charge;
  'card-expires': Registrant &
    Sums & {
      dueAt: Moment;
      card: ShownCard & { id: string; expMonth: number; expYear: number };
    };
  /** Another card was given, and will be charged at `dueAt`, or at once; with neither, not automatically. */
  'card-on-file': Registrant & Act & Sums & { card: ShownCard; dueAt?: Moment; isDue?: true };
  'please-pay': Registrant &
    Sums &
    Refunds & {
      /** When the balance is due: if that moment changes, she is asked again. */
      dueAt: Moment;
      /** Absent when the due moment is past. */
      payBy?: Moment | undefined;
      /** When a decision about the balance was last withdrawn: she is asked again. */
      changedAt?: Moment | undefined;
      /** She has not agreed to the plan of which it is a part: with that her card could be charged. */
      isToAgree?: true | undefined;
    };
  'balance-failed': Registrant &
    Sums & {
      /** How many charge attempts there had been before this round of retries began. */
      triedBefore: number;
      /** `first`: the charge is retried, at `nextAt`. `last`: it is not retried. */
      stage: 'first' | 'last';
      nextAt?: Moment | undefined;
      reason: DeclineReason;
      card: ShownCard & { id: string };
      /** The card was refused for good with another part of the plan, and is not tried with this one. */
      isUntried?: true | undefined;
    };
  /** The office holds a place for her until the deposit has come. */
  'place-held': Registrant & HeldPlace;
  'place-held-reminder': Registrant & HeldPlace;
  'place-lapsed': Registrant & HeldPlace;
  'tuition-reduced': Registrant &
    Act &
    Sums & {
      reduced: Reduction;
      /** What she has paid beyond what she owes now, and gets back. */
      surplusCents: Cents;
    };
  /** A check or a transfer came, and something is left to pay. */
  'payment-received': Registrant & PaymentReceived;
  'payment-returned': Registrant & PaymentReceived;
  /** Her payment plan: asks her to agree to it, or says how it stands after it was agreed to, changed, paused or ended. */
  'payment-plan': Registrant & PlanTold;
  'part-paid': Registrant &
    Act & {
      payment: PaidPart & { part: NumberedPart };
      left: Sums;
      next: NextPayment;
    };
  'balance-paid': Registrant & {
    deposit: {
      cents: Cents;
      paidAt: Moment;
      card?: ShownCard | undefined;
      /** The payment at Stripe. */
      reference?: string | undefined;
      by?: Deposited['by'] | undefined;
      /** It was paid by who had the place before. */
      isEarlier?: true | undefined;
    };
    balance: readonly PaidPart[];
    reduced?: Reduction | undefined;
    /** What she paid beyond the balance. */
    surplusCents?: Cents | undefined;
    /** It was paid by a plan. */
    ofPlan?: true | undefined;
  };
  /**
   * Confirms that she has cancelled, what comes back, and until when she can take it back; a second one goes
   * to the office if she cancelled on her page.
   */
  'cancel-received': Registrant & Cancelling;
  'office-cancel': Registrant & Cancelling;
  /** Confirms that her cancellation was taken back; a second one goes to the office if she took it back herself. */
  'cancel-undone': Registrant & Undone;
  'office-cancel-undone': Registrant & Undone;
  cancelled: Registrant &
    Act &
    Refund & {
      writtenAt?: Moment | undefined;
    };
  'refund-failed': Registrant & {
    /** The id of the refund at Stripe. */
    refund: string;
    cents: Cents;
    card?: ShownCard | undefined;
  };
  'refund-made': Registrant &
    Act & {
      cents: Cents;
      by: 'card' | 'check';
      madeAt: Moment;
      card?: ShownCard | undefined;
    };
  /** Asks once more for answers that she owes. */
  questions: Registrant & {
    /** The questions, as the edition asks them. */
    asked: readonly string[];
    /** Until when she can answer. */
    until: string;
  };
  /** When the test session is, in which registrants try the video service, and that her page links to it. */
  'test-session': Registrant & { startsAt: string } & Roomless;
  'way-in': Registrant &
    Roomless & {
      /** The day before the retreat or one of its days: an ISO date in the retreat's time zone. */
      day: string;
      /** Nothing is left to pay, so her page links to the room. */
      isOpen: boolean;
      /** When the letter is rendered, so that it lists no session that is over. */
      writtenAt: Moment;
    };
  /** To a new address that she asked for: the link with which she confirms it. */
  'confirm-address': Registrant & Elsewhere & Act;
  /** To her previous address: that her letters now go to another one. */
  'address-changed': Registrant & Elsewhere & Act & { by: 'herself' | 'the office' };
  /** Her place is to be handed over to somebody: whether she agrees. */
  'hand-over-asked': Registrant & Act & { name: string; until: string };
  /** To that person, once she has agreed: the link with which the place becomes hers. */
  'hand-over-offered': Registrant & ToAnother & Act & { from: string; decidedAt: string; until: string };
  /** To her who has the place since. */
  'handed-over': Registrant & Act & Agreed;
  /** The last letter to her who had it. */
  'handed-away': Registrant & ToAnother & Act & { name: string };
  /** Of a place that she has handed over, so much went back to the card that had paid it. */
  'payer-refunded': Registrant & ToAnother & Act & { cents: Cents };
  /** The schedule has changed: to this revision, or to a later one by the time the letter is rendered. */
  'schedule-changed': Registrant & {
    revision: number;
    /** When the letter is rendered, so that it says nothing that is past. */
    writtenAt?: string | undefined;
  };
  /** Her page links to the recordings. */
  recordings: Registrant;
  /** Somebody gave a wrong proof on her page, and may be somebody else who has a link to it. */
  'proof-failed': Registrant & Act;
  /** The link to her page, which somebody asked for with her e-mail address, or by closing her page everywhere. */
  'place-link': Registrant & {
    /**
     * The day on which the link was asked for, and the minute of that day: `2027-02-08-605`; or how often her links had
     * been renewed when the page was closed: `closed-1`.
     */
    request: string;
  };
  /** Written by the office, to the groups of its list: not sent to a person who has left them meanwhile. */
  message: Registrant & Written & { groups: readonly string[]; hasPage?: true };
  /** The same as it reads to a sample reader, to the office, which tries it out; the id is that of the try. */
  'message-test': Written & { edition: string };
  /** A user of the office took a link that shows her page, on this day in the retreat's time zone. */
  'page-seen': Registrant & { day: string };
  /** Asks her to confirm that she wants to wait, or says that she is on the list already. */
  'waiting-received': Waiting & {
    /** Until when she can confirm that she wants to wait; absent once she is on the list. */
    until?: string | undefined;
    /** The day on which her address was last put on the list that it is on. */
    askedOn?: string | undefined;
    /** Until when a place is kept for her. */
    offeredUntil?: string | undefined;
    /** Whether the address has a paid registration for this edition: only this letter says so. */
    addressHasPlace?: boolean | undefined;
  };
  'office-waiting': Waiting;
  /** A place is hers if she takes it before `until`. */
  'place-offered': Waiting & { until: string };
  /** The list of what needs the office, once a day. */
  'office-digest': {
    edition: string;
    /** ISO date, in the retreat's time zone. */
    day: string;
    /** Empty until it is sent. */
    items: readonly OfficeItem[];
    changes: readonly OfficeChange[];
  };
}
