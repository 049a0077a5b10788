import { always1, count, flag, json, moment, oneOf, signedCents, sorted, text, version } from './columns.ts';

/** Empty once her personal data were removed. */
const details = { firstName: text, lastName: text, email: text, phoneNumber: text, timeZone: text };

export const registrationTables = {
  /** One row, which says what this database is. */
  register: {
    columns: {
      id: always1.key,
      /** Names this register for ever, also in its copies. */
      name: text,
      /** How many steps of `migrations.ts` it has, and how many of them a release must know to run on it. */
      migration: count,
      compatibleFrom: count,
      probedAt: moment,
      copiedAt: moment.orNull,
      /** In a copy, until it is released: the name of the register that was copied at `copiedAt`. */
      copyOf: text.orNull,
      /** Until when Stripe's events were taken, by Stripe's clock. */
      eventsUntil: moment.orNull,
      /** When Stripe's lists were last compared with what is on record; null until the whole season has been. */
      comparedAt: moment.orNull,
      /** When the last catch-up with Stripe that came to its end began: the register knows all payments made before. */
      caughtUpAt: moment.orNull,
      /** Until when the transactions of the Stripe account are known; null before they were first listed. */
      transactionsUntil: moment.orNull,
      /** Since when everything outward is held, see `hold.ts`, and why. */
      heldAt: moment.orNull,
      heldWhy: text.orNull,
      /** The database to which it was moved: no process starts on this one any more. */
      movedTo: text.orNull,
    },
  },

  /** One person in one edition, from her first submit on. */
  registrations: {
    columns: {
      /** Made from the key of her first submit, see `registrationIdOf`: the same key is the same registration. */
      id: text.key,
      edition: text,
      begunAt: moment,
      submittedAt: moment.orNull,
      ...details,
      /** JSON of `answersSchema`. */
      answers: json,
      /** Her name, folded, and her e-mail address in lower case: what is the same to a reader is the same here. */
      person: text,
      address: text,
      /** What a search looks through, and by which a list is sorted by name, see `search-text.ts`. */
      searchText: text,
      sortName: sorted,
      /** Of those who had the place before her, the last one first, separated by `; `. */
      namesBefore: text,
      /** Before she pays, no letter goes to her present address: there were too many to such addresses. */
      letterWaits: flag,
      /** A digest of the details that she began with. */
      begunWith: text,
      /** The entry of the waiting list whose offer she uses; it may have been removed. */
      waiting: text.orNull.indexed,
      source: oneOf('page', 'office'),
      /** The Stripe customer, and when it was first asked for: if the answer was lost, it may be at Stripe without being here. */
      customer: text.orNull.unique,
      customerAskedAt: moment.orNull,
      /** SHA-256 of the client secret of her deposit's payment: who has the secret is known without asking Stripe. */
      secretDigest: text.orNull,
      /**
       * `open`: not paid. It has a place until `heldUntil`; after that its payment is closed before somebody else
       * gets the place, and is `closing` meanwhile. `taken`: paid. `free`: it takes no place any more.
       */
      standing: oneOf('open', 'closing', 'taken', 'free'),
      heldUntil: moment,
      /** HMACs of the address and the network that hold it without having paid; null where the edition has no `places`. */
      heldBy: text.orNull,
      heldNetwork: text.orNull,
      /** When her deposit was paid, in whichever way. */
      paidAt: moment.orNull,
      /** When she agreed to the terms, from which the place is held once more. */
      agreedAt: moment.orNull,
      /** Rises with each change of what is on record of her, above all other registrations' versions. */
      version: version.indexed,
      /** Links to her page that name a smaller number do not work. */
      linksEpoch: count,
      /** The address that she requested and has not confirmed yet, and when she did so. */
      askedAddress: text.orNull,
      askedAt: moment.orNull,
      payingBegunAt: moment.orNull,
      forgottenAt: moment.orNull,
      /** When the worker looks at it next: at once after a change; null once nothing falls due by time alone. */
      nextAt: moment.orNull.indexed,
    },
    indexes: [
      'create index places_of_edition on registrations (edition, standing, held_until)',
      'create index registrations_at_address on registrations (address, edition)',
    ],
  },

  /**
   * An index, never a fact: what followed from all that is on record of a registration when it was looked at last. Lists,
   * counts and spreadsheets are read from it, see `registration-index.ts`; nothing about money is decided by it.
   */
  registrationIndex: {
    columns: {
      registration: text.key.references('registrations'),
      edition: text,
      /** The version of the registration that was looked at, and when. */
      version,
      lookedAt: moment,
      /** Until when it is true while nothing changes; null: for good. */
      validUntil: moment.orNull,
      /** See `stateOf`; null for what cannot be read. */
      state: text.orNull,
      /** Why its balance is overdue, see `chargeStop`. */
      overdue: text.orNull,
      attention: text.orNull,
      /** What the office has to do, the most urgent first, separated by spaces. */
      needs: text,
      /** The groups of the list that it is in, such as ` all paid `; empty for what cannot be read. */
      groups: text,
      begunAt: moment,
      paidAt: moment.orNull,
      balancePaidAt: moment.orNull,
      dueAt: moment.orNull,
      cancelledAt: moment.orNull,
      /** Deposit and balance by card, what came by check or transfer, all that came in and went back, what is open or sent by check. */
      depositCents: signedCents,
      cardCents: signedCents,
      checkCents: signedCents,
      inCents: signedCents,
      backCents: signedCents,
      toPayCents: signedCents,
      waivedCents: signedCents,
      toSendCents: signedCents,
      disputed: flag,
      /** JSON of `daysSchema`. */
      days: json,
    },
    indexes: ['create index registration_index_of_edition on registration_index (edition, begun_at)'],
  },

  /** Addresses that letters came back from, see `Bounced`. */
  addresses: {
    columns: {
      /** SHA-256 of the address in lower case: the address itself is not kept for it. */
      digest: text.key,
      bouncedAt: moment,
      /** Since when it works again, and who said so. */
      worksAt: moment.orNull,
      worksBy: text.orNull,
    },
  },

  waitingEntries: {
    columns: {
      id: text.key,
      edition: text,
      /** In lower case, once in an edition; the id once she has taken a place, when her details are emptied, too. */
      address: text.indexed,
      joinedAt: moment,
      /** When somebody last put the address on the list. */
      askedAt: moment,
      /** When she pressed the link in her letter; before that she takes no place, and anybody may have joined her. */
      confirmedAt: moment.orNull,
      ...details,
      offeredAt: moment.orNull,
      offeredUntil: moment.orNull,
      offeredBy: text.orNull,
      /** The registration that was begun by an offer, and that by which she took a place. */
      begun: text.orNull.references('registrations'),
      took: text.orNull.references('registrations'),
    },
    rules: ['unique (edition, address)'],
  },

  /**
   * What somebody agreed to, decided, noted, withdrew or announced: rows are only added, and never say anything else later,
   * except that personal data are removed from them.
   */
  acts: {
    columns: {
      id: text.key,
      /** The registration that it is about, or the edition, or the register by its name. */
      subject: text,
      number: count,
      /** See `on-record.ts` and `decisions.ts`. */
      kind: text,
      happenedAt: moment,
      /** A user of the office, the registrant, or the worker. */
      byWhom: text,
      /** JSON of what the kind tells beside. */
      facts: json,
      undoes: text.orNull.unique.references('acts'),
    },
    rules: ['unique (subject, number)'],
    indexes: ['create index acts_of_kind on acts (kind, happened_at)'],
  },
};
