import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import {
  ANOTHER,
  AT,
  FURTHER,
  insertRow,
  isTable,
  type Row,
  rightRows,
  type Table,
} from '#server/testing/right-rows.ts';
import { bareDatabase, engines } from '#server/testing/test-database.ts';
import { tables as columnsOf, type Database } from './database.ts';

const reversal = { kind: 'reversal', number: null, payment: null, reverses: 'ch' };
const byCheck = { way: 'check', payment: null, paymentCents: null };
const open = { status: 'open', paidAt: null };

/** Each is refused for what it holds beside another right row: the same row without that is taken. */
const CASES: readonly (readonly [what: string, table: Table, right: Row, wrong: Row])[] = [
  ['an attempt of no registration', 'attempts', {}, { registration: 'none' }],
  ['an attempt of no payment', 'attempts', {}, { payment: 'none' }],
  ['an installment of no registration', 'installments', {}, { registration: 'none' }],
  ['an entry of no registration', 'entries', {}, { registration: 'none' }],
  ['an entry of no payment', 'entries', {}, { payment: 'none' }],
  ['a payout of no registration', 'payouts', {}, { registration: 'none' }],
  ['a refund of no payment', 'refunds', {}, { payment: 'none' }],
  ['a dispute of no payment', 'disputes', {}, { payment: 'none' }],
  ['an index of no registration', 'registrationIndex', {}, { registration: 'none' }],
  ['an installment of no consent', 'installments', {}, { agreedIn: 'none' }],
  ['two attempts without an end of one installment', 'attempts', {}, { number: 1 }],
  [
    'two live installments of one number',
    'installments',
    { number: 0, replacedBy: 'act' },
    { replacedBy: null },
  ],
  ['paid without a moment', 'payments', {}, { paidAt: null }],
  ['a status of no payment', 'payments', open, { status: 'none' }],
  ['a moment without being paid', 'payments', open, { paidAt: AT }],
  [
    'two live payouts of one order by card',
    'payouts',
    { orderedBy: 'act', state: 'failed' },
    { state: 'claimed' },
  ],
  ['two live payouts of one order by check', 'payouts', byCheck, { orderedBy: 'act' }],
  ['a payout larger than its payment', 'payouts', {}, { cents: 69_501 }],
  ['a payout of another sum than its payment', 'payouts', {}, { paymentCents: 72_101 }],
  ['a refund larger than its payment', 'refunds', {}, { cents: 72_101 }],
  ['a refund of another sum than its payment', 'refunds', {}, { paymentCents: 72_101 }],
  ['two reversals of one entry', 'entries', reversal, { reverses: 'check' }],
  ['a reversal of no entry', 'entries', reversal, { reverses: 'none' }],
  ['a reversal without an entry', 'entries', reversal, { reverses: null }],
  ['an entry that reverses and is none', 'entries', reversal, { kind: 'dispute', payment: 'pi' }],
  ['two withdrawals of one event', 'acts', {}, { undoes: 'act' }],
  ['a withdrawal of no event', 'acts', { undoes: 'act 3' }, { undoes: 'none' }],
  ['two registrations with one customer', 'registrations', {}, { customer: 'cus' }],
  ['two entries for one Stripe object', 'entries', {}, { id: 'ch' }],
  ['two entries for one card payment', 'entries', {}, { payment: 'pi' }],
  ['two entries in one position', 'entries', {}, { position: 1 }],
  ['a card entry without its number', 'entries', {}, { number: null }],
  ['a card entry without its payment', 'entries', {}, { payment: null }],
  ['a card entry that is negative', 'entries', {}, { cents: -1 }],
  ['a refund that brings money', 'entries', { kind: 'refund', cents: 1, feeCents: -1 }, { cents: 2 }],
  ['a sent payout without its entry', 'payouts', { state: 'sent', entry: 'check' }, { entry: null }],
  ['a sent payout of no entry', 'payouts', { state: 'sent', entry: 'check' }, { entry: 'none' }],
  ['two payouts of one entry', 'payouts', { state: 'sent', entry: 'check' }, { entry: 'bounced' }],
  ['a payout in no way', 'payouts', byCheck, { way: 'none' }],
  ['a payout by card without the sum of its payment', 'payouts', {}, { paymentCents: null }],
  ['a payout by card without a payment', 'payouts', {}, { payment: null, paymentCents: null }],
  ['a payout by check with a payment', 'payouts', byCheck, { payment: 'pi', paymentCents: 72_100 }],
  ['a payout instead of none', 'payouts', { insteadOf: 'payout 2' }, { insteadOf: 'none' }],
  ['two payouts instead of one', 'payouts', { insteadOf: 'payout 2' }, { insteadOf: 'payout' }],
  ['two rows of one transaction', 'transactions', {}, { id: 'txn' }],
  ['a transaction that does not add up', 'transactions', {}, { net: 72_100 }],
  ['a transaction in a payout that never arrives', 'transactions', {}, { arrivesAt: null }],
  ['a transaction that arrives in no payout', 'transactions', {}, { payout: null }],
  ['a letter of one kind and key twice', 'letters', {}, { version: '1' }],
  ['an owed letter that has ended', 'letters', {}, { state: 'owed' }],
  ['facts that are no JSON', 'acts', {}, { facts: '{' }],
  ['answers that are no JSON', 'registrations', {}, { answers: '' }],
  ['a card that is no JSON', 'payments', {}, { card: 'Visa' }],
  ['a notice that is no JSON', 'letters', { notice: '{}' }, { notice: '{]' }],
];

const KIND = /^(?:source|standing|status|kind|way|state)$/;
const FREE = [
  'acts.kind',
  'letters.kind',
  'transactions.source',
  'disputes.status',
  'registrationIndex.state',
];
const NO_MOMENTS = ['x', '', '2026-01-22', '2026-01-22T17:00:00Z', '+002026-01-22T17:00:00.000Z'];
const FLAG = /^(?:letterWaits|asMade|disputed|final|again|feeRefundable|ours)$/;

/** In SQL: the optional package for SQLite cuts a parameter off at a NUL. */
const NUL = { sqlite: sql`char(0)`, postgres: sql`chr(0)` };

/** What a column must not hold, by its name. */
function wrongIn(engine: keyof typeof NUL, table: Table, column: string, right: unknown): readonly unknown[] {
  const withNul = (text: string) => sql`${text} || ${NUL[engine]}`;
  if (/(?:At|Until)$/.test(column)) return [...NO_MOMENTS, withNul(AT.toISOString())];
  if (FLAG.test(column)) return [7, -1, 'yes', null];
  if (/cents$|^(?:amount|fee|net)$/i.test(column)) {
    const isSigned =
      ['registrationIndex', 'entries', 'transactions'].includes(table) && column !== 'reliefCents';
    return ['x', 0.5, ...(isSigned ? [] : [-1])];
  }
  if (KIND.test(column) && !FREE.includes(`${table}.${column}`)) return ['none'];
  if (typeof right === 'number') return [-1, 'x'];
  return [withNul(String(right))];
}

const tables = Object.keys(rightRows).filter(isTable);

const REFUSED =
  /constraint|cannot store|invalid input syntax|null character not permitted|null value in column/i;

const nothingIn = (table: Table): Row =>
  Object.fromEntries(Object.keys(columnsOf[table]).map((column) => [column, null]));

class Undone extends Error {}

/** Writes a row and takes it back. @throws why it is refused */
async function tryOut(database: Database, table: Table, row: Row): Promise<void> {
  const writing = database.write(async (transaction) => {
    await insertRow(transaction, table, row);
    throw new Undone();
  });
  await writing.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
}

for (const engine of engines)
  test(`each wrong row is refused, and it alone, on ${engine}`, async (t) => {
    const { database } = await bareDatabase(t, engine);
    await database.write(async (transaction) => {
      for (const table of tables) await insertRow(transaction, table, {});
      for (const [table, row] of FURTHER) await insertRow(transaction, table, row);
    });
    for (const [what, table, differs, wrong] of CASES)
      await t.test(what, async () => {
        const right = { ...ANOTHER[table], ...differs };
        await tryOut(database, table, right);
        await assert.rejects(tryOut(database, table, { ...right, ...wrong }), REFUSED);
      });
    for (const table of tables)
      await t.test(`what no column of ${table} may hold`, async () => {
        await tryOut(database, table, ANOTHER[table]);
        for (const [column, right] of Object.entries({
          ...nothingIn(table),
          ...rightRows[table],
          ...ANOTHER[table],
        }))
          for (const wrong of wrongIn(engine, table, column, right)) {
            const writing = tryOut(database, table, { ...ANOTHER[table], [column]: wrong });
            await assert.rejects(writing, REFUSED, `${column} = ${wrong}`);
          }
      });
    await t.test('refunds and payouts follow the sum of their payment, and never exceed it', async () => {
      const set = (cents: number) =>
        database.write((transaction) =>
          transaction.updateTable('payments').set({ cents }).where('id', '=', 'pi').execute(),
        );
      await set(72_101);
      await tryOut(database, 'refunds', { id: 're 2', paymentCents: 72_101, cents: 72_101 });
      await assert.rejects(set(72_099), REFUSED);
    });
  });
