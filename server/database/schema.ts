import { flag, json, moment, oneOf, type Row, type Table, text } from './columns.ts';
import { moneyTables } from './money-tables.ts';
import { registrationTables } from './registration-tables.ts';

/**
 * Every fact that the register holds. The types of rows and the statements that make the tables follow from it. Ids are
 * UUIDv7, or made from what they name, never counters: after a restore a counter would give an old link to somebody
 * else. A row refers only to rows of tables before its own, or to earlier rows of its own.
 */
export const tables = {
  ...registrationTables,
  ...moneyTables,

  /** A letter that is owed, and what happened to it. */
  letters: {
    columns: {
      /** Of its job, see `mailJobId`. */
      id: text.key,
      /** The registration that it is about, or the entry of the waiting list, or the edition. */
      subject: text.indexed,
      kind: text,
      /** Which facts it tells, see `mailVersion`: a letter with other facts is another one. */
      version: text,
      /** Dropped: it was not due any more when it was to be sent. */
      state: oneOf('owed', 'sent', 'dismissed', 'dropped'),
      owedAt: moment,
      endedAt: moment.orNull.indexed,
      /** To whom; empty for the office, and once she is forgotten. */
      address: text,
      /** Whether a person asked for it although it was sent before, and which user of the office. */
      again: flag,
      askedBy: text.orNull,
      /** When a mail server was last asked to take it: without an end it may have been sent since. */
      triedAt: moment.orNull,
      /** JSON of `noticeSchema`: the charge that it announced. */
      notice: json.orNull,
    },
    rules: ["check ((state = 'owed') = (ended_at is null))"],
    indexes: [
      'create unique index letters_once on letters (subject, kind, version) where again = 0',
      // Not partial: SQLite does not know the values that a statement is given later.
      'create index letters_of_kind on letters (kind, version)',
      'create index owed_letters on letters (state, owed_at)',
    ],
  },

  /** Those that were taken, and when Stripe made them. */
  stripeEvents: { columns: { id: text.key, createdAt: moment.indexed } },

  /** Added each minute by the machine's clock, and kept outside of the register too, see `kept-outside.ts`. */
  marks: { columns: { id: text.key, madeAt: moment.indexed } },
} satisfies Record<string, Table>;

export type Tables = { [Name in keyof typeof tables]: Row<(typeof tables)[Name]> };

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

/** The first column of a table. */
export function keyOf(table: keyof Tables): string {
  return Object.keys(tables[table].columns)[0] ?? '';
}
