import type { ActRow } from '#server/database/schema.ts';
import type { BalanceTerms, Facts } from '#shared/content/edition.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { cancelRows, failPayout, undoCancel } from './change-ledger.ts';
import {
  type DecisionKind,
  type Decisions,
  decisionOf,
  readDecisions,
  takenOff,
  WITHDRAWAL,
} from './decisions.ts';
import { enter, reverse } from './entries.ts';
import {
  type Asked,
  type Cause,
  dueAfter,
  type LedgerContext,
  lower,
  moveDue,
  type PlannedPart,
  raise,
  refuseIf,
  setRows,
  split,
  type Timing,
} from './installments.ts';
import { changeOf, inForce, isPaidByCard, type Ledger, sumOfCents } from './ledger.ts';
import { actsOfHolder, factsOfAct } from './on-record.ts';
import { giveBack, orderWhatGoesBack, sendByCheck, withdrawOrders } from './payouts.ts';

/** The whole balance, while it is not paid in parts. */
export const BALANCE = 1;

/** The number of a part of a plan: 0 and 1 are the deposit and the whole balance. */
export const numberOfPart = (part: number): number => part + BALANCE;

/** What a registration has on record beside its ledger. */
export interface LedgerRecord {
  registration: string;
  begunAt: Date;
  /** In their order. */
  acts: readonly ActRow[];
  /** Those that she agreed to, or of her edition. */
  terms: BalanceTerms;
  isDisputed: boolean;
  /** The numbers that have a try without a result. */
  trying: readonly number[];
}

/** What is asked of a registration that begins. */
export function beginLedger(
  { registration, begunAt }: Pick<LedgerRecord, 'registration' | 'begunAt'>,
  { prices, balance }: Pick<Facts, 'prices' | 'balance'>,
): Ledger {
  const { depositBeforeFeeCents, depositCents, balanceBeforeFeeCents } = prices;
  const like = { cardFeeBasisPoints: prices.cardFeePerMille * 10, reliefCents: 0 };
  const deposit: Asked = {
    ...like,
    number: 0,
    cents: depositBeforeFeeCents,
    cardFeeCents: depositCents - depositBeforeFeeCents,
    dueAt: begunAt,
    refundableUntil: null,
    feeRefundable: 0,
  };
  const rest: Asked = {
    ...like,
    number: BALANCE,
    cents: balanceBeforeFeeCents,
    cardFeeCents: 0,
    dueAt: balanceDueAt({ balance }, begunAt),
    refundableUntil: new Date(balance.refundsEndAt),
    feeRefundable: balance.feeRefundable ? 1 : 0,
  };
  const empty: Ledger = { registration, installments: [], entries: [], payouts: [] };
  const context = { holder: registration, isDisputed: false, trying: [] };
  return setRows(empty, { id: registration, at: begunAt }, context, [deposit, rest]);
}

/** What changes of a ledger depend on. An act of another kind that cannot be read prevents none of them. */
export function contextOf(record: LedgerRecord): LedgerContext {
  const { registration, acts, isDisputed, trying } = record;
  const own = actsOfHolder(acts);
  const handedOver = acts.findLast(({ kind }) => kind === 'handed-over');
  const plan = lastInForce(acts, 'plan');
  const consent = lastInForce(own, plan ? 'planAgreed' : 'consent');
  const cancel = lastInForce(acts, 'cancel');
  const isMoved = plan !== undefined || lastInForce(acts, 'postponed') !== undefined;
  return {
    holder: handedOver?.id ?? registration,
    consent: consent && { id: consent.id, at: consent.happenedAt },
    cancelled: cancel && {
      id: cancel.id,
      at: cancel.happenedAt,
      writtenAt: decisionOf('cancel', cancel).writtenAt,
      isWhole: decisionOf('cancel', cancel).whole === true,
    },
    isDisputed,
    trying,
    timing: isMoved ? undefined : timingOf(record),
  };
}

function timingOf({ terms, begunAt }: LedgerRecord): Timing {
  return { balance: terms.balance, begunAt };
}

function lastInForce(acts: readonly ActRow[], kind: string): ActRow | undefined {
  const last = acts.findLast((one) => one.kind === kind);
  return acts.some(({ undoes }) => last && undoes === last.id) ? undefined : last;
}

/** What an act changes, from the decisions before it. */
interface Change {
  act: ActRow;
  cause: Cause;
  context: LedgerContext;
  record: LedgerRecord;
  before: Decisions;
  /** The balance as it was agreed before. */
  priceBefore: number;
}

type Changes = Readonly<Partial<Record<string, (ledger: Ledger, change: Change) => Ledger>>>;

/** By the kind of the act; other kinds change no money. */
const CHANGES: Changes = {
  consent: agreeToTerms,
  planAgreed: (ledger, { cause, context }) => setRows(ledger, cause, context, inForce(ledger), true),
  held(ledger, { act, cause, context, record }) {
    const held = decisionOf('held', act);
    const holds = record.acts.filter(({ kind, id }) => kind === 'held' && id !== act.id).map(({ id }) => id);
    const deposit = ledger.installments.findLast(
      ({ number, madeBy }) => number === 0 && [ledger.registration, ...holds].includes(madeBy),
    );
    const change = held.cents - (deposit?.cents ?? held.cents);
    const rows = inForce(ledger).map((row) =>
      row.number === 0 ? { ...row, cents: Math.max(0, row.cents + change), dueAt: held.until } : row,
    );
    return setRows(ledger, cause, context, rows);
  },
  waived(ledger, { act, cause, context, record }) {
    const more = decisionOf('waived', act).cents - takenOff(record.acts, ledger);
    return more > 0 ? lower(ledger, cause, context, more) : raise(ledger, cause, context, 0 - more);
  },
  postponed: (ledger, { act, cause, context, before }) =>
    before.plan ? ledger : moveDue(ledger, cause, context, decisionOf('postponed', act).until),
  plan(ledger, { act, cause, context }) {
    const parts = decisionOf('plan', act).parts.map((part) => ({
      ...part,
      number: numberOfPart(part.number),
    }));
    return split(ledger, cause, context, (leftCents) => filled(parts, ledger, leftCents));
  },
  refund: (ledger, { act, cause, context }) =>
    giveBack(ledger, cause, context, decisionOf('refund', act).cents),
  checkSent(ledger, { act, cause, context }) {
    const { cents, sentAt } = decisionOf('checkSent', act);
    return sendByCheck(ledger, cause, context, cents, sentAt);
  },
  cancel: (ledger, { cause, context }) => cancelRows(ledger, cause, context),
  cancelled: (ledger, { cause, context }) => orderWhatGoesBack(ledger, cause, context),
  'handed-over': (ledger, { cause, context }) => setRows(ledger, cause, context, inForce(ledger)),
  received(ledger, { act, context }) {
    const { way: kind, cents, on: movedAt } = factsOfAct(act, 'received');
    return enter(ledger, { id: act.id, kind, cents, movedAt, payer: context.holder });
  },
};

/** The same for what an act takes back, by the kind of what it takes back. */
const WITHDRAWALS: Changes = {
  waived: (ledger, { cause, context, record }) =>
    raise(ledger, cause, context, takenOff(record.acts, ledger)),
  postponed: (ledger, { cause, context, before, record }) =>
    before.plan
      ? ledger
      : moveDue(ledger, cause, context, dueAfter(timingOf(record), depositPaidAt(ledger, record))),
  plan: (ledger, { cause, context, record, before }) =>
    split(ledger, cause, context, (cents) => [
      {
        number: BALANCE,
        cents,
        dueAt: before.postponed?.until ?? dueAfter(timingOf(record), depositPaidAt(ledger, record)),
      },
    ]),
  refund(ledger, { act, cause, context }) {
    const ordered = act.undoes ?? '';
    const isOnItsWay = ledger.payouts.some(
      ({ orderedBy, state }) => orderedBy === ordered && (state === 'claimed' || state === 'sent'),
    );
    refuseIf(isOnItsWay, 'It is on its way to her: what goes back to her card cannot be taken back.');
    return raise(withdrawOrders(ledger, ordered), cause, context, 0 - changeOf(ledger, ordered));
  },
  checkSent(ledger, { act, cause, context }) {
    const checks = ledger.payouts.filter(({ entry }) => entry?.startsWith(`${act.undoes}-`));
    return checks.reduce(
      (after, { id }) => failPayout(after, id, { ...cause, id: `${cause.id}-${id}` }, context),
      ledger,
    );
  },
  cancel: (ledger, { act, cause, context }) => undoCancel(ledger, cause, context, act.undoes ?? ''),
  received: (ledger, { act, cause }) => (act.undoes ? reverse(ledger, act.undoes, cause) : ledger),
};

/** Changes that wait for nothing: money that came or bounced, cancelling and its undo. */
const URGENT: readonly string[] = ['cancel', 'cancelled', 'received', 'checkSent'] satisfies (
  | DecisionKind
  | string
)[];

export function changesMoney({ kind }: Pick<ActRow, 'kind'>): boolean {
  return kind === WITHDRAWAL || CHANGES[kind] !== undefined;
}

/** What an act changes of a ledger; undefined for a kind that changes no money. */
export function changeOfAct(act: ActRow, record: LedgerRecord, priceBefore: number) {
  const undone = record.acts.find(({ id }) => id === act.undoes);
  const work = act.kind === WITHDRAWAL ? WITHDRAWALS[undone?.kind ?? ''] : CHANGES[act.kind];
  if (!work) return undefined;
  const kind = undone?.kind ?? act.kind;
  const movedAt = act.kind === 'received' ? factsOfAct(act, 'received').on : act.happenedAt;
  const cause: Cause = { id: act.id, at: movedAt, isUrgent: URGENT.includes(kind) };
  const context = contextOf(record);
  const before = readDecisions(record.acts.filter(({ id }) => id !== act.id));
  const change = { act, cause, context, record, before, priceBefore };
  return { cause, context, work: (ledger: Ledger) => work(ledger, change) };
}

/** She agrees to terms: to their balance, less what has been taken off since, and to their dates where no others were decided. */
function agreeToTerms(ledger: Ledger, { cause, context, record, priceBefore }: Change): Ledger {
  const { prices, balance } = record.terms;
  const change = prices.balanceBeforeFeeCents - priceBefore;
  const rows = inForce(ledger);
  const last = rows.toSorted((one, other) => +one.dueAt - +other.dueAt || one.number - other.number).at(-1);
  const agreed = rows.map((row) => {
    if (row.number === 0) return row;
    const dueAt = context.timing ? dueAfter(context.timing, depositPaidAt(ledger, record)) : row.dueAt;
    return {
      ...row,
      dueAt,
      cents: Math.max(0, row.cents + (row === last ? change : 0)),
      cardFeeBasisPoints: prices.cardFeePerMille * 10,
      refundableUntil: new Date(balance.refundsEndAt),
      feeRefundable: balance.feeRefundable ? (1 as const) : (0 as const),
    };
  });
  return setRows(ledger, cause, context, agreed, true);
}

/** When what pays the deposit came; when she began, while it is not paid. */
function depositPaidAt(ledger: Ledger, { begunAt }: LedgerRecord): Date {
  const paid = ledger.entries.filter(({ kind, number }) => kind === 'card' && number === 0);
  const otherwise = ledger.entries.filter(({ kind }) => kind === 'check' || kind === 'transfer');
  return (paid[0] ?? otherwise[0])?.movedAt ?? begunAt;
}

/** The parts that no card has paid, with what is left: the last one less, or the more. */
function filled(parts: readonly PlannedPart[], ledger: Ledger, leftCents: number): readonly PlannedPart[] {
  const open = parts.filter(({ number }) => !isPaidByCard(ledger, number));
  const missing = leftCents - sumOfCents(open);
  let less = Math.max(0, 0 - missing);
  const sized = open.toReversed().map((part, index) => {
    const cents = part.cents - Math.min(part.cents, less) + (index === 0 ? Math.max(0, missing) : 0);
    less -= Math.min(part.cents, less);
    return { ...part, cents };
  });
  return sized.toReversed().filter(({ cents }) => cents > 0);
}
