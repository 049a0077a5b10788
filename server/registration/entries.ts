import type { EntryRow } from '#server/database/schema.ts';
import type { Change } from './installments.ts';
import { type CardEntry, type Ledger, nextPosition, sumOfCents, sumOfFees, within } from './ledger.ts';

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
export function reverse(ledger: Ledger, { id, at }: Pick<Change, 'id' | 'at'>, of: string): Ledger {
  const entry = ledger.entries.find((one) => one.id === of);
  if (!entry || ledger.entries.some(({ reverses }) => reverses === of)) return ledger;
  const { cents, feeCents, payer, payment, number } = entry;
  const back = { cents: 0 - cents, feeCents: 0 - feeCents, payer, payment, number };
  return enter(ledger, { id, kind: 'reversal', movedAt: at, reverses: of, ...back });
}

/**
 * Records what her bank took or gave back, or somebody refunded by hand. The fee in it is what is beyond the tuition that
 * was left, on the running total of the payment.
 * @param signedCents with the fee, negative where money left
 */
export function enterMoved(
  ledger: Ledger,
  { id, at: movedAt }: Pick<Change, 'id' | 'at'>,
  kind: EntryRow['kind'],
  { payment, payer, number }: CardEntry,
  signedCents: number,
): Ledger {
  const moved = ledger.entries.filter((one) => one.payment === payment);
  const byHand = new Set(moved.filter(({ kind }) => kind === 'refund').map(({ id }) => id));
  const isForeign = (one: EntryRow) =>
    one.kind === 'dispute' || byHand.has(one.id) || byHand.has(one.reverses ?? '');
  const ours = moved.filter((one) => !isForeign(one));
  const foreign = moved.filter(isForeign);
  const running = -sumOfCents(foreign) - sumOfFees(foreign) - signedCents;
  const feeCents = 0 - within(running - sumOfCents(ours), sumOfFees(ours)) - sumOfFees(foreign);
  const cents = signedCents - feeCents;
  return enter(ledger, { id, kind, movedAt, payment, payer, number, cents, feeCents });
}
