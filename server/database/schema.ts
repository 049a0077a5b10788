/**
 * Every fact that the register holds: one interface a table, one property a column. In SQL the names are in
 * snake case. Ids are UUIDv7, or made from what they name, never counters: after a restore a counter would give an old
 * link to somebody else. Moments are texts as `Date.toISOString` writes them, so they sort as they follow each other.
 */
export interface Tables {
  register: RegisterRow;
  places: PlaceRow;
  waitingEntries: WaitingEntryRow;
  letters: LetterRow;
}

/** A moment in UTC with milliseconds, such as `2030-12-31T17:00:00.000Z`. */
export type Moment = string;

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
  probedAt: Moment;
  /** When its newest copy was made. */
  copiedAt: Moment | null;
  /** In a copy, and in what was restored from one: the name of the register that was copied at `copiedAt`. */
  copyOf: string | null;
}

/** A registration in the count of its edition's places. */
export interface PlaceRow {
  /** The name of the registration, see `registrationName`. */
  registration: string;
  edition: string;
  /**
   * `open`: not paid. It has a place until `heldUntil`; after that its payment is closed before somebody else
   * gets the place, and is `closing` meanwhile. `taken`: paid. `free`: it takes no place any more.
   */
  standing: 'open' | 'closing' | 'taken' | 'free';
  heldUntil: Moment;
  /** When she agreed to the terms, from which the place is held once more. */
  agreedAt: Moment | null;
  /** Her deposit's payment; null until it is made. */
  payment: string | null;
  /** The entry of the waiting list whose offer she uses. */
  waiting: string | null;
  /** When the payment was read from which `standing` is known, in microseconds; 0 before the first reading. */
  readAt: number;
}

/** Somebody who waits for a place in an edition. */
export interface WaitingEntryRow {
  id: string;
  edition: string;
  /** The address in lower case, once in an edition; the id once she has taken a place. */
  address: string;
  joinedAt: Moment;
  /** When she pressed the link in her letter; before that she takes no place, and anybody may have joined her. */
  confirmedAt: Moment | null;
  /** Empty once she has taken a place, as the following details. */
  firstName: string;
  lastName: string;
  email: string;
  phoneNumber: string;
  timeZone: string;
  /** Whether the address had a paid registration of the edition when she joined: 1 or 0. */
  addressHasPlace: 0 | 1;
  /** JSON of `bouncedSchema`: a letter to her bounced, or she complained about one. */
  bounced: string | null;
  offeredAt: Moment | null;
  offeredUntil: Moment | null;
  offeredBy: string | null;
  /** The payment of the deposit that was begun by an offer. */
  deposit: string | null;
  /** The payment of the deposit by which she took a place. */
  took: string | null;
}

/** A letter that is owed, and what became of it. */
export interface LetterRow {
  /** Of its job, see `mailJobId`. */
  id: string;
  /** The deposit of the registration that it is about, or the entry of the waiting list, or the edition. */
  subject: string;
  kind: string;
  /** Which facts it tells, see `mailVersion`: a letter with other facts is another one. */
  version: string;
  /** Dropped: it was not due any more when it was to be sent. */
  state: 'owed' | 'sent' | 'dismissed' | 'dropped';
  owedAt: Moment;
  endedAt: Moment | null;
  /** To whom; empty for the office, and once she is forgotten. */
  address: string;
  /** Whether a person asked for it although it was sent before: 1 or 0. */
  again: 0 | 1;
  /** The user of the office who then asked for it. */
  askedBy: string | null;
  /** When a mail server was last asked to take it: without an end it may have been sent since. */
  triedAt: Moment | null;
  /** JSON of `noticeSchema`: the charge that it announced. */
  notice: string | null;
  /** A letter to the office: what the office has been told since, see `toldBy`. */
  told: string | null;
}
