import { cents, count, flag, json, moment, oneOf, signedCents, text } from './columns.ts';

/** Rows of the ledger are counted for each registration, in the order in which they were made. */
const inLedger = { registration: text.references('registrations'), position: count };

/** Sums are in US cents. */
export const moneyTables = {
  payments: {
    id: text.key,
    /** What Stripe reports is always recorded: this one may be lost. */
    registration: text.indexed,
    /** Which installment it pays; null for what a later release made. */
    number: count.orNull,
    edition: text,
    /** `processing`: neither can it be paid in another way now, nor is it paid. */
    status: oneOf('open', 'processing', 'cancelled', 'paid'),
    /** Whether metadata and sum are what this site made. */
    asMade: flag,
    cents,
    madeAt: moment,
    paidAt: moment.orNull.indexed,
    charge: text.orNull,
    disputed: flag,
    /** `chargedCardSchema`. */
    card: json.orNull,
    /** Of the card, by which she proves who she is, see `postalCodeOf`; null once she is forgotten. */
    postalCode: text.orNull,
    /** Of a balance, without the card fee; null where that cannot be read. */
    beforeFeeCents: cents.orNull,
    /** Rises with each change, above those of all other payments. */
    version: count.indexed,
  },

  attempts: {
    id: text.key,
    registration: text.references('registrations'),
    /** Which installment, and how often it was tried by then. */
    number: count,
    try: count,
    payment: text.references('payments'),
    card: text,
    begunAt: moment,
    endedAt: moment.orNull,
    /** Stripe's decline code, or its error's code; null if it was not declined. */
    code: text.orNull,
    step: count,
    nextAt: moment.orNull,
    final: flag,
  },

  refunds: {
    id: text.key,
    payment: text.indexed,
    paymentCents: cents,
    cents,
    status: oneOf('pending', 'succeeded', 'failed'),
    madeAt: moment.indexed,
    ordered: text.orNull,
  },

  disputes: {
    id: text.key,
    payment: text.references('payments').indexed,
    cents,
    /** Stripe's codes for the reason that her bank gives, and for where it stands: `won` and `lost` are how it ended. */
    reason: text,
    status: text,
    openedAt: moment,
    evidenceUntil: moment.orNull,
  },

  /** A sum that is asked. Whatever changes what is asked replaces rows: those in force have no `replacedBy`. */
  installments: {
    /** `madeBy` and the number. */
    id: text.key,
    ...inLedger,
    /** 0 is the deposit, 1 and up the balance or its parts. A number is never given to another part. */
    number: count,
    /** Without the card fee. */
    cents,
    /** The card fee of the whole row, as announced, and the rate for a smaller sum: 375 is 3.75 %. */
    cardFeeCents: cents,
    cardFeeBasisPoints: count,
    dueAt: moment,
    /** Until then it is given back when she cancels; null: it never is. Does its card fee go back with it? */
    refundableUntil: moment.orNull,
    feeRefundable: flag,
    /** The consent by which it may be charged; null: it is asked, and never charged. */
    agreedIn: text.orNull.references('acts'),
    /** What made and replaced it: the registration itself when it began, an act, or an entry. */
    madeBy: text,
    replacedBy: text.orNull,
    /** Of what is kept after a cancellation: what later relief has taken off. */
    reliefCents: cents,
  },

  /** Money that moved. Rows are only added; sums are signed, negative where money left. */
  entries: {
    /** What it records: the charge, the refund, the balance transaction of a dispute, or the act of the office. */
    id: text.key,
    ...inLedger,
    /** `payout`: sent by us; `refund`: made by hand at Stripe; `dispute`: a withdrawal or a reinstatement. */
    kind: oneOf('card', 'check', 'transfer', 'refund', 'payout', 'dispute', 'reversal'),
    cents: signedCents,
    feeCents: signedCents,
    movedAt: moment,
    recordedAt: moment,
    /** Whose money it is: the registration for its first holder, else the act that handed the place over to the payer. */
    payer: text,
    /** Of money by card: the number that it was made for, and its PaymentIntent. */
    number: count.orNull,
    payment: text.orNull.references('payments').indexed,
    /** The entry that it takes back, once: a bounced check, a failed refund. */
    reverses: text.orNull.unique.references('entries'),
    /** Of a refund by hand: how much of it was taken off what is asked; null while that is not judged. */
    reliefCents: cents.orNull,
  },

  payouts: {
    /** `orderedBy`, the way and the payment or payer, or `insteadOf` and `again`. */
    id: text.key,
    ...inLedger,
    orderedBy: text,
    payer: text,
    way: oneOf('card', 'check'),
    payment: text.orNull.indexed,
    paymentCents: cents.orNull,
    cents,
    feeCents: cents,
    state: oneOf('ordered', 'claimed', 'sent', 'failed', 'withdrawn'),
    insteadOf: text.orNull.unique.references('payouts'),
    entry: text.orNull.unique.references('entries'),
  },

  /** Of the Stripe account, in the smallest unit of its currency. Nothing of it is personal. */
  transactions: {
    id: text.key,
    /** What caused it: a charge, a refund, a dispute, a payout; null for some fees. */
    source: text.orNull.indexed,
    /** The PaymentIntent of a charge, a refund or a dispute, also of another shop. */
    payment: text.orNull,
    /** Whether this site has marked the source. Stripe marks no dispute, nor what was made by hand. */
    ours: flag,
    category: text,
    amount: signedCents,
    /** What Stripe took, and what is left. */
    fee: signedCents,
    net: signedCents,
    currency: text,
    createdAt: moment.indexed,
    /** The automatic payout that holds it, and when the bank has that; null before, and for good in one made by hand. */
    payout: text.orNull,
    arrivesAt: moment.orNull,
  },
};
