import { isDeepStrictEqual } from 'node:util';
import type { ActRow } from '#server/database/schema.ts';
import { type DecisionKind, WITHDRAWAL } from '#server/registration/act-kinds.ts';
import { lastAct, lastOfKind, readActs } from '#server/registration/acts.ts';
import { owedByCheck, owes, paidBalances } from '#server/registration/balance.ts';
import { canUndoCancel, isRefundOrdered } from '#server/registration/cancelling.ts';
import { isPlanAgreed } from '#server/registration/charges.ts';
import {
  balanceNeutralKinds,
  type Decision,
  readDecisions,
  type Withdrawal,
} from '#server/registration/decisions.ts';
import { handOverStop, pendingHandOver } from '#server/registration/hand-over.ts';
import { settlePlaces } from '#server/registration/places-taken.ts';
import { readRegistration } from '#server/registration/read-registration.ts';
import { type Received, readReceived, type TakenBack } from '#server/registration/received.ts';
import { refused } from '#server/registration/refusals.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import {
  owingStates,
  type RegistrationState,
  registrationStates,
  stateOf,
} from '#server/registration/registration-state.ts';
import { type NewAct, withoutSums, writeAct } from '#server/registration/write-acts.ts';
import { cancelAfterChange } from '#server/stripe/balance.ts';
import type { Records } from '#server/stripe/record-payments.ts';

const PAID = registrationStates.slice(registrationStates.indexOf('registered'));

/** What was paid twice is given back, or is somebody else's, never both. */
const EITHER_OR: readonly DecisionKind[] = ['cancel', 'twoPeople'];

const ALLOWED: Readonly<Record<DecisionKind, readonly RegistrationState[]>> = {
  cancel: [...owingStates, 'settled'],
  waived: ['held', ...owingStates, 'settled'],
  check: owingStates,
  held: ['begun', 'held', 'lapsed'],
  postponed: owingStates,
  plan: owingStates,
  planAgreed: owingStates,
  charge: ['due', 'retrying', 'action-needed'],
  refund: [
    ...owingStates,
    'settled',
    'cancelled',
    'refund-pending',
    'refund-failed',
    'refunded',
    'nothing-back',
  ],
  checkSent: PAID,
  disputeOver: PAID,
  twoPeople: [...owingStates, 'settled'],
  handOver: [...owingStates, 'settled'],
  handOverAgreed: [...owingStates, 'settled'],
};

export function canDecide(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  if (!ALLOWED[kind].includes(stateOf(record, now))) return false;
  const { plan, check } = record.decisions;
  if (kind === 'refund') return !isRefundOrdered(record);
  if (kind === 'twoPeople') return record.paidTwice !== undefined;
  if (kind === 'plan') return !check;
  if (kind === 'planAgreed') return plan !== undefined && !check && !isPlanAgreed(record);
  // The dates of a plan are moved in the plan.
  if (kind === 'postponed') return !plan || check !== undefined;
  const pending = pendingHandOver(record, now);
  if (kind === 'handOver') return !pending && handOverStop(record, now) === undefined;
  if (kind === 'handOverAgreed') return pending !== undefined && !pending.agreedAt;
  return kind !== 'checkSent' || owedByCheck(record) > 0;
}

/**
 * Whether a decision can be withdrawn now: a check may bounce, a waiver be a mistake, she may want to attend
 * after all, and Stripe may refuse part of an exceptional refund; who hands her place over may change her mind until
 * somebody has taken it. What her card paid stays paid, and what was refunded stays refunded.
 */
export function canWithdraw(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  if (kind === 'cancel') return canUndoCancel(record, now);
  if (kind === 'checkSent') return record.decisions.checkSent !== undefined;
  if (kind === 'handOver') return pendingHandOver(record, now) !== undefined;
  if (kind === 'refund') return canWithdrawRefund(record);
  const state = stateOf(record, now);
  if (kind === 'held') return false;
  if (owes(record) || state === 'held') return true;
  const { decisions } = record;
  const paidAt = paidBalances(record).at(-1)?.paidAt;
  // What her card paid was what was left after a waiver that was decided before.
  const isSince =
    kind === 'waived' && paidAt !== undefined && decisions.waived && decisions.waived.at > paidAt;
  return state === 'settled' && (paidAt === undefined || isSince === true);
}

/** While nothing of it was claimed: what Stripe may be making already goes out. */
function canWithdrawRefund({ acts, payouts }: RegistrationRecord): boolean {
  const order = lastAct(acts, 'refund')?.id;
  const own = payouts.filter((one) => one.orderedBy === order && one.state !== 'withdrawn');
  return own.length > 0 && own.every(({ state }) => state === 'ordered');
}

/**
 * Records a decision about a registration, unless somebody else has made the same kind of decision, or one that it
 * excludes, since the record was read. Then, if the decision affects the balance, its open payment is cancelled: a worker
 * opens a payment before it reads the decisions, so that it either reads this one or tries to confirm a cancelled payment.
 * @throws {AppError} when somebody else did; or when the decision is recorded, but the open payment could not
 *   be cancelled, or, unless she cancels, the balance was paid since the record was read
 */
export async function decide<Kind extends DecisionKind>(
  records: Records,
  record: RegistrationRecord,
  kind: Kind,
  decision: Decision<Kind> | Withdrawal,
): Promise<void> {
  const { at, by, ...facts } = decision;
  await writeAct(
    records.database,
    record.id,
    async (acts, transaction) => {
      const now = readDecisions(acts);
      const held = now[kind];
      const isPressedTwice =
        held !== undefined && isDeepStrictEqual(withoutSums(held), withoutSums(decision));
      if (isPressedTwice && !('withdrawn' in decision)) return undefined;
      const hasOtherHolder =
        lastOfKind(acts, 'handed-over')?.at.getTime() !== record.handedOver?.at.getTime();
      const rivals = EITHER_OR.includes(kind) ? EITHER_OR : [kind];
      if (hasOtherHolder || rivals.some((one) => lastOf(acts, one) !== lastOf(record.acts, one)))
        throw refused('decided_meanwhile');
      if (kind === 'twoPeople' || 'whole' in decision) {
        // The same may have been decided of her other place: then this one is the only one.
        const twice = (await readRegistration(transaction, record.id))?.paidTwice;
        const others = twice ? await readActs(transaction, twice.other) : [];
        const isLast = 'whole' in decision && readDecisions(others).cancel !== undefined;
        if (isLast || twice?.other !== record.paidTwice?.other) throw refused('decided_meanwhile');
      }
      if (!('withdrawn' in decision)) return { kind, at, by, facts };
      const last = acts.findLast((one) => one.kind === kind);
      return last && now[kind] && { kind: WITHDRAWAL, at, by, undoes: last.id };
    },
    (transaction) => settlePlaces(transaction, [record.id]),
  );
  if (balanceNeutralKinds.includes(kind)) return;
  const isPaidMeanwhile = await cancelAfterChange(records, record);
  // What was paid while she cancelled goes back with the rest.
  if (isPaidMeanwhile && kind !== 'cancel') throw refused('decided_but_paid');
}

/** Which act of a kind was the last, and which one took it back. */
function lastOf(acts: readonly ActRow[], kind: DecisionKind): string {
  const last = acts.findLast((one) => one.kind === kind);
  return [last?.id, acts.find(({ undoes }) => last && undoes === last.id)?.id].join(' ');
}

/** Whether a check or a transfer can be recorded now: while she has a place, or one is or was held for her. */
export function canReceive(record: RegistrationRecord, now: Date): boolean {
  if (record.deposit === 'unpaid') return record.decisions.held !== undefined;
  return [...owingStates, 'settled'].includes(stateOf(record, now));
}

/**
 * Records a check or a transfer that came, unless somebody else has recorded or taken back one since the record was read.
 * Then the open payment of the balance is cancelled, as its sum has changed.
 * @throws {AppError} when somebody else did; or when it is recorded, but the open payment could not be cancelled, or paid
 *   the balance meanwhile
 */
export async function recordReceived(
  records: Records,
  record: RegistrationRecord,
  { at, by, ...facts }: Omit<Received, 'id' | 'name'>,
): Promise<void> {
  await write(records, record, { kind: 'received', at, by, facts });
}

/** Records in the same way that one no longer counts. */
export async function takeBackReceived(
  records: Records,
  record: RegistrationRecord,
  { id: undoes }: Received,
  { at, by, why }: Omit<TakenBack, 'payment'>,
): Promise<void> {
  await write(records, record, { kind: WITHDRAWAL, at, by, facts: { why }, undoes });
}

async function write(records: Records, record: RegistrationRecord, act: NewAct): Promise<void> {
  await writeAct(
    records.database,
    record.id,
    (acts) => {
      const { held } = readDecisions(acts);
      const isHeldOtherwise = held?.at.getTime() !== record.decisions.held?.at.getTime();
      if (isHeldOtherwise || receivedMark(readReceived(acts)) !== receivedMark(record.received))
        throw refused('decided_meanwhile');
      return act;
    },
    (transaction) => settlePlaces(transaction, [record.id]),
  );
  if (await cancelAfterChange(records, record)) throw refused('decided_but_paid');
}

function receivedMark({ counting, takenBack }: RegistrationRecord['received']): string {
  return [...counting.map(({ name }) => name), takenBack.length].join(' ');
}
