import * as v from 'valibot';
import type { ActRow } from '#server/database/schema.ts';
import type { Reduction } from '#shared/content/tuition.ts';
import { storedContact } from '#shared/registration.ts';
import { done as act, cents, type Done, moment, parseAct, spoken } from './acts.ts';
import { byDay, changeOf, type Ledger, sumOfCents, sumOfFees } from './ledger.ts';

export const REASON_LENGTH = 200;

/** US cents. The act does not keep them: the ledger does, see `withSums`. */
const sum = v.optional(cents, 0);
/** The same of the parts of a plan, with when each is charged. */
const parts = v.optional(v.array(v.object({ number: v.number(), cents, dueAt: moment })), []);

/** What people decide about a registration. Of each kind, the last one holds until it is withdrawn. */
const schemas = {
  /**
   * She cancelled in writing: nothing more is charged, and the refund depends on the moment at which she
   * wrote.
   */
  cancel: v.object({
    ...act,
    writtenAt: moment,
    /** She cancelled on her page, and the office is notified by mail. */
    onPage: v.exactOptional(v.literal(true)),
    /** She has paid for another place too: all of this one goes back, and at once. */
    whole: v.exactOptional(v.literal(true)),
  }),
  /**
   * This amount of the tuition is not asked of her: of the balance first, then of the deposit. She reads `as` what it is,
   * and never the reason.
   */
  waived: v.object({
    ...act,
    cents: sum,
    as: v.exactOptional(v.picklist(['scholarship', 'reduction'])),
    reason: v.exactOptional(v.pipe(v.string(), v.maxLength(REASON_LENGTH))),
  }),
  /** She pays what is left by check, so that her card is not charged; what has come is in `received.ts`. */
  check: v.object(act),
  /**
   * Her place is held for her until this moment, and she pays the deposit so: by card on her page, or another way without
   * a card fee, which is then this amount.
   */
  held: v.object({ ...act, way: v.picklist(['card', 'check', 'transfer']), until: moment, cents: sum }),
  /** The balance is charged at this moment instead. */
  postponed: v.object({ ...act, until: moment }),
  /** The balance is paid in these parts, see `installmentsOf`. While it is paused, none of them is charged. */
  plan: v.object({
    ...act,
    parts,
    paused: v.exactOptional(v.literal(true)),
  }),
  /** She has agreed to be charged these parts: on her page, or as the office recorded it. */
  planAgreed: v.object({
    ...act,
    ...v.partial(v.object(spoken)).entries,
  }),
  /** Her card is to be retried now, whatever was planned after its last decline. */
  charge: v.object(act),
  /** This amount is refunded to her card as an exception; a later cancellation refunds that much less. */
  refund: v.object({
    ...act,
    cents: sum,
    reason: v.pipe(v.string(), v.nonEmpty(), v.maxLength(REASON_LENGTH)),
  }),
  /** The office has sent her a check for what could not be refunded to a card. */
  checkSent: v.object({ ...act, cents: sum, sentAt: moment }),
  /** The disputes of these charges are resolved and no longer block anything. A new dispute does. */
  disputeOver: v.object({
    ...act,
    charges: v.array(v.string()),
    disputes: v.array(v.string()),
  }),
  /** Who has another place under the same name and address is somebody else. */
  twoPeople: v.object(act),
  /** Her place is to be handed over to this person, once both have agreed, see `hand-over.ts`. */
  handOver: v.intersect([v.object(act), storedContact]),
  /** She has agreed to that, as it was decided at this moment. */
  handOverAgreed: v.object({ ...act, of: moment }),
};

export type DecisionKind = keyof typeof schemas;
export type Decision<Kind extends DecisionKind = DecisionKind> = v.InferOutput<(typeof schemas)[Kind]>;

/** What is not asked of her, as she reads it. */
export function reductionOf({ waived }: Pick<Decisions, 'waived'>): Reduction | undefined {
  return waived && { cents: waived.cents, as: waived.as ?? 'reduction' };
}

/** The decisions that hold for a registration, and those that were withdrawn. */
export type Decisions = { [Kind in DecisionKind]?: Decision<Kind> } & {
  withdrawn: readonly (Done & { kind: DecisionKind })[];
};

/** The decision no longer holds. */
export interface Withdrawal extends Done {
  withdrawn: true;
}

const decisionKinds = Object.keys(schemas).filter((name): name is DecisionKind => name in schemas);

/**
 * Decisions that do not affect the balance: its open payment stays as it is, and notices of its charge stay
 * valid.
 */
export const balanceNeutralKinds: readonly DecisionKind[] = [
  ...(['planAgreed', 'charge', 'refund', 'checkSent', 'disputeOver', 'handOver', 'handOverAgreed'] as const),
];

/** The kind of act that takes a decision back: `ActRow.undoes` says which. */
export const WITHDRAWAL = 'withdrawal' as const;

/**
 * What has been decided about a registration.
 * @param acts in their order
 * @throws {AppError} when one is not what this site writes
 */
export function readDecisions(acts: readonly ActRow[]): Decisions {
  const held: unknown[][] = [];
  const withdrawn: { kind: DecisionKind; at: Date; by: string }[] = [];
  for (const kind of decisionKinds) {
    const last = acts.findLast((one) => one.kind === kind);
    if (!last) continue;
    const withdrawal = acts.find(({ undoes }) => undoes === last.id);
    if (withdrawal) withdrawn.push({ kind, at: withdrawal.happenedAt, by: withdrawal.byWhom });
    else held.push([kind, parseAct(last, schemas[kind])]);
  }
  return { ...Object.fromEntries(held), withdrawn };
}

/** @throws {AppError} when it is not what this site writes */
export function decisionOf<Kind extends DecisionKind>(kind: Kind, act: ActRow): Decision<Kind> {
  return parseAct(act, schemas[kind]);
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
