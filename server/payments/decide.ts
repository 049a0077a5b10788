import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidV7 } from 'uuid';
import type { Database } from '#server/database/database.ts';
import { AppError } from '#server/http/app-error.ts';
import { addAct, readActs } from '#server/record/acts.ts';
import { canUndoCancel, isRefundOrdered } from '#server/record/cancel-plan.ts';
import { isPlanAgreed } from '#server/record/charge-plan.ts';
import {
  balanceNeutralKinds,
  type Decision,
  type DecisionKind,
  type Decisions,
  readDecisions,
  WITHDRAWAL,
  type Withdrawal,
} from '#server/record/decisions.ts';
import { handOverStop, pendingHandOver } from '#server/record/hand-over.ts';
import { handedOverOf } from '#server/record/on-record.ts';
import { paidBalances } from '#server/record/owed.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import {
  owedByCheck,
  owingStates,
  type RegistrationState,
  registrationStates,
  stateOf,
} from '#server/record/registration-state.ts';
import { cancelUnpaid } from './close-unpaid.ts';
import type { Records } from './find-registration.ts';
import { cancelOpenBalances, isDepositCovered } from './open-balance.ts';
import { settlePlaces } from './record-payments.ts';

/** The states after the deposit is paid. */
const PAID = registrationStates.slice(registrationStates.indexOf('registered'));

/** A second payment is given back or somebody else's, never both. */
const EITHER_OR: readonly DecisionKind[] = ['cancel', 'twoPeople'];

/** In which states a decision can be made. */
const ALLOWED: Readonly<Record<DecisionKind, readonly RegistrationState[]>> = {
  cancel: [...owingStates, 'settled', 'second-payment'],
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
  twoPeople: ['second-payment'],
  handOver: [...owingStates, 'settled'],
  handOverAgreed: [...owingStates, 'settled'],
};

/** Whether the state of a registration allows this decision now. */
export function canDecide(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  if (!ALLOWED[kind].includes(stateOf(record, now))) return false;
  const { plan, check } = record.decisions;
  if (kind === 'refund') return !isRefundOrdered(record);
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
  if (kind === 'refund') return isRefundOrdered(record);
  const state = stateOf(record, now);
  if (kind === 'held') return false;
  if (owingStates.includes(state) || state === 'held') return true;
  const { decisions } = record;
  const paidAt = paidBalances(record).at(-1)?.paidAt;
  // What her card paid was what was left after a waiver that was decided before.
  const isSince =
    kind === 'waived' && paidAt !== undefined && decisions.waived && decisions.waived.at > paidAt;
  return state === 'settled' && (paidAt === undefined || isSince === true);
}

/**
 * Records a decision about a registration, unless somebody else has made the same kind of decision, or one that it
 * excludes, since the record was read. Then, if the decision affects the balance, its open payment is cancelled: a worker opens a payment before it reads the decisions,
 * so that it either reads this one or tries to confirm a cancelled payment.
 * @throws {AppError} when somebody else did; or when the decision is recorded, but the open payment could not
 *   be cancelled, or, unless she cancels, the balance was paid since the record was read
 */
export async function decide<Kind extends DecisionKind>(
  records: Records,
  record: RegistrationRecord,
  kind: Kind,
  decision: Decision<Kind> | Withdrawal,
): Promise<void> {
  await write(records.database, record, kind, withFacts(decision, record));
  if (balanceNeutralKinds.includes(kind)) return;
  const after = await cancelOpenBalances(records, record.id)
    .then(async (now) => {
      if (now && isDepositCovered(now)) await cancelUnpaid(records, record.id);
      return now;
    })
    .catch(() => {
      throw notCancelled();
    });
  const isPaidMeanwhile = after !== undefined && paidBalances(after).length > paidBalances(record).length;
  // What was paid while she cancelled goes back with the rest.
  if (isPaidMeanwhile && kind !== 'cancel') throw paidMeanwhile();
}

async function write(
  database: Database,
  record: RegistrationRecord,
  kind: DecisionKind,
  decision: Decision | Withdrawal,
): Promise<void> {
  const id = uuidV7();
  const { at, by, ...facts } = decision;
  await database.write(async (transaction) => {
    const acts = await readActs(transaction, record.id);
    const now = readDecisions(acts);
    // It was pressed twice, or the answer to the COMMIT was lost.
    if (acts.some((act) => act.id === id) || isDeepStrictEqual(now[kind], decision)) return;
    // Somebody else has the place since.
    if (handedOverOf(acts)?.at.getTime() !== record.handedOver?.at.getTime()) throw decidedMeanwhile();
    const rivals = EITHER_OR.includes(kind) ? EITHER_OR : [kind];
    if (rivals.some((one) => heldBefore(now, one) !== heldBefore(record.decisions, one)))
      throw decidedMeanwhile();
    const act = { id, subject: record.id, at, by };
    const last = acts.findLast((one) => one.kind === kind);
    if (!('withdrawn' in decision)) await addAct(transaction, { ...act, kind, facts });
    else if (last && now[kind]) await addAct(transaction, { ...act, kind: WITHDRAWAL, undoes: last.id });
    await settlePlaces(transaction, [record.id]);
  });
}

/**
 * Adds facts from the record to a decision. A cancellation notes that the balance was still open, so that a
 * later payment is refunded in full, whatever the clocks of two machines say, and which deposit the same person had
 * paid before; a check notes the sum of all checks before it.
 */
function withFacts(decision: Decision | Withdrawal, record: RegistrationRecord): Decision | Withdrawal {
  const { balance, secondOf, decisions } = record;
  const { checkSent } = decisions;
  const paidParts = paidBalances(record).map(({ id }) => id);
  if ('writtenAt' in decision)
    return {
      ...decision,
      ...(balance?.status !== 'paid' && { balanceOpen: true, ...(paidParts.length > 0 && { paidParts }) }),
      ...(secondOf !== undefined && { secondOf }),
    };
  if (!('sentAt' in decision) || !checkSent) return decision;
  return { ...decision, sentBefore: checkSent.cents + (checkSent.sentBefore ?? 0) };
}

function heldBefore(decisions: Decisions, kind: DecisionKind): string {
  return JSON.stringify(decisions[kind] ?? decisions.withdrawn.find((one) => one.kind === kind) ?? null);
}

/** Error for what is on record while an open payment of another sum could not be cancelled. */
export function notCancelled(): AppError {
  const message =
    'It is recorded, but an open payment of the balance could not be cancelled: look whether it is paid since, and have all registrations looked through again';
  return new AppError({ code: 'decided_not_fitted', status: 502, message });
}

/** Error for what is on record while a card paid the balance at the same time. */
export function paidMeanwhile(): AppError {
  const message =
    'It is recorded, but the balance was paid by card meanwhile: look at the registration, and give back what is not owed as an exception';
  return new AppError({ code: 'decided_but_paid', status: 409, message });
}

/** Error for what somebody else has decided since the record was read. */
export function decidedMeanwhile(): AppError {
  const message = 'Somebody else decided this at the same time: look at the registration, and decide again';
  return new AppError({ code: 'decided_meanwhile', status: 409, message });
}
