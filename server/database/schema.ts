import type { Insertable } from 'kysely';
import { type Columns, flag, json, moment, oneOf, type Row, text } from './columns.ts';
import { moneyTables } from './money-tables.ts';
import { registrationTables } from './registration-tables.ts';

/**
 * Every fact that the register holds. The types of rows and the statements that make the tables follow from it. Ids are
 * UUIDv7, or made from what they name, never counters: after a restore a counter would give an old link to somebody else. A
 * row refers only to rows of tables before its own, or to earlier rows of its own.
 */
export const tables = {
  ...registrationTables,
  ...moneyTables,

  letters: {
    /** Of its job, see `OwedLetter`. */
    id: text.key,
    /** The registration that it is about, or the entry of the waiting list, or the edition. */
    subject: text.indexed,
    kind: text,
    /** Distinguishes letters of one kind to one person, see `Due`. */
    version: text,
    /** Dropped: it was not due any more when it was to be sent. */
    state: oneOf('owed', 'sent', 'dismissed', 'dropped'),
    owedAt: moment,
    endedAt: moment.orNull.indexed,
    /** Empty for the office, and once she is forgotten. */
    address: text,
    /** Whether a user of the office asked for it although it was sent before. */
    again: flag,
    askedBy: text.orNull,
    /** When a mail server was last asked to take it: without an end it may have been sent since. */
    triedAt: moment.orNull,
    /** `noticeSchema`. */
    notice: json.orNull,
    /** What it said to her, without its links, once it was sent, until her details are removed. */
    said: text.orNull,
  },

  /** Those that were taken, and when Stripe made them. */
  stripeEvents: { id: text.key, createdAt: moment.indexed },

  /** Added at each run of the worker by the machine's clock, and kept outside of the register too, see `kept-outside.ts`. */
  marks: { id: text.key, madeAt: moment.indexed },
} satisfies Record<string, Columns>;

export type Tables = { [Name in keyof typeof tables]: Row<(typeof tables)[Name]> };
/** Columns that may be null are, unless they are given. */
export type NewRow<Name extends keyof Tables> = Insertable<Tables[Name]>;

export type RegisterRow = Tables['register'];
export type RegistrationRow = Tables['registrations'];
export type RegistrationIndexRow = Tables['registrationIndex'];
export type WaitingEntryRow = Tables['waitingEntries'];
export type ActRow = Tables['acts'];
export type PaymentRow = Tables['payments'];
export type AttemptRow = Tables['attempts'];
export type RefundRow = Tables['refunds'];
export type DisputeRow = Tables['disputes'];
export type InstallmentRow = Tables['installments'];
export type EntryRow = Tables['entries'];
export type PayoutRow = Tables['payouts'];
export type TransactionRow = Tables['transactions'];
export type LetterRow = Tables['letters'];

export const tableNames = Object.keys(tables).filter((name): name is keyof Tables => name in tables);

export function keyOf(table: keyof Tables): string {
  return Object.keys(tables[table])[0] ?? '';
}
