import * as v from 'valibot';
import { declineReasons } from '#shared/own-page.ts';

/** US cents. */
export const amountCents = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A date and time in ISO format. */
export const isoMoment = v.pipe(v.string(), v.isoTimestamp());

/**
 * The registrant, with the details that mails use. Looser than the form: once a registration was accepted its
 * mails are sent, however the rules of the form change later.
 */
export const registrant = {
  paymentIntentId: v.pipe(v.string(), v.regex(/^pi_\w+$/)),
  /** Which edition she registered for; older jobs name none. */
  edition: v.exactOptional(v.string()),
  firstName: v.pipe(v.string(), v.nonEmpty()),
  lastName: v.optional(v.string(), ''),
  email: v.pipe(v.string(), v.nonEmpty()),
  phoneNumber: v.optional(v.string(), ''),
  /** Her own time zone by its IANA name; empty when her browser did not say. */
  timeZone: v.optional(v.string(), ''),
  /**
   * How often the links to her page were renewed: the link in the letter is made from it when the letter is
   * sent.
   */
  linksEpoch: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Her customer id at Stripe. The customer records which letters about the balance were sent. */
  customerId: v.exactOptional(v.string()),
  /** Present when a person asked for the letter although it was sent before. */
  again: v.exactOptional(v.literal(true)),
};

/** A person on the waiting list, with the details that its letters use. */
export const waiting = {
  /** Her entry, by its customer at Stripe. */
  waitingId: v.pipe(v.string(), v.regex(/^waiting_\w+$/)),
  edition: v.string(),
  firstName: v.pipe(v.string(), v.nonEmpty()),
  lastName: v.optional(v.string(), ''),
  email: v.pipe(v.string(), v.nonEmpty()),
  phoneNumber: v.optional(v.string(), ''),
  timeZone: v.optional(v.string(), ''),
  joinedAt: isoMoment,
};

/** The `toldBy` of the last notice to the office; absent when it has had none. */
export const told = { told: v.exactOptional(v.string()) };

/** A card as people know it. */
const shownCard = { brand: v.string(), last4: v.string() };
const cardFacts = v.object(shownCard);

/** What is left to pay: by card, and by check, which is without the card fee. */
const sums = { cents: amountCents, beforeFeeCents: amountCents };

/** Whether a paid balance is still refunded when she cancels: the last day for refunds is not over. */
const refunds = { isRefundable: v.boolean() };

/** An upcoming charge. */
export const charge = {
  ...sums,
  ...refunds,
  dueAt: isoMoment,
  /** Absent if Stripe does not return it. */
  card: v.exactOptional(cardFacts),
  /** Present if the card will have expired by then. */
  expires: v.exactOptional(v.literal(true)),
  /** When she last got a notice of a charge; absent when she never did. */
  noticedAt: v.exactOptional(isoMoment),
};

/** The charge for which her card will have expired. */
export const expiry = {
  ...sums,
  dueAt: isoMoment,
  card: v.object({ id: v.string(), ...shownCard, expMonth: v.number(), expYear: v.number() }),
};

/** What she is asked to pay, because her card is not charged automatically. */
export const request = {
  ...sums,
  ...refunds,
  /** When the balance is due: if that moment changes, she is asked again. */
  dueAt: isoMoment,
  /** Absent when the due moment is past. */
  payBy: v.exactOptional(isoMoment),
};

/** How a charge to her card was refused. */
export const refusal = {
  ...sums,
  /** How many charge attempts there had been before this round of retries began. */
  triedBefore: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** `first`: the charge is retried, at `nextAt`. `last`: it is not retried. */
  stage: v.picklist(['first', 'last']),
  nextAt: v.exactOptional(isoMoment),
  reason: v.picklist(declineReasons),
  card: v.object({ id: v.string(), ...shownCard }),
};

/** Both payments; nothing is left to pay. */
export const receipt = {
  deposit: v.object({ cents: amountCents, paidAt: isoMoment, card: v.exactOptional(cardFacts) }),
  balance: v.object({
    ...sums,
    by: v.picklist(['card', 'check']),
    paidAt: isoMoment,
    card: v.exactOptional(cardFacts),
    /** The id of the payment at Stripe; absent for a check. */
    reference: v.exactOptional(v.string()),
  }),
  waivedCents: amountCents,
};

/** When the event that the letter is about happened: there is one letter for each such moment. */
export const act = { at: isoMoment };

/** What a registrant who cancels gets back: to her card, by check, and why, line by line. */
const refund = {
  cardCents: amountCents,
  checkCents: amountCents,
  /** Deductions are negative. Empty if the calculation cannot be repeated any more. */
  lines: v.array(
    v.object({
      words: v.string(),
      why: v.exactOptional(v.string()),
      keptCents: v.exactOptional(amountCents),
      cents: v.pipe(v.number(), v.integer()),
    }),
  ),
  /** The card that was charged. */
  card: v.exactOptional(cardFacts),
};

/** A cancellation whose refund was not processed yet when the letter was written. */
export const cancelling = {
  ...act,
  ...refund,
  /** The moment that decides how much is refunded. */
  writtenAt: isoMoment,
  /** Present if she cancelled on her page; otherwise the office recorded her written cancelling. */
  onPage: v.exactOptional(v.literal(true)),
  /** Absent when the cancellation cannot be taken back any more. */
  undoUntil: v.exactOptional(isoMoment),
  /** From when on the refund is made; absent when that is past. */
  workedOffFrom: v.exactOptional(isoMoment),
  /** She disputes a charge, so nothing is given back automatically. */
  isDisputed: v.boolean(),
};

/** The state of her balance after she has taken her cancellation back. */
export const undone = { ...act, ...sums, standing: v.picklist(['paid', 'by-check', 'owed']) };

/** The result of a cancellation. */
export const cancelled = { ...act, ...refund, writtenAt: v.exactOptional(isoMoment) };

/** A refund that her bank did not take. */
export const notTaken = {
  /** The id of the refund at Stripe. */
  refund: v.string(),
  cents: amountCents,
  card: v.exactOptional(cardFacts),
};

/** The test session, in which registrants try the video service. */
export const trial = { startsAt: isoMoment };

/** How to enter the video room on one day. */
export const entry = {
  /** The day before the retreat or one of its days: an ISO date in the retreat's time zone. */
  day: v.pipe(v.string(), v.isoDate()),
  /** Nothing is left to pay, so her page links to the room. */
  isOpen: v.boolean(),
  /** When the letter is rendered, so that it lists no session that is over. */
  writtenAt: isoMoment,
};

/** What the office gave back as an exception. */
export const givenBack = {
  ...act,
  cents: amountCents,
  by: v.picklist(['card', 'check']),
  madeAt: isoMoment,
  card: v.exactOptional(cardFacts),
};

/** The address of a letter that does not go to her present address. */
export const elsewhere = { to: v.pipe(v.string(), v.nonEmpty()) };

/** Who changed her address. */
export const changedAddress = { ...act, by: v.picklist(['herself', 'the office']) };

const detailBefore = v.object({ was: v.string(), until: isoMoment, by: v.string() });
/** Her details before they were corrected, until when they were valid, and by whom they were corrected. */
export const detailsBefore = v.object({
  name: v.exactOptional(detailBefore),
  email: v.exactOptional(detailBefore),
  phoneNumber: v.exactOptional(detailBefore),
});

/** Why somebody of the office has to do something. */
export const officeNeeds = [
  /** Her card was refused and is not retried; she has to act, or the office together with her. */
  'action-needed',
  /** Her card is not charged automatically: she was asked to pay, and has not paid. */
  'asked-to-pay',
  /** The balance is due, but is neither charged nor asked for, for example after the retreat. */
  'overdue',
  /** The check that she promised has not come, and the balance is due. */
  'check-overdue',
  'disputed',
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
] as const;
export type OfficeNeed = (typeof officeNeeds)[number];

/** One thing that needs the office. */
export const officeItem = v.object({
  need: v.picklist(officeNeeds),
  /** Absent where the item is not about one registration. */
  paymentIntentId: v.exactOptional(v.string()),
  name: v.exactOptional(v.string()),
  /**
   * For `payments`: how many. For `overbooked`: how many too many. For `place-free`: how many places can be
   * offered.
   */
  count: v.exactOptional(v.number()),
  cents: v.exactOptional(amountCents),
  since: v.exactOptional(isoMoment),
  /** For `action-needed`. */
  reason: v.exactOptional(v.picklist(declineReasons)),
  /** For `asked-to-pay`. */
  obstacle: v.exactOptional(v.picklist(['no-consent', 'no-card', 'too-late', 'no-notice'])),
  /** For `letter-failed`: the id of the mail on the queue. */
  mail: v.exactOptional(v.string()),
});
export type OfficeItem = v.InferOutput<typeof officeItem>;
