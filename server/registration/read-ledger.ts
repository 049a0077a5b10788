import { sql } from 'kysely';
import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { AttemptRow, EntryRow, PaymentRow, PayoutRow } from '#server/database/schema.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readActs } from './acts.ts';
import { agreedTermsOf } from './agreed-terms.ts';
import type { LedgerRecord } from './installments.ts';
import type { Ledger } from './ledger.ts';
import { numberOfPart } from './ledger-of-acts.ts';

/** The ledgers of registrations; one that is not on record has none. */
export async function readLedgers(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Ledger>> {
  const installments = await rowsWith(transaction, 'installments', 'registration', ids, 'position');
  const { entries, payouts } = await readMoney(transaction, ids);
  const own = (id: string) => (row: { registration: string }) => row.registration === id;
  return new Map(
    ids.map((registration) => [
      registration,
      {
        registration,
        installments: installments.filter(own(registration)),
        entries: entries.filter(own(registration)),
        payouts: payouts.filter(own(registration)),
      },
    ]),
  );
}

const NO_TEXT = sql<null>`cast(null as text)`;
const NO_NUMBER = sql<null>`cast(null as integer)`;

type OrNull<Row> = { [Column in keyof Row]: Row[Column] | null };
const isEntry = (row: OrNull<EntryRow>): row is EntryRow => row.kind !== null;
const isPayout = (row: OrNull<PayoutRow>): row is PayoutRow => row.state !== null;

/** The entries in their order, and the payouts. */
async function readMoney(
  transaction: Transaction,
  ids: readonly string[],
): Promise<Pick<Ledger, 'entries' | 'payouts'>> {
  if (ids.length === 0) return { entries: [], payouts: [] };
  const rows = await transaction
    .selectFrom('entries')
    .select(['id', 'registration', 'position', 'payer', 'payment', 'cents', 'feeCents'])
    .select(['kind', 'movedAt', 'recordedAt', 'number', 'reverses', 'reliefCents'])
    .select([NO_TEXT.as('orderedBy'), NO_TEXT.as('way'), NO_NUMBER.as('paymentCents')])
    .select([NO_TEXT.as('state'), NO_TEXT.as('insteadOf'), NO_TEXT.as('entry')])
    .where('registration', 'in', ids)
    .$castTo<OrNull<EntryRow & PayoutRow>>()
    .unionAll((eb) =>
      eb
        .selectFrom('payouts')
        .select(['id', 'registration', 'position', 'payer', 'payment', 'cents', 'feeCents'])
        .select([NO_TEXT.as('kind'), NO_TEXT.as('movedAt')])
        .select([NO_TEXT.as('recordedAt'), NO_NUMBER.as('number'), NO_TEXT.as('reverses')])
        .select([NO_NUMBER.as('reliefCents')])
        .select(['orderedBy', 'way', 'paymentCents', 'state', 'insteadOf', 'entry'])
        .where('registration', 'in', ids),
    )
    .orderBy('position')
    .orderBy('id')
    .execute();
  return {
    entries: rows.flatMap(({ orderedBy, way, paymentCents, state, insteadOf, entry, ...row }) =>
      isEntry(row) ? [row] : [],
    ),
    payouts: rows.flatMap(({ kind, movedAt, recordedAt, number, reverses, reliefCents, ...row }) =>
      isPayout(row) ? [row] : [],
    ),
  };
}

/** A ledger, and what a change of it depends on; undefined for what is no registration, or is one of another release. */
export async function readForChange(
  transaction: Transaction,
  id: string,
): Promise<{ ledger: Ledger; record: LedgerRecord } | undefined> {
  const [row] = await rowsWith(transaction, 'registrations', 'id', [id]);
  const edition = row && findEdition(row.edition);
  const ledger = (await readLedgers(transaction, [id])).get(id);
  if (!edition || !ledger || ledger.installments.length === 0) return undefined;
  const acts = await readActs(transaction, id);
  const attempts = await rowsWith(transaction, 'attempts', 'registration', [id]);
  const payments = await rowsWith(transaction, 'payments', 'registration', [id]);
  const record = {
    registration: id,
    begunAt: row.begunAt,
    acts,
    terms: agreedTermsOf(edition, acts) ?? edition.facts,
    termsBefore: agreedTermsOf(edition, acts.slice(0, -1)),
    trying: triedNumbers(attempts, payments),
  };
  return { ledger, record };
}

/**
 * The numbers that have a try without a result. A try without an end has its result once its payment is paid or cancelled: a
 * worker that was killed may never record it.
 */
export function triedNumbers(
  attempts: readonly Pick<AttemptRow, 'part' | 'endedAt' | 'payment'>[],
  payments: readonly Pick<PaymentRow, 'id' | 'status'>[],
): readonly number[] {
  const ended = payments.filter(({ status }) => status === 'paid' || status === 'cancelled');
  const ids = new Set(ended.map(({ id }) => id));
  const open = attempts.filter(({ endedAt, payment }) => endedAt === null && !ids.has(payment));
  return open.map(({ part }) => numberOfPart(part));
}
