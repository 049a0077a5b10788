import * as v from 'valibot';
import { declineReasons } from '#shared/place.ts';

/** US cents. */
export const amountCents = v.pipe(v.number(), v.integer(), v.minValue(0));

/** A moment, in ISO. */
export const isoMoment = v.pipe(v.string(), v.isoTimestamp());

/**
 * Who registered, as the mails speak of her. Looser than the form: what was accepted once is sent, whatever the form's
 * rules become.
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
  /** How often the links to her page were renewed: the letter's link is made with it when it is sent. */
  linksEpoch: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  /** Stripe's name of her, where it is on record which letters about the balance were sent. */
  customerId: v.exactOptional(v.string()),
  /** Asked for by a person, though one was sent before. */
  again: v.exactOptional(v.literal(true)),
  /** Who of the office asked for it then. */
  askedBy: v.exactOptional(v.string()),
};

/** Who waits for a place, as the letters of the waiting list speak of her. */
export const waiting = {
  /** Her entry, by its customer at Stripe. */
  waitingId: v.pipe(v.string(), v.regex(/^cus_\w+$/)),
  edition: v.string(),
  firstName: v.pipe(v.string(), v.nonEmpty()),
  lastName: v.optional(v.string(), ''),
  email: v.pipe(v.string(), v.nonEmpty()),
  phoneNumber: v.optional(v.string(), ''),
  timeZone: v.optional(v.string(), ''),
  joinedAt: isoMoment,
};

/** What the office was told before, see `toldBy`; absent when it was told nothing yet. */
export const told = { told: v.exactOptional(v.string()) };

/** A card as people know it. */
const shownCard = { brand: v.string(), last4: v.string() };
const cardFacts = v.object(shownCard);

/** What is left to pay: by card, and without the card fee, as by check. */
const sums = { cents: amountCents, beforeFeeCents: amountCents };

/** Whether a balance that is paid still comes back when she cancels: the last day for refunds is not over. */
const refunds = { isRefundable: v.boolean() };

/** The charge that is ahead. */
export const charge = {
  ...sums,
  ...refunds,
  dueAt: isoMoment,
  /** Absent where Stripe does not tell it. */
  card: v.exactOptional(cardFacts),
  /** The card is not valid any more by then. */
  expires: v.exactOptional(v.literal(true)),
  /** When she was told of a charge before; absent when she never was. */
  noticedAt: v.exactOptional(isoMoment),
};

/** The charge for which her card will have expired. */
export const expiry = {
  ...sums,
  dueAt: isoMoment,
  card: v.object({ id: v.string(), ...shownCard, expMonth: v.number(), expYear: v.number() }),
};

/** What she is asked to pay, because her card is not charged by itself. */
export const request = {
  ...sums,
  ...refunds,
  /** When the balance is due: once that is another moment, she is asked once more. */
  dueAt: isoMoment,
  /** Absent when that is past. */
  payBy: v.exactOptional(isoMoment),
};

/** How her card was refused. */
export const refusal = {
  ...sums,
  /** How often the balance had been tried before this round of tries began. */
  triedBefore: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** `first`: it is tried again, at `nextAt`. `last`: it is not. */
  stage: v.picklist(['first', 'last']),
  nextAt: v.exactOptional(isoMoment),
  reason: v.picklist(declineReasons),
  card: v.object({ id: v.string(), ...shownCard }),
};

/** Both payments, of which nothing is left to pay. */
export const receipt = {
  deposit: v.object({ cents: amountCents, paidAt: isoMoment, card: v.exactOptional(cardFacts) }),
  balance: v.object({
    ...sums,
    by: v.picklist(['card', 'check']),
    paidAt: isoMoment,
    card: v.exactOptional(cardFacts),
    /** Stripe's name of the payment; absent for a check. */
    reference: v.exactOptional(v.string()),
  }),
  waivedCents: amountCents,
};

/** When what it tells came about: there is one letter for each such moment. */
export const act = { at: isoMoment };

/** What comes back to who cancels: to her card, by check, and why, line by line. */
const refund = {
  cardCents: amountCents,
  checkCents: amountCents,
  /** What is taken away is negative. Empty where it cannot be told any more. */
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

/** A cancelling that is not worked off, or was not when it was told. */
export const cancelling = {
  ...act,
  ...refund,
  /** The moment by which the refund goes. */
  writtenAt: isoMoment,
  /** She did it on her page; else the office recorded what she wrote. */
  onPage: v.exactOptional(v.literal(true)),
  /** Absent when it cannot be taken back any more. */
  undoUntil: v.exactOptional(isoMoment),
  /** From when on the refund is made; absent when that is past. */
  workedOffFrom: v.exactOptional(isoMoment),
  /** She disputes a charge, and nothing is given back by itself. */
  isDisputed: v.boolean(),
};

/** How her balance stands once she has taken her cancelling back. */
export const undone = { ...act, ...sums, standing: v.picklist(['paid', 'by-check', 'owed']) };

/** What came of cancelling. */
export const cancelled = { ...act, ...refund, writtenAt: v.exactOptional(isoMoment) };

/** A refund that her bank did not take. */
export const notTaken = {
  /** Stripe's name of it. */
  refund: v.string(),
  cents: amountCents,
  card: v.exactOptional(cardFacts),
};

/** The session to try the video service. */
export const trial = { startsAt: isoMoment };

/** A day's way into the room. */
export const entry = {
  /** The day before the retreat or one of its days: an ISO date of its calendar. */
  day: v.pipe(v.string(), v.isoDate()),
  /** Nothing is left to pay: her page leads to the room. */
  isOpen: v.boolean(),
  /** When it is written, so that it tells no session that is over. */
  writtenAt: isoMoment,
};

/** What the office gave back by a decision of its own. */
export const givenBack = {
  ...act,
  cents: amountCents,
  by: v.picklist(['card', 'check']),
  madeAt: isoMoment,
  card: v.exactOptional(cardFacts),
};

/** Where a letter goes that does not go to her present address. */
export const elsewhere = { to: v.pipe(v.string(), v.nonEmpty()) };

/** Who changed her address. */
export const changedAddress = { ...act, by: v.picklist(['herself', 'the office']) };

const detailBefore = v.object({ was: v.string(), until: isoMoment, by: v.string() });
/** Details of hers before they were corrected, until when, and by whom. */
export const detailsBefore = v.object({
  name: v.exactOptional(detailBefore),
  email: v.exactOptional(detailBefore),
  phoneNumber: v.exactOptional(detailBefore),
});

/** Why somebody of the office has to do something. */
export const officeNeeds = [
  /** Her card was refused and is not tried again; only she can go on, or the office with her. */
  'action-needed',
  /** Her card is not charged by itself: she was asked to pay, and has not. */
  'asked-to-pay',
  /** The balance is due and neither charged nor asked for, such as after the retreat. */
  'overdue',
  /** The check that she promised has not come, and the balance is due. */
  'check-overdue',
  'disputed',
  /** Her deposit was given back whole, and nobody recorded that she cancelled. */
  'deposit-refunded',
  /** What cannot go back to her card is owed to her by check. */
  'check-to-send',
  /** What was decided to give back should have been given back a day ago. */
  'refund-overdue',
  /** A letter to her bounced: no other one is sent to her address. */
  'bounced',
  /** She complained of a letter to her. */
  'complained',
  /** Payments that were made otherwise than the site made them, or cannot be read. */
  'payments',
  /** A place is free, and somebody waits for one. */
  'place-free',
  /** Letters to somebody who waits for a place come back. */
  'waiting-bounced',
  /** It will not be sent unless somebody does something. */
  'letter-failed',
  /** More people have paid for a place than there are places. */
  'overbooked',
] as const;
export type OfficeNeed = (typeof officeNeeds)[number];

/** One thing that needs the office. */
export const officeItem = v.object({
  need: v.picklist(officeNeeds),
  /** Absent where it is about no single registration. */
  paymentIntentId: v.exactOptional(v.string()),
  name: v.exactOptional(v.string()),
  /** How many, for `payments`; how many too many, for `overbooked`; how many can be offered, for `place-free`. */
  count: v.exactOptional(v.number()),
  cents: v.exactOptional(amountCents),
  since: v.exactOptional(isoMoment),
  /** For `action-needed`. */
  reason: v.exactOptional(v.picklist(declineReasons)),
  /** For `asked-to-pay`. */
  obstacle: v.exactOptional(v.picklist(['no-consent', 'no-card', 'too-late', 'no-notice'])),
  /** For `letter-failed`: the mail's id on the queue. */
  mail: v.exactOptional(v.string()),
});
export type OfficeItem = v.InferOutput<typeof officeItem>;
