import type { EntryRow } from '#server/database/schema.ts';
import type { Cause } from './installments.ts';
import { type Amount, type Ledger, nextPosition, sumOfCents, sumOfFees } from './ledger.ts';

export type NewEntry = Pick<EntryRow, 'id' | 'kind' | 'cents' | 'movedAt' | 'payer'> & Partial<EntryRow>;

/** Money that moved is always recorded, once. */
export function enter(ledger: Ledger, entry: NewEntry): Ledger {
  if (ledger.entries.some(({ id }) => id === entry.id)) return ledger;
  const unknown = { feeCents: 0, number: null, payment: null, reverses: null, reliefCents: null };
  const position = nextPosition(ledger.entries);
  const { registration } = ledger;
  const made: EntryRow = { recordedAt: new Date(), ...unknown, ...entry, registration, position };
  return { ...ledger, entries: [...ledger.entries, made] };
}

/** Takes an entry back: a check bounced, a refund failed, our check was never cashed. */
export function reverse(ledger: Ledger, of: string, { id, at }: Cause): Ledger {
  const entry = ledger.entries.find((one) => one.id === of);
  if (!entry || ledger.entries.some(({ reverses }) => reverses === of)) return ledger;
  const { cents, feeCents, payer, payment, number } = entry;
  const back = { cents: 0 - cents, feeCents: 0 - feeCents, payer, payment, number };
  return enter(ledger, { id, kind: 'reversal', movedAt: at, reverses: of, ...back });
}

/**
 * A sum that her bank took or gave back, or that somebody refunded by hand, with the fee in it: what is beyond the tuition
 * that was left, on the running total of the payment.
 * @param signedCents negative where money left
 */
export function splitMoved(ledger: Ledger, payment: string, signedCents: number): Amount {
  const moved = ledger.entries.filter((entry) => entry.payment === payment);
  const isForeign = ({ kind, reverses }: EntryRow) =>
    kind === 'refund' ||
    kind === 'dispute' ||
    moved.some((one) => one.id === reverses && one.kind === 'refund');
  const ours = moved.filter((entry) => !isForeign(entry));
  const foreign = moved.filter(isForeign);
  const running = -sumOfCents(foreign) - sumOfFees(foreign) - signedCents;
  const feeOfAll = Math.max(0, Math.min(running - sumOfCents(ours), sumOfFees(ours)));
  const feeCents = 0 - feeOfAll - sumOfFees(foreign);
  return { cents: signedCents - feeCents, feeCents };
}

/** The bank has decided, or she has withdrawn it. https://docs.stripe.com/api/disputes/object#dispute_object-status */
export const OVER = ['won', 'lost', 'warning_closed', 'prevented'];
