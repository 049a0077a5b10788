import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { AppError } from '#server/http/app-error.ts';
import {
  type Decision,
  type DecisionKind,
  type Decisions,
  formatDecision,
  readDecisions,
  type Withdrawal,
} from './decisions.ts';
import { fitBalance } from './open-balance.ts';
import { isKeyInUse, isUsedOtherwise } from './provider-errors.ts';
import type { RegistrationRecord } from './registration-record.ts';
import { owingStates, type RegistrationState, stateOf } from './registration-state.ts';

/** In which states a decision can be made. */
const ALLOWED: Readonly<Record<DecisionKind, readonly RegistrationState[]>> = {
  cancel: [...owingStates, 'settled'],
  waived: owingStates,
  check: owingStates,
  postponed: owingStates,
  charge: ['due', 'retrying', 'action-needed'],
};

/** What decides how much is left to pay: an open payment of the balance follows it. */
const MOVES_BALANCE: readonly DecisionKind[] = ['cancel', 'waived', 'check'];

/** Whether the state of a registration lets this be decided now. */
export function canDecide(record: RegistrationRecord, kind: DecisionKind, now: Date): boolean {
  return ALLOWED[kind].includes(stateOf(record, now));
}

/** Whether a decision can be withdrawn now: a check may bounce, and a waiver be a mistake. What her card paid stays paid. */
export function canWithdraw(record: RegistrationRecord, now: Date): boolean {
  const state = stateOf(record, now);
  return owingStates.includes(state) || (state === 'settled' && record.balance?.status !== 'paid');
}

/**
 * Writes a decision to the deposit of a registration, unless somebody else has decided the same since the record was
 * read: the key under which Stripe takes it is made of what held before. After that an open payment of the balance is
 * cancelled where nothing is left to pay: who is about to charge it has opened it before she read the decisions, so that
 * either she reads this one or her charge meets a cancelled payment.
 * @throws {AppError} when somebody did, or when it is recorded and the open payment could not be cancelled
 * @see https://docs.stripe.com/api/idempotent_requests
 */
export async function decide<Kind extends DecisionKind>(
  stripe: Stripe,
  record: RegistrationRecord,
  kind: Kind,
  decision: Decision<Kind> | Withdrawal,
): Promise<void> {
  await write(stripe, record, kind, decision);
  if (!MOVES_BALANCE.includes(kind)) return;
  try {
    await fitBalance(stripe, record.id);
  } catch {
    throw notFitted();
  }
}

async function write<Kind extends DecisionKind>(
  stripe: Stripe,
  { id, decisions }: RegistrationRecord,
  kind: Kind,
  decision: Decision<Kind> | Withdrawal,
): Promise<void> {
  const metadata = { [kind]: formatDecision(decision) };
  const writeUnder = (idempotencyKey: string) =>
    stripe.paymentIntents.update(id, { metadata }, { idempotencyKey });
  const before = heldBefore(decisions, kind);
  const key = `${id}-${kind}-${createHash('sha256').update(before).digest('hex')}`;
  try {
    await writeUnder(key);
  } catch (error) {
    if (isKeyInUse(error)) throw decidedMeanwhile();
    if (!isUsedOtherwise(error)) throw error;
    const now = readDecisions(await stripe.paymentIntents.retrieve(id));
    if (heldBefore(now, kind) !== before) throw decidedMeanwhile();
    // What Stripe has under the key is a failure of its own, which it would repeat for a day.
    await writeUnder(`${key}-at-${decision.at.toISOString()}`);
  }
}

function heldBefore(decisions: Decisions, kind: DecisionKind): string {
  return JSON.stringify(decisions[kind] ?? decisions.withdrawn.find((one) => one.kind === kind) ?? null);
}

function notFitted(): AppError {
  const message =
    'It is recorded, but an open payment of the balance could not be changed: run walk, and the worker does it';
  return new AppError({ code: 'decided_not_fitted', status: 502, message });
}

function decidedMeanwhile(): AppError {
  const message = 'Somebody else decided this at the same time: look at the registration, and decide again';
  return new AppError({ code: 'decided_meanwhile', status: 409, message });
}
