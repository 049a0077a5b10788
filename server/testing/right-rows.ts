import { type InsertObject, sql } from 'kysely';
import type { Tables, Transaction } from '#server/database/database.ts';
import { NOBODY } from '#server/registration/registration.ts';
import { UNREADABLE } from '#server/worker/registration-index.ts';
import { registration } from './test-database.ts';

export const AT = new Date('2026-01-22T17:00:00.000Z');

/** A right row of each table, in an order in which they can be written. */
export const rightRows = {
  registrations: { ...registration('reg'), customer: 'cus' },
  acts: {
    id: 'act',
    subject: 'reg',
    number: 1,
    kind: 'note',
    happenedAt: AT,
    byWhom: 'Anna',
    facts: '{}',
  },
  registrationIndex: {
    ...UNREADABLE,
    registration: 'reg',
    edition: '2026-01',
    version: 1,
    lookedAt: AT,
    begunAt: AT,
  },
  addresses: { digest: 'digest', bouncedAt: AT, worksAt: null, worksBy: null },
  waitingEntries: {
    ...NOBODY,
    id: 'entry',
    edition: '2026-01',
    address: 'ruth@example.com',
    joinedAt: AT,
    askedAt: AT,
    nextAt: AT,
  },
  payments: {
    id: 'pi',
    registration: 'reg',
    number: 0,
    edition: '2026-01',
    status: 'paid',
    asMade: 1,
    cents: 72_100,
    madeAt: AT,
    paidAt: AT,
    charge: 'ch',
    disputed: 0,
    card: '{}',
    version: 1,
  },
  attempts: {
    id: 'attempt',
    registration: 'reg',
    number: 1,
    try: 1,
    payment: 'pi',
    card: 'pm',
    begunAt: AT,
    step: 1,
    final: 0,
  },
  refunds: {
    id: 're',
    payment: 'pi',
    paymentCents: 72_100,
    cents: 72_100,
    status: 'pending',
    madeAt: AT,
  },
  disputes: {
    id: 'dp',
    payment: 'pi',
    cents: 72_100,
    reason: 'general',
    status: 'lost',
    openedAt: AT,
  },
  installments: {
    id: 'installment',
    registration: 'reg',
    position: 1,
    number: 0,
    cents: 69_500,
    cardFeeCents: 2_600,
    cardFeeBasisPoints: 375,
    dueAt: AT,
    refundableUntil: AT,
    feeRefundable: 0,
    agreedIn: 'act',
    madeBy: 'reg',
    reliefCents: 0,
  },
  entries: {
    id: 'ch',
    registration: 'reg',
    position: 1,
    kind: 'card',
    cents: 69_500,
    feeCents: 2_600,
    movedAt: AT,
    recordedAt: AT,
    payer: 'reg',
    number: 0,
    payment: 'pi',
  },
  payouts: {
    id: 'payout',
    registration: 'reg',
    position: 1,
    orderedBy: 'act',
    payer: 'reg',
    way: 'card',
    payment: 'pi',
    paymentCents: 72_100,
    cents: 69_500,
    feeCents: 2_600,
    state: 'ordered',
  },
  transactions: {
    id: 'txn',
    source: 'ch',
    payment: 'pi',
    ours: 1,
    category: 'charge',
    amount: 72_100,
    fee: 2_121,
    net: 69_979,
    currency: 'usd',
    createdAt: AT,
    payout: 'po',
    arrivesAt: AT,
  },
  letters: {
    id: 'letter',
    subject: 'reg',
    kind: 'welcome',
    version: '1',
    state: 'owed',
    owedAt: AT,
    address: 'ruth@example.com',
    again: 0,
  },
} as const satisfies { [Table in keyof Tables]?: InsertObject<Tables, Table> };

export type Table = keyof typeof rightRows;
export type Row = Readonly<Record<string, unknown>>;
export const isTable = (name: string): name is Table => name in rightRows;

/** By what another right row of each table differs from the first one. */
export const ANOTHER: Readonly<Record<Table, Row>> = {
  registrations: { id: 'reg 2', customer: 'cus 2' },
  acts: { id: 'act 2', number: 2 },
  registrationIndex: { registration: 'reg 3' },
  addresses: { digest: 'digest 2' },
  waitingEntries: { id: 'entry 2', address: 'naomi@example.com' },
  payments: { id: 'pi 2' },
  attempts: { id: 'attempt 2', number: 2, try: 2 },
  refunds: { id: 're 2' },
  disputes: { id: 'dp 2' },
  installments: { id: 'installment 2', number: 1, position: 2 },
  entries: { id: 'ch 3', position: 3, payment: 'pi 3' },
  payouts: { id: 'payout 3', orderedBy: 'act 3', position: 3 },
  transactions: { id: 'txn 2' },
  letters: { id: 'letter 2', version: '2', state: 'sent', endedAt: AT },
};

/** Further right rows, to which the others refer. */
export const FURTHER: readonly (readonly [Table, Row])[] = [
  ['registrations', { id: 'reg 3', customer: null }],
  ['acts', { id: 'act 3', number: 3, undoes: 'act' }],
  ['payments', { id: 'pi 3', number: 1 }],
  ['entries', { id: 'check', position: 2, kind: 'check', number: null, payment: null }],
  [
    'entries',
    {
      id: 'bounced',
      position: 4,
      kind: 'reversal',
      number: null,
      payment: null,
      cents: -69_500,
      reverses: 'check',
    },
  ],
  [
    'payouts',
    { id: 'payout 2', position: 2, way: 'check', payment: null, paymentCents: null, insteadOf: 'payout' },
  ],
  [
    'payouts',
    {
      id: 'payout 4',
      position: 4,
      way: 'check',
      payment: null,
      paymentCents: null,
      state: 'sent',
      entry: 'bounced',
    },
  ],
];

export async function insertRow(transaction: Transaction, table: Table, row: Row): Promise<void> {
  const columns = Object.entries({ ...rightRows[table], ...row });
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([, value]) => value));
  await sql`insert into ${sql.table(table)} (${names}) values (${values})`.execute(transaction);
}
