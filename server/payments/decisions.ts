import type Stripe from 'stripe';
import * as v from 'valibot';
import { unreadablePayment } from './provider-errors.ts';

/** A moment as stored in JSON. */
export const moment = v.pipe(
  v.string(),
  v.isoTimestamp(),
  v.transform((text) => new Date(text)),
);
/** US cents. */
export const cents = v.pipe(v.number(), v.integer(), v.minValue(0));
/** The `by` of an act on her page; for an act of the office it is a name. */
export const HERSELF = 'the registrant';

/** When something was done, and by whom. */
const act = { at: moment, by: v.pipe(v.string(), v.nonEmpty()) };

/**
 * What people decide about a registration. Each is stored as JSON under its own key in the metadata of the
 * deposit's intent, which succeeded and so is never cancelled. They do not share a key, because Stripe has no
 * conditional update, and the last write to a key wins.
 */
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
    /** The balance was not paid at that time: should it be paid by a race, all of it is refunded. */
    balanceOpen: v.exactOptional(v.literal(true)),
  }),
  /** This amount of the tuition is waived. */
  waived: v.object({ ...act, cents }),
  /** She pays the balance by check, so that her card is not charged; with `receivedAt` the check has come. */
  check: v.object({ ...act, cents, receivedAt: v.exactOptional(moment) }),
  /** The balance is charged at this moment instead. */
  postponed: v.object({ ...act, until: moment }),
  /** Her card is to be retried now, whatever was planned after its last decline. */
  charge: v.object(act),
  /** This amount is refunded to her card as an exception; a later cancellation refunds that much less. */
  refund: v.object({ ...act, cents, reason: v.pipe(v.string(), v.nonEmpty(), v.maxLength(200)) }),
  /** The office has sent her a check for what could not be refunded to a card. */
  checkSent: v.object({
    ...act,
    cents,
    sentAt: moment,
    /** The sum of the checks before it. */
    sentBefore: v.exactOptional(cents),
  }),
  /** The disputes of these charges are resolved and no longer block anything. A new dispute does. */
  disputeOver: v.object({
    ...act,
    charges: v.array(v.string()),
    disputes: v.array(v.string()),
    /** What her bank took back of each payment. */
    lost: v.exactOptional(v.object({ deposit: cents, balance: cents })),
  }),
};

export type DecisionKind = keyof typeof schemas;
export type Decision<Kind extends DecisionKind = DecisionKind> = v.InferOutput<(typeof schemas)[Kind]>;

/** The decisions that hold for a registration, and those that were withdrawn. */
export interface Decisions {
  cancel?: Decision<'cancel'>;
  waived?: Decision<'waived'>;
  check?: Decision<'check'>;
  postponed?: Decision<'postponed'>;
  charge?: Decision<'charge'>;
  refund?: Decision<'refund'>;
  checkSent?: Decision<'checkSent'>;
  disputeOver?: Decision<'disputeOver'>;
  withdrawn: readonly { kind: DecisionKind; at: Date; by: string }[];
}

const withdrawnSchema = v.object({ ...act, withdrawn: v.literal(true) });
/** The decision no longer holds. */
export type Withdrawal = v.InferOutput<typeof withdrawnSchema>;

export const decisionKinds = [
  'cancel',
  'waived',
  'check',
  'postponed',
  'charge',
  'refund',
  'checkSent',
  'disputeOver',
] as const satisfies DecisionKind[];

/**
 * Decisions that do not affect the balance: its open payment stays as it is, and notices of its charge stay
 * valid.
 */
export const balanceNeutralKinds: readonly DecisionKind[] = ['charge', 'refund', 'checkSent', 'disputeOver'];

/** The decisions about a registration as JSON holds them. */
export const decisionsSchema = v.object({
  cancel: v.exactOptional(schemas.cancel),
  waived: v.exactOptional(schemas.waived),
  check: v.exactOptional(schemas.check),
  postponed: v.exactOptional(schemas.postponed),
  charge: v.exactOptional(schemas.charge),
  refund: v.exactOptional(schemas.refund),
  checkSent: v.exactOptional(schemas.checkSent),
  disputeOver: v.exactOptional(schemas.disputeOver),
  withdrawn: v.array(v.object({ kind: v.picklist(decisionKinds), ...act })),
});

/**
 * What has been decided about a registration, according to the metadata of its deposit.
 * @throws {AppError} when one of the keys holds data that this site did not write
 */
export function readDecisions({ id, metadata }: Pick<Stripe.PaymentIntent, 'id' | 'metadata'>): Decisions {
  const read = <Kind extends DecisionKind>(kind: Kind) => readDecision(id, kind, metadata[kind]);
  const found = {
    cancel: read('cancel'),
    waived: read('waived'),
    check: read('check'),
    postponed: read('postponed'),
    charge: read('charge'),
    refund: read('refund'),
    checkSent: read('checkSent'),
    disputeOver: read('disputeOver'),
  };
  const held = Object.entries(found).filter(([, decision]) => decision && !('withdrawn' in decision));
  const withdrawn = decisionKinds.flatMap((kind) => {
    const decision = found[kind];
    return decision && 'withdrawn' in decision ? [{ kind, at: decision.at, by: decision.by }] : [];
  });
  return { ...Object.fromEntries(held), withdrawn };
}

function readDecision<Kind extends DecisionKind>(id: string, kind: Kind, text: string | undefined) {
  if (text === undefined) return undefined;
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), v.union([withdrawnSchema, schemas[kind]])),
    text,
  );
  if (!read.success) throw unreadablePayment(`${id} has metadata under ${kind} that cannot be read`);
  return read.output;
}

/** The metadata value of a decision, or of its withdrawal. */
export function formatDecision(decision: Decision | Withdrawal): string {
  return JSON.stringify(decision);
}
