import { cents, count, flag, json, moment, oneOf, signedCents, text } from './columns.ts';

/** Rows of the ledger are counted for each registration, in the order in which they were made. */
const inLedger = { registration: text.references('registrations'), position: count };
const LEDGER_ORDER = 'unique (registration, position)';

/** The sum of the payment stands beside it, so that no more than that goes back. */
const OF_PAYMENT = 'foreign key (payment, payment_cents) references payments (id, cents) on update cascade';

/** Sums are in US cents. */
export const moneyTables = {
  /** A payment at Stripe that this site made, as Stripe showed it last. */
  payments: {
    columns: {
      /** The PaymentIntent. */
      id: text.key,
      /** What Stripe reports is always recorded: this one may be lost. */
      registration: text.indexed,
      /** `deposit` or `balance`; another name if a later release made it. */
      name: text,
      edition: text,
      /** `processing`: neither can it be paid in another way now, nor is it paid. */
      status: oneOf('open', 'processing', 'cancelled', 'paid'),
      /** Whether name, edition, amount and currency are known, and as this site made them. */
      asMade: flag,
      cents,
      madeAt: moment,
      paidAt: moment.orNull.indexed,
      /** The Stripe charge that paid it, and whether she disputed it at some time. */
      charge: text.orNull,
      disputed: flag,
      /** JSON of `chargedCardSchema`: the card that paid it. */
      card: json.orNull,
      /** Of the card, by which she proves who she is, see `postalCodeOf`; null once she is forgotten. */
      postalCode: text.orNull,
      /** Of a balance, without the card fee; null where that cannot be read. */
      beforeFeeCents: cents.orNull,
      /** Of a balance, the part of a payment plan that it pays, see `decisions.ts`: 0 where it is none. */
      part: count,
      /** Rises with each change, above all other payments' versions. */
      version: count.indexed,
    },
    rules: ['unique (id, cents)', "check ((status = 'paid') = (paid_at is not null))"],
  },

  /** A try to charge the card on file for a balance. It is on record before it is made, and ends with its result. */
  attempts: {
    columns: {
      id: text.key,
      registration: text.references('registrations'),
      part: count,
      number: count,
      /** The PaymentIntent and the payment method at Stripe. */
      payment: text.references('payments'),
      card: text,
      begunAt: moment,
      /** Null while its result is not known. */
      endedAt: moment.orNull,
      /** Stripe's decline code, or its error's code; null if it was not declined. */
      code: text.orNull,
      /** See `BalanceDecline`. */
      step: count,
      nextAt: moment.orNull,
      final: flag,
    },
    rules: ['unique (registration, part, number)'],
    indexes: ['create unique index open_attempts on attempts (registration, part) where ended_at is null'],
  },

  /** A refund at Stripe, made by this site or on Stripe's dashboard. */
  refunds: {
    columns: {
      id: text.key,
      payment: text.indexed,
      paymentCents: cents,
      cents,
      status: oneOf('pending', 'succeeded', 'failed'),
      madeAt: moment.indexed,
      /** The payout that it carries out. */
      ordered: text.orNull,
    },
    rules: [OF_PAYMENT, 'check (cents <= payment_cents)'],
  },

  /** A dispute of a payment with her bank. */
  disputes: {
    columns: {
      id: text.key,
      payment: text.references('payments').indexed,
      cents,
      /** Stripe's codes for the reason that her bank gives, and for where it stands: `won` and `lost` are how it ended. */
      reason: text,
      status: text,
      openedAt: moment,
      evidenceUntil: moment.orNull,
    },
  },

  /** A sum that is asked. Whatever changes what is asked replaces rows: those in force have no `replacedBy`. */
  installments: {
    columns: {
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
    rules: [LEDGER_ORDER],
    indexes: [
      'create unique index installments_in_force on installments (registration, number) where replaced_by is null',
    ],
  },

  /** Money that moved. Rows are only added; sums are signed, negative where money left. */
  entries: {
    columns: {
      /** What it records: the charge, the refund, the balance transaction of a dispute, or the act of the office. */
      id: text.key,
      ...inLedger,
      /** `payout`: sent by us; `refund`: made by hand at Stripe; `dispute`: a withdrawal or a reinstatement. */
      kind: oneOf('card', 'check', 'transfer', 'refund', 'payout', 'dispute', 'reversal'),
      cents: signedCents,
      /** The part of it that is a card fee, beside `cents`. */
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
    rules: [
      LEDGER_ORDER,
      "check ((kind = 'reversal') = (reverses is not null))",
      "check (kind <> 'card' or number is not null)",
      "check (kind not in ('card', 'refund', 'dispute') or payment is not null)",
      "check (kind not in ('card', 'check', 'transfer') or cents >= 0)",
      "check (kind not in ('refund', 'payout') or cents + fee_cents <= 0)",
    ],
    indexes: ["create unique index card_entries on entries (payment) where kind = 'card'"],
  },

  /** Money that is to leave, and what became of it. */
  payouts: {
    columns: {
      /** `orderedBy`, the way and the payment or payer, or `insteadOf` and `again`. */
      id: text.key,
      ...inLedger,
      /** The act or the entry that caused it. */
      orderedBy: text,
      payer: text,
      way: oneOf('card', 'check'),
      /** The PaymentIntent that a payout by card goes back to. */
      payment: text.orNull.indexed,
      paymentCents: cents.orNull,
      cents,
      feeCents: cents,
      state: oneOf('ordered', 'claimed', 'sent', 'failed', 'withdrawn'),
      insteadOf: text.orNull.unique.references('payouts'),
      entry: text.orNull.unique.references('entries'),
    },
    rules: [
      OF_PAYMENT,
      LEDGER_ORDER,
      "check ((way = 'card') = (payment is not null))",
      'check ((payment is null) = (payment_cents is null))',
      'check (cents + fee_cents <= payment_cents)',
      "check (state <> 'sent' or entry is not null)",
    ],
    indexes: [
      `create unique index live_payouts on payouts (ordered_by, payer, way, coalesce(payment, ''))
        where instead_of is null and state in ('ordered', 'claimed', 'sent')`,
    ],
  },

  /**
   * A balance transaction of the Stripe account, whatever it is about: sums are in the smallest unit of its currency,
   * negative where money left. Nothing of it is personal.
   */
  transactions: {
    columns: {
      id: text.key,
      /** What caused it: a charge, a refund, a dispute, a payout; null for some fees. */
      source: text.orNull.indexed,
      /** The PaymentIntent of a charge, a refund or a dispute, also of another shop. */
      payment: text.orNull,
      /** Whether this site has marked the source. Stripe marks no dispute, nor what was made by hand. */
      ours: flag,
      /** Stripe's reporting category. */
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
    rules: ['check (net = amount - fee)', 'check ((payout is null) = (arrives_at is null))'],
  },
};
