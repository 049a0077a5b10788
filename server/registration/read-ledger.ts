import { rowsWith, type Transaction } from '#server/database/engine.ts';
import type { AttemptRow, DisputeRow } from '#server/database/schema.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { readActs } from './acts.ts';
import { agreedTermsOf } from './agreed-terms.ts';
import { OVER } from './entries.ts';
import { type Ledger, sumOfCents } from './ledger.ts';
import { type LedgerRecord, numberOfPart } from './ledger-of-acts.ts';

/** The ledgers of registrations; one that is not on record has none. */
export async function readLedgers(
  transaction: Transaction,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Ledger>> {
  const installments = await rowsWith(transaction, 'installments', 'registration', ids, 'id');
  const entries = await rowsWith(transaction, 'entries', 'registration', ids, 'position');
  const payouts = await rowsWith(transaction, 'payouts', 'registration', ids, 'id');
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

/** The ledger of a registration, with what a change of it depends on. */
export interface ReadForChange {
  ledger: Ledger;
  record: LedgerRecord;
  /** The balance as it was agreed before the last act. */
  priceBefore: number;
}

/** Undefined for what is no registration, or is one of another release. */
export async function readForChange(
  transaction: Transaction,
  id: string,
): Promise<ReadForChange | undefined> {
  const [row] = await rowsWith(transaction, 'registrations', 'id', [id]);
  const edition = row && findEdition(row.edition);
  const ledger = (await readLedgers(transaction, [id])).get(id);
  if (!edition || !ledger || ledger.installments.length === 0) return undefined;
  const acts = await readActs(transaction, id);
  const before = agreedTermsOf(edition, acts.slice(0, -1));
  const attempts = await rowsWith(transaction, 'attempts', 'registration', [id]);
  const disputes = await transaction
    .selectFrom('disputes')
    .innerJoin('payments', 'payments.id', 'disputes.payment')
    .select('disputes.status')
    .where('payments.registration', '=', id)
    .execute();
  const first = ledger.installments.filter(({ number, madeBy }) => number > 0 && madeBy === id);
  const record: LedgerRecord = {
    registration: id,
    begunAt: row.begunAt,
    acts,
    terms: agreedTermsOf(edition, acts) ?? edition.facts,
    ...waitsOf(attempts, disputes),
  };
  return { ledger, record, priceBefore: before?.prices.balanceBeforeFeeCents ?? sumOfCents(first) };
}

/** What a change of a ledger may have to wait for. */
export function waitsOf(
  attempts: readonly Pick<AttemptRow, 'part' | 'endedAt'>[],
  disputes: readonly Pick<DisputeRow, 'status'>[],
): Pick<LedgerRecord, 'isDisputed' | 'trying'> {
  const trying = attempts.filter(({ endedAt }) => endedAt === null).map(({ part }) => numberOfPart(part));
  return { isDisputed: disputes.some(({ status }) => !OVER.includes(status)), trying };
}
