/** How long what is kept is kept, where no other module says so: programs and the privacy page use the same numbers. */

/** A sent letter on the queue, and its address on record, in days. */
export const SENT_KEPT_DAYS = 30;

/** A sent letter on the queue where nobody has paid, in days. */
export const SENT_UNPAID_KEPT_DAYS = 1;

/** The copies of an SQLite register: the newest one of each of so many days that have one. */
export const COPIES_KEPT_DAYS = 14;

/** An entry of the waiting list that is not confirmed, in days. */
export const UNCONFIRMED_KEPT_DAYS = 2;

/** The longest time for which a place is offered to somebody who waits, in hours. */
export const OFFERED_HOURS = 48;

/** The cookie that keeps a registrant's page open in a browser, in days. */
export const SESSION_DAYS = 30;

/** An address that a registrant requested and has not confirmed: the link works so many days. */
export const CONFIRM_DAYS = 3;
