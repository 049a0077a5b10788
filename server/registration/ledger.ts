import type { EntryRow, InstallmentRow, PayoutRow } from '#server/database/database.ts';

/** What is asked of a registration, what moved, and what is to leave, with all that was replaced. Sums are US cents. */
export interface Ledger {
  registration: string;
  installments: readonly InstallmentRow[];
  entries: readonly EntryRow[];
  payouts: readonly PayoutRow[];
}

export interface Cause {
  id: string;
  /** When it happened; of an entry, when the money moved. */
  at: Date;
}

export interface Amount {
  cents: number;
  feeCents: number;
}

/** The least that a card can pay. https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts */
export const LEAST_BY_CARD_CENTS = 50;

export function sumOfCents(rows: readonly Pick<Amount, 'cents'>[]): number {
  return rows.reduce((sum, { cents }) => sum + cents, 0);
}

export function sumOfFees(rows: readonly Pick<Amount, 'feeCents'>[]): number {
  return rows.reduce((sum, { feeCents }) => sum + feeCents, 0);
}

export function within(cents: number, most: number): number {
  return Math.max(0, Math.min(cents, most));
}

export function feeOn(cents: number, basisPoints: number): number {
  return Math.round((cents * basisPoints) / 10_000);
}

export function nextPosition(rows: readonly { position: number }[]): number {
  return Math.max(0, ...rows.map(({ position }) => position)) + 1;
}

export function inForce({ installments }: Pick<Ledger, 'installments'>): readonly InstallmentRow[] {
  const rows = installments.filter(({ replacedBy }) => replacedBy === null);
  return rows.toSorted((one, other) => one.number - other.number);
}

export function byDay<Row extends Pick<InstallmentRow, 'dueAt' | 'number'>>(rows: readonly Row[]): Row[] {
  return rows.toSorted((one, other) => +one.dueAt - +other.dueAt || one.number - other.number);
}

export function rowOf(ledger: Ledger, number: number): InstallmentRow | undefined {
  return inForce(ledger).find((row) => row.number === number);
}

export function askedCents(ledger: Ledger): number {
  return sumOfCents(inForce(ledger));
}

export type CardEntry = EntryRow & { number: number; payment: string };
const isCard = (entry: EntryRow): entry is CardEntry =>
  entry.kind === 'card' && entry.number !== null && entry.payment !== null;

export function cardEntries({ entries }: Pick<Ledger, 'entries'>): readonly CardEntry[] {
  return entries.filter(isCard);
}

export function chargeOf(ledger: Ledger, payment: string): CardEntry | undefined {
  return cardEntries(ledger).find((entry) => entry.payment === payment);
}

/** A number that a card has paid once is never charged again, whatever goes back of it. */
export function isPaidByCard(ledger: Ledger, number: number): boolean {
  return cardEntries(ledger).some((entry) => entry.number === number);
}

interface Allocation {
  left: ReadonlyMap<number, number>;
  surplusCents: number;
  /** What is missing because more went back than came: it is owed beside all rows. */
  withoutNumberCents: number;
}

/** A card payment pays its own number; what is over, and all other money, pays the oldest first. Nothing of it is stored. */
export function allocate({ installments, entries }: Pick<Ledger, 'installments' | 'entries'>): Allocation {
  const rows = inForce({ installments });
  const left = new Map(rows.map(({ number, cents }) => [number, cents]));
  /** Returns what is over, which is negative where more went back than came. */
  const pay = (number: number, cents: number) => {
    const open = left.get(number) ?? 0;
    const pays = within(cents, open);
    if (pays > 0) left.set(number, open - pays);
    return cents - pays;
  };
  let rest = sumOfCents(entries.filter(({ payment }) => payment === null));
  for (const { payment, number } of cardEntries({ entries }))
    rest += pay(number, sumOfCents(entries.filter((entry) => entry.payment === payment)));
  for (const { number } of byDay(rows)) rest = pay(number, rest);
  return { left, surplusCents: Math.max(0, rest), withoutNumberCents: Math.max(0, -rest) };
}

export function leftOf(ledger: Ledger, number: number): number {
  return allocate(ledger).left.get(number) ?? 0;
}

export function surplusOf(ledger: Ledger): number {
  return allocate(ledger).surplusCents;
}

export function owedOf(ledger: Ledger): number {
  const { left, withoutNumberCents } = allocate(ledger);
  return [...left.values()].reduce((sum, cents) => sum + cents, withoutNumberCents);
}

export function byCardOf(ledger: Ledger, number: number): Amount {
  const [row, cents] = [rowOf(ledger, number), leftOf(ledger, number)];
  if (!row || cents === 0) return { cents: 0, feeCents: 0 };
  const { cardFeeCents, cardFeeBasisPoints } = row;
  if (cents === row.cents) return { cents, feeCents: cardFeeCents };
  return { cents, feeCents: Math.min(cardFeeCents, feeOn(cents, cardFeeBasisPoints)) };
}

const TO_LEAVE: readonly PayoutRow['state'][] = ['ordered', 'claimed'];

export function toLeave({ payouts }: Pick<Ledger, 'payouts'>, states = TO_LEAVE): readonly PayoutRow[] {
  return payouts.filter(({ state }) => states.includes(state));
}

/** The surplus without what is to leave already; negative while more is claimed. */
export function freeSurplus(ledger: Ledger): number {
  return surplusOf(ledger) - sumOfCents(toLeave(ledger));
}

/** What can still go back of a card payment, without what is to leave already. */
export function leftOfPayment(ledger: Ledger, payment: string): Amount {
  const moved = ledger.entries.filter((entry) => entry.payment === payment);
  const leaving = toLeave(ledger).filter((payout) => payout.payment === payment);
  return {
    cents: sumOfCents(moved) - sumOfCents(leaving),
    feeCents: sumOfFees(moved) - sumOfFees(leaving),
  };
}

export function checksSent({ entries }: Pick<Ledger, 'entries'>): readonly EntryRow[] {
  const back = new Set(entries.map(({ reverses }) => reverses));
  return entries.filter(({ id, kind, payment }) => kind === 'payout' && payment === null && !back.has(id));
}

export function changeOf({ installments }: Pick<Ledger, 'installments'>, cause: string): number {
  const made = installments.filter(({ madeBy }) => madeBy === cause);
  const replaced = installments.filter(({ replacedBy }) => replacedBy === cause);
  return sumOfCents(made) - sumOfCents(replaced);
}

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

/** Foreign moves: the fee is what is beyond the tuition that was left, on the payment's running total. */
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
