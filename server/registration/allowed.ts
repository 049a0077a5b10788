import type { DecisionKind } from './act-kinds.ts';
import { lastAct } from './acts.ts';
import { owedByCheck, owes, paidBalances } from './balance.ts';
import { canUndoCancel, isRefundOrdered } from './cancelling.ts';
import { isPlanAgreed } from './charges.ts';
import { handOverStop, pendingHandOver } from './hand-over.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { owingStates, type RegistrationState, registrationStates, stateOf } from './registration-state.ts';

const PLACED: readonly RegistrationState[] = [...owingStates, 'settled'];
const PAID = registrationStates.slice(registrationStates.indexOf('registered'));

const ALLOWED: Readonly<Record<DecisionKind, readonly RegistrationState[]>> = {
  cancel: PLACED,
  waived: ['held', ...PLACED],
  check: owingStates,
  held: ['begun', 'held', 'lapsed'],
  postponed: owingStates,
  plan: owingStates,
  planAgreed: owingStates,
  charge: ['due', 'retrying', 'action-needed'],
  refund: PAID.filter((state) => state !== 'cancelling'),
  checkSent: PAID,
  disputeOver: PAID,
  twoPeople: PLACED,
  handOver: PLACED,
  handOverAgreed: PLACED,
};

/** Whether the state of a registration allows a decision. */
export function canDecide(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  if (!ALLOWED[kind].includes(stateOf(record, now))) return false;
  const { plan, check } = record.decisions;
  switch (kind) {
    case 'refund':
      return !isRefundOrdered(record);
    case 'twoPeople':
      return record.paidTwice !== undefined;
    case 'plan':
      return !check;
    case 'planAgreed':
      return plan !== undefined && !check && !isPlanAgreed(record);
    // The dates of a plan are moved in the plan.
    case 'postponed':
      return !plan || check !== undefined;
    case 'handOver':
      return !pendingHandOver(record, now) && handOverStop(record, now) === undefined;
    case 'handOverAgreed': {
      const pending = pendingHandOver(record, now);
      return pending !== undefined && !pending.agreedAt;
    }
    case 'checkSent':
      return owedByCheck(record) > 0;
    default:
      return true;
  }
}

/** Whether a check or a transfer can be recorded: while she has a place, or one is or was held for her. */
export function canReceive(record: RegistrationRecord, now: Date): boolean {
  if (record.deposit === 'unpaid') return record.decisions.held !== undefined;
  return PLACED.includes(stateOf(record, now));
}

export const undoableKinds = [
  'cancel',
  'waived',
  'check',
  'postponed',
  'plan',
  'refund',
  'checkSent',
  'handOver',
] as const satisfies readonly DecisionKind[];
export type UndoableKind = (typeof undoableKinds)[number];

/**
 * Whether a decision can be taken back: a waiver may be a mistake, she may want to attend after all, and Stripe may refuse
 * part of an exceptional refund. What her card paid stays paid, and what was refunded stays refunded.
 */
export function canUndo(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  const { decisions } = record;
  if (!decisions[kind] || !undoableKinds.some((one) => one === kind)) return false;
  if (kind === 'cancel') return canUndoCancel(record, now);
  if (kind === 'checkSent') return true;
  if (kind === 'handOver') return pendingHandOver(record, now) !== undefined;
  if (kind === 'refund') return canUndoRefund(record);
  const state = stateOf(record, now);
  if (owes(record) || state === 'held') return true;
  const paidAt = paidBalances(record).at(-1)?.paidAt;
  // What her card paid was what was left after a waiver that was decided before.
  const isSince = kind === 'waived' && decisions.waived && paidAt && decisions.waived.at > paidAt;
  return state === 'settled' && (paidAt === undefined || isSince === true);
}

/** While nothing of it was claimed: what Stripe may be making already goes out. */
function canUndoRefund({ acts, payouts }: RegistrationRecord): boolean {
  const order = lastAct(acts, 'refund')?.id;
  const own = payouts.filter((one) => one.orderedBy === order && one.state !== 'withdrawn');
  return own.length > 0 && own.every(({ state }) => state === 'ordered');
}
