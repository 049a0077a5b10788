import type { ActRow } from '#server/database/database.ts';
import { type DecisionKind, THE_WORKER, WITHDRAWAL } from './act-kinds.ts';
import { type Decision, readDecisions, withSums } from './decisions.ts';
import { depositStandingOf } from './deposit.ts';
import type { Ledger } from './ledger.ts';
import { contextOf, ledgerAfterAct } from './ledger-of-acts.ts';
import { readReceived } from './received.ts';
import type { PayoutOnRecord, RegistrationRecord } from './registration-record.ts';
import type { NewAct } from './write-acts.ts';

/**
 * A registration as it is after an act, before it is recorded.
 * @throws {LedgerRefusal} when the act is not possible now
 */
export function afterAct(
  record: RegistrationRecord,
  { kind, at, by, facts = {}, undoes }: NewAct,
): RegistrationRecord {
  const act: ActRow = {
    id: `${kind} ${at.toISOString()}`,
    subject: record.id,
    number: record.acts.length + 1,
    kind,
    happenedAt: at,
    byWhom: by,
    facts: JSON.stringify(facts),
    undoes: undoes ?? null,
  };
  const acts = [...record.acts, act];
  const about = { ...record.context, acts };
  const ledger = ledgerAfterAct(record.ledger, act, about);
  const decisions = withSums(readDecisions(acts), acts, ledger);
  const received = readReceived(acts, ledger.entries);
  const context = contextOf(about);
  const { depositPayment: payment, registrant } = record;
  const isBlank = registrant.email === '';
  const isOnePlace = kind === 'cancel' || kind === 'twoPeople';
  return {
    ...record,
    disputed: record.disputed && kind !== 'disputeOver',
    paidTwice: isOnePlace ? undefined : record.paidTwice,
    ...depositStandingOf({ ledger, context, decisions, received, payment, isBlank }),
    acts,
    ledger,
    context,
    payouts: payoutsOf(ledger, acts),
    decisions,
    received,
  };
}

export function afterDecision(
  record: RegistrationRecord,
  kind: DecisionKind,
  { at, by, ...facts }: Decision,
): RegistrationRecord {
  return afterAct(record, { kind, at, by, facts });
}

export function afterWithdrawal(
  record: RegistrationRecord,
  kind: DecisionKind,
  act: Pick<NewAct, 'at' | 'by'>,
): RegistrationRecord {
  const undone = record.acts.findLast((one) => one.kind === kind);
  return afterAct(record, { ...act, kind: WITHDRAWAL, undoes: undone?.id });
}

export function payoutsOf({ payouts, entries }: Ledger, acts: readonly ActRow[]): PayoutOnRecord[] {
  return payouts.map((payout) => {
    const act = acts.find(({ id }) => id === payout.orderedBy);
    const entry = entries.find(({ id }) => id === payout.orderedBy);
    const at = act?.happenedAt ?? entry?.movedAt ?? new Date(0);
    return { ...payout, by: act?.byWhom ?? THE_WORKER, at };
  });
}
