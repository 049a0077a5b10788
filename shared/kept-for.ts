/** How long what is kept is kept, where no other module says so: programs and the privacy page use the same numbers. */

export const SENT_KEPT_DAYS = 30;

export const SENT_UNPAID_KEPT_DAYS = 1;

/** The copies of an SQLite register: the newest one of each of so many days that have one. */
export const COPIES_KEPT_DAYS = 14;

export const UNCONFIRMED_KEPT_DAYS = 2;

export const OFFERED_HOURS = 48;

export const SESSION_DAYS = 30;

export const CONFIRM_DAYS = 3;
