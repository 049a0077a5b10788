import { always1, count, flag, json, moment, oneOf, signedCents, text } from './columns.ts';

/** Empty once her personal data were removed. */
const details = { firstName: text, lastName: text, email: text, phoneNumber: text, timeZone: text };

export const registrationTables = {
  /** One row, which says what this database is. */
  register: {
    id: always1.key,
    /** Names this register for ever, also in its copies. */
    name: text,
    /** How many steps of `migrations.ts` it has, and how many a release must know. */
    migration: count,
    compatibleFrom: count,
    probedAt: moment,
    copiedAt: moment.orNull,
    /** In a copy, until it is released: the name of the register that was copied at `copiedAt`. */
    copyOf: text.orNull,
    /** Up to when Stripe's events were taken, by the worker's clock. */
    eventsUntil: moment.orNull,
    /** When Stripe's lists were last compared with what is on record; null until the whole season has been. */
    comparedAt: moment.orNull,
    /** When the last catch-up with Stripe that came to its end began: the register knows all payments made before. */
    caughtUpAt: moment.orNull,
    transactionsUntil: moment.orNull,
    /** See `held-register.ts`. */
    heldAt: moment.orNull,
    heldWhy: text.orNull,
    /** The database to which it was moved: no process starts on this one any more. */
    movedTo: text.orNull,
  },

  /** One person in one edition, from her first submit on. */
  registrations: {
    /** See `registrationIdOf`. */
    id: text.key,
    edition: text,
    begunAt: moment,
    submittedAt: moment.orNull,
    ...details,
    /** `answersSchema`. */
    answers: json,
    /** Her name, folded, and her e-mail address in lower case. */
    person: text,
    address: text,
    /** See `search-text.ts`. */
    searchText: text,
    sortName: text,
    /** Of earlier holders of the place, the last one first, separated by `; `. */
    namesBefore: text,
    /** Before she pays, no letter goes to her present address: there were too many to such addresses. */
    letterWaits: flag,
    /** A digest of her first details. */
    begunWith: text,
    /** The entry of the waiting list whose offer she uses; it may have been removed. */
    waiting: text.orNull.indexed,
    source: oneOf('page', 'office'),
    /** When it was first asked for: if the answer was lost, the customer may be at Stripe without being here. */
    customer: text.orNull.unique,
    customerAskedAt: moment.orNull,
    /** SHA-256 of the client secret of her deposit's payment. */
    secretDigest: text.orNull,
    /**
     * `open`: not paid. It has a place until `heldUntil`; after that its payment is closed before somebody else gets the
     * place. `taken`: paid. `free`: it takes no place any more.
     */
    standing: oneOf('open', 'taken', 'free'),
    heldUntil: moment,
    /** HMACs of the address and the network that hold it without having paid; null where the edition has no `places`. */
    heldBy: text.orNull,
    heldNetwork: text.orNull,
    paidAt: moment.orNull,
    agreedAt: moment.orNull,
    /** Rises with each change, above those of all other registrations. */
    version: count.indexed,
    /** Links to her page that name a smaller number do not work. */
    linksEpoch: count,
    /** Requested, and not confirmed yet. */
    askedAddress: text.orNull,
    askedAt: moment.orNull,
    /** What she has open at Stripe, a Checkout session or a payment, and until when nothing is charged for its sake. */
    atStripe: text.orNull,
    atStripeUntil: moment.orNull,
    forgottenAt: moment.orNull,
    /** When the worker looks at it next: at once after a change, or a moment of its edition; null: only then. */
    nextAt: moment.orNull.indexed,
  },

  /** An index, never a fact: what followed from the record when it was looked at last, see `registration-index.ts`. */
  registrationIndex: {
    registration: text.key.references('registrations'),
    edition: text,
    /** Of the registration that was looked at. */
    version: count,
    lookedAt: moment,
    /** Until when it is true while nothing changes and no moment of its edition passes; null: as long as that. */
    validUntil: moment.orNull,
    /** See `stateOf`; null for what cannot be read. */
    state: text.orNull,
    /** Why its balance is overdue, see `chargeStop`. */
    overdue: text.orNull,
    attention: text.orNull,
    /** The most urgent first, separated by spaces. */
    needs: text,
    /** Of the list, such as ` all paid `; empty for what cannot be read. */
    groups: text,
    begunAt: moment,
    paidAt: moment.orNull,
    balancePaidAt: moment.orNull,
    dueAt: moment.orNull,
    cancelledAt: moment.orNull,
    /** Deposit and balance by card, by check or transfer, all that came in and went back, what is open or sent by check. */
    depositCents: signedCents,
    cardCents: signedCents,
    checkCents: signedCents,
    inCents: signedCents,
    backCents: signedCents,
    toPayCents: signedCents,
    waivedCents: signedCents,
    toSendCents: signedCents,
  },

  /** Addresses that letters came back from, see `Bounced`. */
  addresses: {
    /** SHA-256 of the address in lower case. */
    digest: text.key,
    bouncedAt: moment,
    /** Since when it works again, and who said so. */
    worksAt: moment.orNull,
    worksBy: text.orNull,
  },

  waitingEntries: {
    id: text.key,
    edition: text,
    /** In lower case, once in an edition. */
    address: text.indexed,
    joinedAt: moment,
    askedAt: moment,
    /** When she pressed the link in her letter; before that she takes no place, and anybody may have joined her. */
    confirmedAt: moment.orNull,
    ...details,
    offeredAt: moment.orNull,
    offeredUntil: moment.orNull,
    offeredBy: text.orNull,
    /** When the worker looks at it next: at once after each change. */
    nextAt: moment.indexed,
  },

  /** Consents, decisions, notes and announcements: rows are only added, and only personal data are removed from them. */
  acts: {
    id: text.key,
    /** The registration that it is about, or the edition, or the register by its name. */
    subject: text,
    number: count,
    kind: text,
    happenedAt: moment,
    byWhom: text,
    /** By its kind, see `act-kinds.ts`. */
    facts: json,
    undoes: text.orNull.unique.references('acts'),
  },
};
