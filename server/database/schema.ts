/**
 * Every fact that the register holds: one interface a table, one property a column. In SQL the names are in
 * snake case. Ids are UUIDv7, or made from what they name, never counters: after a restore a counter would give an old
 * link to somebody else. Columns of moments end in `At` or `Until`, see `dates.ts`.
 */
export interface Tables {
  register: RegisterRow;
  registrations: RegistrationRow;
  registrationIndex: RegistrationIndexRow;
  addresses: AddressRow;
  waitingEntries: WaitingEntryRow;
  acts: ActRow;
  payments: PaymentRow;
  attempts: AttemptRow;
  refunds: RefundRow;
  disputes: DisputeRow;
  installments: InstallmentRow;
  entries: EntryRow;
  payouts: PayoutRow;
  letters: LetterRow;
  stripeEvents: StripeEventRow;
  marks: MarkRow;
}

/** The key of each table. A row refers only to rows of tables before its own, or to earlier rows of its own. */
export const TABLE_KEYS = {
  register: 'id',
  registrations: 'id',
  registrationIndex: 'registration',
  addresses: 'digest',
  waitingEntries: 'id',
  acts: 'id',
  payments: 'id',
  attempts: 'id',
  refunds: 'id',
  disputes: 'id',
  installments: 'id',
  entries: 'id',
  payouts: 'id',
  letters: 'id',
  stripeEvents: 'id',
  marks: 'id',
} as const satisfies { [Table in keyof Tables]: keyof Tables[Table] };

/** One row, which says what this database is. */
export interface RegisterRow {
  id: 1;
  /** Names this register for ever, also in its copies. */
  name: string;
  /** The last migration that has run. */
  migration: number;
  /** The migration that a release must know to run on this database. */
  compatibleFrom: number;
  /** When the probe last wrote here. */
  probedAt: Date;
  /** When its newest copy was made. */
  copiedAt: Date | null;
  /** In a copy, until it is released: the name of the register that was copied at `copiedAt`. */
  copyOf: string | null;
  /** Until when Stripe's events were taken, by Stripe's clock. */
  eventsUntil: Date | null;
  /** When Stripe's lists were last compared with what is on record; null until the whole season has been. */
  comparedAt: Date | null;
  /** When the last catch-up with Stripe that came to its end began: the register knows all payments made before. */
  caughtUpAt: Date | null;
  /** Since when everything outward is held, see `hold.ts`, and why. */
  heldAt: Date | null;
  heldWhy: string | null;
  /** The database to which it was moved: no process starts on this one any more. */
  movedTo: string | null;
}

/** Added each minute, and kept outside of the register too, see `kept-outside.ts`. */
export interface MarkRow {
  id: string;
  /** By the machine's clock. */
  madeAt: Date;
}

/** One person in one edition, from her first submit on. */
export interface RegistrationRow {
  /** Made from the key of her first submit, see `registrationIdOf`: the same key is the same registration. */
  id: string;
  edition: string;
  begunAt: Date;
  /** When she last submitted a step after that. */
  submittedAt: Date | null;
  /** Her details are empty once her personal data were removed. */
  firstName: string;
  lastName: string;
  email: string;
  phoneNumber: string;
  timeZone: string;
  /** JSON of `answersSchema`: what she answered to the questions of the edition. */
  answers: string;
  /** Her name, folded, and her e-mail address in lower case: what is the same to a reader is the same here. */
  person: string;
  address: string;
  /** What a search looks through, and by which a list is sorted by name, see `search-text.ts`. */
  searchText: string;
  sortName: string;
  /** The names of those who had the place before her, the last one first, separated by `; `. */
  namesBefore: string;
  /** Before she pays, no letter goes to her present address: there were too many to such addresses. 1 or 0. */
  letterWaits: 0 | 1;
  /** A digest of the details that she began with. */
  begunWith: string;
  /** The entry of the waiting list whose offer she uses. */
  waiting: string | null;
  /** Who entered it. */
  source: 'page' | 'office';
  /** The Stripe customer; null until it is made. */
  customer: string | null;
  /** When it was first asked for. Without a customer since, the answer was lost: it may be at Stripe all the same. */
  customerAskedAt: Date | null;
  /** SHA-256 of the client secret of her deposit's payment: who has the secret is known without asking Stripe. */
  secretDigest: string | null;
  /**
   * `open`: not paid. It has a place until `heldUntil`; after that its payment is closed before somebody else
   * gets the place, and is `closing` meanwhile. `taken`: paid. `free`: it takes no place any more.
   */
  standing: 'open' | 'closing' | 'taken' | 'free';
  heldUntil: Date;
  /** HMACs of the address and the network that hold it without having paid; null where the edition has no `places`. */
  heldBy: string | null;
  heldNetwork: string | null;
  /** When her deposit was paid, in whichever way; null while it is not. */
  paidAt: Date | null;
  /** When she agreed to the terms, from which the place is held once more. */
  agreedAt: Date | null;
  /** Rises with each change of what is on record of her, above all other registrations' versions. */
  version: number;
  /** Links to her page that name a smaller number do not work. */
  linksEpoch: number;
  /** The address that she requested and has not confirmed yet, and when she did so. */
  askedAddress: string | null;
  askedAt: Date | null;
  /** When she began to pay her balance on her page. */
  payingBegunAt: Date | null;
  /** When her personal data were removed. */
  forgottenAt: Date | null;
  /** When the worker looks at it next: at once after a change; null once nothing falls due by time alone. */
  nextAt: Date | null;
}

/**
 * An index, never a fact: what followed from all that is on record of a registration when it was looked at last. Lists,
 * counts and spreadsheets are read from it, see `registration-index.ts`; nothing about money is decided by it.
 */
export interface RegistrationIndexRow {
  registration: string;
  edition: string;
  /** The version of the registration that was looked at, and when. */
  version: number;
  lookedAt: Date;
  /** Until when it is true while nothing changes; null: for good. */
  validUntil: Date | null;
  /** See `stateOf`; null for what cannot be read. */
  state: string | null;
  /** Why its balance is overdue, see `chargeStop`. */
  overdue: string | null;
  /** Why a person must look at it. */
  attention: string | null;
  /** What the office has to do, the most urgent first, separated by spaces. */
  needs: string;
  /** The groups of the list that it is in, such as ` all paid `; empty for what cannot be read. */
  groups: string;
  begunAt: Date;
  paidAt: Date | null;
  balancePaidAt: Date | null;
  dueAt: Date | null;
  cancelledAt: Date | null;
  /** US cents: deposit and balance by card, what came by check or transfer, all that came in and went back, and what is open. */
  depositCents: number;
  cardCents: number;
  checkCents: number;
  inCents: number;
  backCents: number;
  toPayCents: number;
  waivedCents: number;
  /** What the office still has to send her by check. */
  toSendCents: number;
  disputed: 0 | 1;
  /** JSON of `daysSchema`. */
  days: string;
}

/** What is known of an e-mail address. */
export interface AddressRow {
  /** The SHA-256 of the address in lower case: the address itself is not kept for it. */
  digest: string;
  /** JSON of `bouncedSchema`: letters to it come back. */
  bounced: string;
}

export interface WaitingEntryRow {
  id: string;
  edition: string;
  /** The address in lower case, once in an edition; the id once she has taken a place. */
  address: string;
  joinedAt: Date;
  /** When somebody last put the address on the list. */
  askedAt: Date;
  /** When she pressed the link in her letter; before that she takes no place, and anybody may have joined her. */
  confirmedAt: Date | null;
  /** Empty once she has taken a place, as the following details. */
  firstName: string;
  lastName: string;
  email: string;
  phoneNumber: string;
  timeZone: string;
  offeredAt: Date | null;
  offeredUntil: Date | null;
  offeredBy: string | null;
  /** The registration that was begun by an offer. */
  begun: string | null;
  /** The registration by which she took a place. */
  took: string | null;
}

/**
 * What somebody agreed to, decided, noted, withdrew or announced: rows are only added, and never say anything else later,
 * except that personal data are removed from them.
 */
export interface ActRow {
  id: string;
  /** The registration that it is about, or the edition, or the register by its name. */
  subject: string;
  /** Counts the acts about the subject, in their order. */
  number: number;
  /** See `actSchemas`. */
  kind: string;
  happenedAt: Date;
  /** A user of the office, the registrant, or the worker. */
  byWhom: string;
  /** JSON of what the kind tells beside. */
  facts: string;
  /** The act that it takes back. */
  undoes: string | null;
}

/** A payment at Stripe that this site made, as Stripe showed it last. */
export interface PaymentRow {
  /** The PaymentIntent. */
  id: string;
  registration: string;
  /** Of another name if a later release made it. */
  name: 'deposit' | 'balance' | (string & {});
  edition: string;
  /** `processing`: neither can it be paid in another way now, nor is it paid. */
  status: 'open' | 'processing' | 'cancelled' | 'paid';
  /** Whether name, edition, amount and currency are known, and as this site made them: 1 or 0. */
  asMade: 0 | 1;
  cents: number;
  madeAt: Date;
  paidAt: Date | null;
  /** The Stripe charge that paid it, and whether she disputed it at some time: 1 or 0. */
  charge: string | null;
  disputed: 0 | 1;
  /** JSON of `chargedCardSchema`: the card that paid it. */
  card: string | null;
  /** Of its billing address, as she proves who she is by it, see `postalCodeOf`; null until it is paid, and once she is forgotten. */
  postalCode: string | null;
  /** Of a balance, without the card fee; null where that cannot be read. */
  beforeFeeCents: number | null;
  /** Of a balance, the part of a payment plan that it pays, see `decisions.ts`: 0 where it is none. */
  part: number;
  /** When it was recorded so. */
  recordedAt: Date;
  /** Rises with each change, above all other payments' versions. */
  version: number;
}

/** A try to charge the card on file for a balance. It is on record before it is made, and ends with its result. */
export interface AttemptRow {
  id: string;
  registration: string;
  /** See `PaymentRow.part`. */
  part: number;
  /** Counts the tries of the part, from 1. */
  number: number;
  /** The PaymentIntent and the payment method at Stripe. */
  payment: string;
  card: string;
  begunAt: Date;
  /** Null while its result is not known. */
  endedAt: Date | null;
  /** Stripe's decline code, or its error's code; null if it was not declined. */
  code: string | null;
  /** See `BalanceDecline`. */
  step: number;
  nextAt: Date | null;
  final: 0 | 1;
}

/** A refund at Stripe, made by this site or on Stripe's dashboard. */
export interface RefundRow {
  /** The Stripe refund. */
  id: string;
  payment: string;
  /** Of the payment: a refund is never larger. */
  paymentCents: number;
  cents: number;
  status: 'pending' | 'succeeded' | 'failed';
  madeAt: Date;
  /** The payout that it carries out. */
  ordered: string | null;
}

/** A dispute of a payment with her bank. */
export interface DisputeRow {
  /** The Stripe dispute. */
  id: string;
  payment: string;
  cents: number;
  /** Stripe's codes for the reason that her bank gives, and for where it stands: `won` and `lost` are how it ended. */
  reason: string;
  status: string;
  openedAt: Date;
  /** Until when her bank takes evidence. */
  evidenceUntil: Date | null;
}

/**
 * A sum that is asked of a registration. Whatever changes what is asked replaces rows: those in force have no
 * `replacedBy`. Sums are in US cents, as in all tables.
 */
export interface InstallmentRow {
  /** `madeBy` and the number. */
  id: string;
  registration: string;
  /** Counts the rows of the registration, in the order in which they were made. */
  position: number;
  /** 0 is the deposit, 1 and up the balance or its parts. A number is never given to another part. */
  number: number;
  /** Without the card fee. */
  cents: number;
  /** The card fee of the whole row, as announced, and the rate for a smaller sum: 375 is 3.75 %. */
  cardFeeCents: number;
  cardFeeBasisPoints: number;
  dueAt: Date;
  /** Until then it is given back when she cancels; null: it never is. */
  refundableUntil: Date | null;
  /** Whether its card fee goes back with it: 1 or 0. */
  feeRefundable: 0 | 1;
  /** The consent by which it may be charged; null: it is asked, and never charged. */
  agreedIn: string | null;
  /** What made and replaced it: the registration itself when it began, an act, or an entry. */
  madeBy: string;
  replacedBy: string | null;
  /** Of what is kept after a cancellation: what later relief has taken off. */
  reliefCents: number;
}

/** Money that moved. Rows are only added; sums are signed, negative where money left. */
export interface EntryRow {
  /** What it records: the charge, the refund, the balance transaction of a dispute, or the act of the office. */
  id: string;
  registration: string;
  /** Counts the entries of the registration, in the order in which they were recorded. */
  position: number;
  /**
   * `payout`: money that the site or the office sent her; `refund`: one made by hand at Stripe; `dispute`: a withdrawal or
   * a reinstatement.
   */
  kind: 'card' | 'check' | 'transfer' | 'refund' | 'payout' | 'dispute' | 'reversal';
  cents: number;
  /** The part of it that is a card fee, beside `cents`. */
  feeCents: number;
  movedAt: Date;
  recordedAt: Date;
  /** Whose money it is: the registration for its first holder, else the act that handed the place over to the payer. */
  payer: string;
  /** Of money by card: the number that it was made for, and its PaymentIntent. */
  number: number | null;
  payment: string | null;
  /** The entry that it takes back, once: a bounced check, a failed refund. */
  reverses: string | null;
  /** Of a refund by hand: how much of it was taken off what is asked; null while that is not judged. */
  reliefCents: number | null;
}

/** Money that is to leave, and what became of it. */
export interface PayoutRow {
  /** `orderedBy`, the way and the payment or payer, or `insteadOf` and `again`. */
  id: string;
  registration: string;
  /** Counts the payouts of the registration, in the order in which they were ordered. */
  position: number;
  /** The act or the entry that caused it. */
  orderedBy: string;
  payer: string;
  way: 'card' | 'check';
  /** The PaymentIntent that a payout by card goes back to, and its cents: a payout is never larger. */
  payment: string | null;
  paymentCents: number | null;
  cents: number;
  feeCents: number;
  state: 'ordered' | 'claimed' | 'sent' | 'failed' | 'withdrawn';
  /** The failed payout that it takes the place of. */
  insteadOf: string | null;
  /** Not null once it is sent. */
  entry: string | null;
}

/** A letter that is owed, and what happened to it. */
export interface LetterRow {
  /** Of its job, see `mailJobId`. */
  id: string;
  /** The registration that it is about, or the entry of the waiting list, or the edition. */
  subject: string;
  kind: string;
  /** Which facts it tells, see `mailVersion`: a letter with other facts is another one. */
  version: string;
  /** Dropped: it was not due any more when it was to be sent. */
  state: 'owed' | 'sent' | 'dismissed' | 'dropped';
  owedAt: Date;
  endedAt: Date | null;
  /** To whom; empty for the office, and once she is forgotten. */
  address: string;
  /** Whether a person asked for it although it was sent before: 1 or 0. */
  again: 0 | 1;
  /** The user of the office who then asked for it. */
  askedBy: string | null;
  /** When a mail server was last asked to take it: without an end it may have been sent since. */
  triedAt: Date | null;
  /** JSON of `noticeSchema`: the charge that it announced. */
  notice: string | null;
}

export interface StripeEventRow {
  id: string;
  /** When Stripe made it. */
  createdAt: Date;
}
