import * as v from 'valibot';
import type { ActRow, PaymentRow } from '#server/database/schema.ts';
import { cents, done, factsOfAct, moment } from './acts.ts';
import type { Decisions } from './decisions.ts';
import { type Ledger, leftOf, rowOf } from './ledger.ts';
import { ACTS } from './on-record.ts';

/** The longest number of a check, or reference of a transfer. */
export const NUMBER_LENGTH = 20;

const receivedSchema = v.object({
  ...done,
  way: v.picklist(['check', 'transfer']),
  /** US cents. The act does not keep them: its entry does. */
  cents: v.optional(cents, 0),
  /** When it came. */
  on: moment,
  /** The number of the check, or the reference of the transfer. */
  number: v.exactOptional(v.pipe(v.string(), v.maxLength(NUMBER_LENGTH))),
});

/** A check or a transfer that came, as a user of the office recorded it. */
export interface Received extends v.InferOutput<typeof receivedSchema> {
  /** The act that records it. */
  id: string;
  /** Counts her payments of this kind, also those that were taken back: `payment-1`. */
  name: string;
}

/** Why a payment no longer counts. */
export const TAKEN_BACK = { bounced: 'It bounced', mistake: 'It was a mistake' } as const;
export type WhyTakenBack = keyof typeof TAKEN_BACK;

const takenBackSchema = v.object({
  ...done,
  why: v.picklist(['bounced', 'mistake']),
});

/** A payment that came and no longer counts. */
export interface TakenBack extends v.InferOutput<typeof takenBackSchema> {
  payment: Received;
}

/** All that came beside cards: what counts, and what was taken back, each in the order of their records. */
export interface ReceivedOnRecord {
  counting: readonly Received[];
  takenBack: readonly TakenBack[];
}

/**
 * What an act says that records a payment.
 * @throws {AppError} when it is not what this site writes
 */
export function receivedIn(act: ActRow): v.InferOutput<typeof receivedSchema> {
  return factsOfAct(act, receivedSchema);
}

/**
 * What came by check or transfer.
 * @param acts in their order
 * @param entries that have the sums
 * @throws {AppError} when one is not what this site writes
 */
export function readReceived(acts: readonly ActRow[], entries: Ledger['entries'] = []): ReceivedOnRecord {
  const all = acts
    .filter(({ kind }) => kind === ACTS.received)
    .map((act, index) => ({
      ...receivedIn(act),
      cents: entries.find(({ id }) => id === act.id)?.cents ?? 0,
      id: act.id,
      name: `payment-${index + 1}`,
    }));
  const takenBack = all.flatMap((payment) => {
    const undone = acts.find(({ undoes }) => undoes === payment.id);
    return undone ? { ...factsOfAct(undone, takenBackSchema), payment } : [];
  });
  const counting = all.filter(({ id }) => !takenBack.some(({ payment }) => payment.id === id));
  return { counting, takenBack };
}

/** All payments that came, also those that were taken back, in the order of their records. */
export function allReceived({ counting, takenBack }: ReceivedOnRecord): readonly Received[] {
  const all = [...counting, ...takenBack.map(({ payment }) => payment)];
  return all.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }));
}

export interface ReceivedPart extends Received {
  /** US cents of it. */
  ofCents: number;
}

/** A payment that came, whole. */
export function wholePart(one: Received): ReceivedPart {
  return { ...one, ofCents: one.cents };
}

/**
 * Divides what came: what pays so many US cents of the tuition, in its order, and the rest.
 * @returns less than `wantedCents` where less came
 */
export function divideReceived(
  parts: readonly ReceivedPart[],
  wantedCents: number,
): { taken: readonly ReceivedPart[]; rest: readonly ReceivedPart[] } {
  let left = wantedCents;
  const taken: ReceivedPart[] = [];
  const rest: ReceivedPart[] = [];
  for (const part of parts) {
    const ofCents = Math.min(left, part.ofCents);
    left -= ofCents;
    if (ofCents > 0) taken.push({ ...part, ofCents });
    if (part.ofCents > ofCents) rest.push({ ...part, ofCents: part.ofCents - ofCents });
  }
  return { taken, rest };
}

/** What came with them, in US cents. */
export function sumOfParts(parts: readonly Pick<ReceivedPart, 'ofCents'>[]): number {
  return parts.reduce((sum, { ofCents }) => sum + ofCents, 0);
}

interface DepositRead {
  ledger: Ledger;
  received: ReceivedOnRecord;
  decisions: Pick<Decisions, 'waived'>;
}

/** What paid a deposit without a card: the cents that came, or what is not asked of her; undefined if it is not paid so. */
export function depositPaidBeside({
  ledger,
  received,
  decisions,
}: DepositRead): { cents: number; paidAt: Date } | undefined {
  const deposit = rowOf(ledger, 0);
  if (!deposit || leftOf(ledger, 0) > 0) return undefined;
  const { taken } = divideReceived(received.counting.map(wholePart), deposit.cents);
  const paidAt = taken.at(-1)?.on ?? decisions.waived?.at;
  return paidAt && { cents: deposit.cents, paidAt };
}

/** How the deposit of a registration stands, whichever way it was paid; `depositDueCents` is absent once a card paid it. */
export function depositStandingOf(
  read: DepositRead & { decisions: Decisions; deposit: PaymentRow | undefined; isBlank: boolean },
) {
  const { ledger, decisions, deposit, isBlank } = read;
  if (deposit?.status === 'paid') {
    const paidAt = deposit.paidAt === null ? {} : { paidAt: deposit.paidAt };
    return { deposit: 'paid' as const, depositCents: deposit.cents, ...paidAt };
  }
  const depositDueCents = rowOf(ledger, 0)?.cents ?? 0;
  const { cents, paidAt } = depositPaidBeside(read) ?? {};
  if (cents !== undefined && paidAt)
    return { deposit: 'paid' as const, depositCents: cents, paidAt, depositDueCents };
  const isEnded = deposit ? deposit.status === 'cancelled' : isBlank;
  const isClosed = isEnded && !decisions.held;
  return { deposit: isClosed ? ('closed' as const) : ('unpaid' as const), depositCents: 0, depositDueCents };
}
