import type { EntryRow } from '#server/database/database.ts';
import type { Cause } from './installments.ts';
import { type CardEntry, type Ledger, nextPosition, sumOfCents, sumOfFees, within } from './ledger.ts';

type NewEntry = Pick<EntryRow, 'kind' | 'cents' | 'payer'> & Partial<EntryRow>;

/** Money that moved is always recorded, once. */
export function enter(ledger: Ledger, { id, at: movedAt }: Cause, entry: NewEntry): Ledger {
  if (ledger.entries.some((one) => one.id === id)) return ledger;
  const unknown = { feeCents: 0, number: null, payment: null, reverses: null, reliefCents: null };
  const position = nextPosition(ledger.entries);
  const { registration } = ledger;
  const recordedAt = new Date();
  const made: EntryRow = { ...unknown, ...entry, id, registration, position, movedAt, recordedAt };
  return { ...ledger, entries: [...ledger.entries, made] };
}

/** Takes an entry back: a check bounced, a refund failed, our check was never cashed. */
export function reverse(ledger: Ledger, cause: Cause, of: string): Ledger {
  const entry = ledger.entries.find((one) => one.id === of);
  if (!entry || ledger.entries.some(({ reverses }) => reverses === of)) return ledger;
  const back = { cents: 0 - entry.cents, feeCents: 0 - entry.feeCents, reliefCents: null };
  return enter(ledger, cause, { ...entry, ...back, kind: 'reversal', reverses: of });
}

/**
 * Records what her bank took or gave back, or somebody refunded by hand. The fee in it is what is beyond the tuition that
 * was left, on the running total of the payment.
 * @param signedCents with the fee, negative where money left
 */
export function enterMoved(
  ledger: Ledger,
  cause: Cause,
  kind: EntryRow['kind'],
  { payment, payer, number }: CardEntry,
  signedCents: number,
): Ledger {
  const moved = ledger.entries.filter((one) => one.payment === payment);
  const byHand = new Set(moved.filter((one) => one.kind === 'refund').map(({ id }) => id));
  const isForeign = (one: EntryRow) =>
    one.kind === 'dispute' || byHand.has(one.id) || byHand.has(one.reverses ?? '');
  const ours = moved.filter((one) => !isForeign(one));
  const foreign = moved.filter(isForeign);
  const running = -sumOfCents(foreign) - sumOfFees(foreign) - signedCents;
  const feeCents = 0 - within(running - sumOfCents(ours), sumOfFees(ours)) - sumOfFees(foreign);
  return enter(ledger, cause, { kind, payment, payer, number, cents: signedCents - feeCents, feeCents });
}
