import type { ActRow } from '#server/database/database.ts';
import type { Reduction } from '#shared/content/tuition.ts';
import { type DecisionKind, type Done, decisionSchemas } from './act-kinds.ts';
import { type ActFacts, factsOfAct } from './acts.ts';
import { byDay, changeOf, type Ledger, sumOfCents, sumOfFees } from './ledger.ts';

export type Decision<Kind extends DecisionKind = DecisionKind> = ActFacts<Kind>;

export function reductionOf({ waived }: Pick<Decisions, 'waived'>): Reduction | undefined {
  return waived && { cents: waived.cents, as: waived.as ?? 'reduction' };
}

export type Decisions = { [Kind in DecisionKind]?: Decision<Kind> } & {
  withdrawn: readonly (Done & { kind: DecisionKind })[];
};

export interface Withdrawal extends Done {
  withdrawn: true;
}

export const decisionKinds = Object.keys(decisionSchemas).filter(
  (name): name is DecisionKind => name in decisionSchemas,
);

/** Decisions that change what is asked of the balance, or how: an open payment of it, and notices of its charge, end. */
export const balanceKinds: readonly string[] = [
  'cancel',
  'waived',
  'check',
  'held',
  'postponed',
  'plan',
  'twoPeople',
] satisfies DecisionKind[];

/** @throws {AppError} when one is not what this site writes */
export function readDecisions(acts: readonly ActRow[]): Decisions {
  const held: unknown[][] = [];
  const withdrawn: { kind: DecisionKind; at: Date; by: string }[] = [];
  for (const kind of decisionKinds) {
    const last = acts.findLast((one) => one.kind === kind);
    if (!last) continue;
    const withdrawal = acts.find(({ undoes }) => undoes === last.id);
    if (withdrawal) withdrawn.push({ kind, at: withdrawal.happenedAt, by: withdrawal.byWhom });
    else held.push([kind, factsOfAct(last, kind)]);
  }
  return { ...Object.fromEntries(held), withdrawn };
}

/** What the ledger has of a decision, by its act, and not the act itself: sums, and the parts of a plan. */
export function withSums(
  { withdrawn, ...held }: Decisions,
  acts: readonly ActRow[],
  ledger: Pick<Ledger, 'installments' | 'entries' | 'payouts'>,
): Decisions {
  const idOf = (kind: DecisionKind) => acts.findLast((act) => act.kind === kind)?.id ?? '';
  const madeBy = (id: string) => ledger.installments.filter((row) => row.madeBy === id);
  const { held: place, waived, plan, refund, checkSent } = held;
  const deposit = madeBy(idOf('held')).find(({ number }) => number === 0);
  const ordered = ledger.payouts.filter((one) => one.orderedBy === idOf('refund') && one.insteadOf === null);
  const checks = ledger.entries.filter(
    ({ id, kind }) => kind === 'payout' && id.startsWith(`${idOf('checkSent')}-`),
  );
  return {
    ...held,
    withdrawn,
    ...(place && { held: { ...place, cents: deposit?.cents ?? 0 } }),
    ...(waived && { waived: { ...waived, cents: takenOff(acts, ledger) } }),
    ...(plan && {
      plan: {
        ...plan,
        parts: byDay(askedAfter(idOf('plan'), acts, ledger).filter(({ number }) => number > 0)).map(
          ({ number, cents: ofPart, dueAt }) => ({ number, cents: ofPart, dueAt }),
        ),
      },
    }),
    ...(refund && { refund: { ...refund, cents: sumOfCents(ordered) + sumOfFees(ordered) } }),
    ...(checkSent && { checkSent: { ...checkSent, cents: 0 - sumOfCents(checks) - sumOfFees(checks) } }),
  };
}

/** What was asked once an act had changed that: what it made, and what it left as it was. */
function askedAfter(act: string, acts: readonly ActRow[], { installments }: Pick<Ledger, 'installments'>) {
  const last = Math.max(...installments.flatMap((row) => (row.madeBy === act ? row.position : [])));
  const until = installments.filter(({ position }) => position <= last);
  const known = acts.slice(0, acts.findIndex(({ id }) => id === act) + 1);
  const causes = new Set([...known.map(({ id }) => id), ...until.map(({ madeBy }) => madeBy)]);
  return until.filter((row) => row.madeBy === act || row.replacedBy === null || !causes.has(row.replacedBy));
}

/** What scholarships and reductions have taken off the tuition, as it stands after the last of them, in US cents. */
export function takenOff(acts: readonly ActRow[], ledger: Pick<Ledger, 'installments'>): number {
  const waivers = acts.filter(({ kind }) => kind === 'waived');
  const all = acts.filter(({ id, undoes }) => waivers.some((one) => one.id === id || one.id === undoes));
  return all.reduce((sum, { id }) => sum - changeOf(ledger, id), 0);
}
