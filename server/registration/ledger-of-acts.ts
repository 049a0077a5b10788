import type { ActRow } from '#server/database/database.ts';
import type { BalanceTerms, Facts } from '#shared/content/edition.ts';
import { balanceDueAt } from '#shared/content/moments.ts';
import { WITHDRAWAL } from './act-kinds.ts';
import { actsOfHolder, agreedTermsOf, factsOfAct, lastInForce, type NewAct, readReceived } from './acts.ts';
import { cancelRows, changeLedger, failPayout, urgent } from './change-ledger.ts';
import { readDecisions, takenOff, withSums } from './decisions.ts';
import { depositStandingOf } from './deposit.ts';
import {
  type Asked,
  type Change,
  dueAfter,
  type LedgerContext,
  type LedgerRecord,
  moveDue,
  raise,
  refuseIf,
  setRows,
  split,
} from './installments.ts';
import { byDay, changeOf, enter, inForce, isPaidByCard, type Ledger, reverse, sumOfCents } from './ledger.ts';
import { giveBack, orderWhatGoesBack, sendByCheck, withdrawOrders } from './payouts.ts';
import type { RegistrationRecord } from './registration-record.ts';

/** The number of the whole balance, while it is not paid in parts; that of the deposit is 0. */
export const BALANCE = 1;

export function beginLedger(
  { registration, begunAt }: Pick<LedgerRecord, 'registration' | 'begunAt'>,
  { prices, balance }: Pick<Facts, 'prices' | 'balance'>,
): Ledger {
  const { depositBeforeFeeCents: cents, depositCents, balanceBeforeFeeCents } = prices;
  const like = { ...termsOfRow({ prices, balance }), cardFeeCents: 0, agreedIn: null, reliefCents: 0 };
  const dueAt = balanceDueAt({ balance }, begunAt);
  const rest: Asked = { ...like, number: BALANCE, cents: balanceBeforeFeeCents, dueAt };
  const neverBack = { refundableUntil: null, feeRefundable: 0 as const };
  const ofDeposit = { number: 0, cents, cardFeeCents: depositCents - cents, dueAt: begunAt };
  const deposit: Asked = { ...like, ...neverBack, ...ofDeposit };
  const empty: Ledger = { registration, installments: [], entries: [], payouts: [] };
  const context = contextOf({ registration, begunAt, acts: [], terms: { prices, balance }, trying: [] });
  return setRows(empty, urgent(context, registration, begunAt), [deposit, rest]);
}

function termsOfRow({ prices, balance }: BalanceTerms) {
  return {
    cardFeeBasisPoints: prices.cardFeePerMille * 10,
    refundableUntil: new Date(balance.refundsEndAt),
    feeRefundable: balance.feeRefundable ? (1 as const) : (0 as const),
  };
}

/** What changes of a ledger depend on. An act of another kind that cannot be read prevents none of them. */
export function contextOf(record: LedgerRecord): LedgerContext {
  const { registration, acts } = record;
  const plan = lastInForce(acts, 'plan');
  const consent = lastInForce(actsOfHolder(acts), plan ? 'planAgreed' : 'consent');
  const cancel = lastInForce(acts, 'cancel');
  return {
    ...record,
    holder: acts.findLast(({ kind }) => kind === 'handed-over')?.id ?? registration,
    consent: consent && { id: consent.id, at: consent.happenedAt },
    cancelled: cancel && { ...factsOfAct(cancel, 'cancel'), id: cancel.id },
    isDueByTerms: !plan && !lastInForce(acts, 'postponed'),
  };
}

interface ChangeByAct extends Change {
  act: ActRow;
  undoes: string;
}

type Changes = Readonly<Partial<Record<string, (ledger: Ledger, change: ChangeByAct) => Ledger>>>;

/** By the kind of the act; other kinds change no money. */
const CHANGES: Changes = {
  consent: agreeToTerms,
  planAgreed: (ledger, change) => setRows(ledger, change, inForce(ledger), true),
  held(ledger, change) {
    const { cents, until } = factsOfAct(change.act, 'held');
    const holds = change.acts.filter(({ kind }) => kind === 'held').map(({ id }) => id);
    const before = ledger.installments.findLast(
      ({ number, madeBy }) => number === 0 && [ledger.registration, ...holds].includes(madeBy),
    );
    const more = cents - (before?.cents ?? cents);
    const rows = inForce(ledger).map((row) =>
      row.number === 0 ? { ...row, cents: Math.max(0, row.cents + more), dueAt: until } : row,
    );
    return setRows(ledger, change, rows);
  },
  waived: (ledger, change) =>
    raise(ledger, change, takenOff(change.acts, ledger) - factsOfAct(change.act, 'waived').cents),
  postponed: (ledger, change) =>
    lastInForce(change.acts, 'plan')
      ? ledger
      : moveDue(ledger, change, factsOfAct(change.act, 'postponed').until),
  plan(ledger, change) {
    const open = factsOfAct(change.act, 'plan').parts.filter(({ number }) => !isPaidByCard(ledger, number));
    return split(ledger, change, open);
  },
  refund: (ledger, change) => giveBack(ledger, change, factsOfAct(change.act, 'refund').cents),
  checkSent(ledger, change) {
    const { cents, sentAt } = factsOfAct(change.act, 'checkSent');
    return sendByCheck(ledger, change, cents, sentAt);
  },
  cancel: cancelRows,
  cancelled: orderWhatGoesBack,
  'handed-over': (ledger, change) => setRows(ledger, change, inForce(ledger)),
  received(ledger, change) {
    const { way: kind, cents } = factsOfAct(change.act, 'received');
    return enter(ledger, change, { kind, cents, payer: change.holder });
  },
};

/** The same for what an act takes back, by the kind of what it takes back. */
const WITHDRAWALS: Changes = {
  waived: (ledger, change) => raise(ledger, change, takenOff(change.acts, ledger)),
  postponed: (ledger, change) =>
    lastInForce(change.acts, 'plan') ? ledger : moveDue(ledger, change, dueByTerms(ledger, change)),
  plan(ledger, change) {
    const postponed = lastInForce(change.acts, 'postponed');
    const dueAt = postponed ? factsOfAct(postponed, 'postponed').until : dueByTerms(ledger, change);
    return split(ledger, change, [{ number: BALANCE, cents: 0, dueAt }]);
  },
  refund(ledger, change) {
    const isOnItsWay = ledger.payouts.some(
      ({ orderedBy, state }) => orderedBy === change.undoes && (state === 'claimed' || state === 'sent'),
    );
    refuseIf(isOnItsWay, 'It is on its way to her: what goes back to her card cannot be taken back.');
    return raise(withdrawOrders(ledger, change.undoes), change, 0 - changeOf(ledger, change.undoes));
  },
  checkSent(ledger, change) {
    const checks = ledger.payouts.filter(({ entry }) => entry?.startsWith(`${change.undoes}-`));
    return checks.reduce(
      (after, { id }) => failPayout(after, { ...change, id: `${change.id}-${id}` }, id),
      ledger,
    );
  },
  cancel(ledger, change) {
    const rows = ledger.installments.filter(({ replacedBy }) => replacedBy === change.undoes);
    return setRows(withdrawOrders(ledger, change.undoes), change, rows);
  },
  received: (ledger, change) => reverse(ledger, change, change.undoes),
};

/** Changes that wait for nothing: money that came or bounced, cancelling and its undo. */
const URGENT: readonly string[] = ['cancel', 'cancelled', 'received', 'checkSent'];

export function changesMoney({ kind }: Pick<ActRow, 'kind'>): boolean {
  return kind === WITHDRAWAL || CHANGES[kind] !== undefined;
}

/** @param record with the act as the last one @throws {LedgerRefusal} when it is not possible now */
export function ledgerAfterAct(ledger: Ledger, act: ActRow, record: LedgerRecord): Ledger {
  const undone = record.acts.find(({ id }) => id === act.undoes);
  const work = act.kind === WITHDRAWAL ? WITHDRAWALS[undone?.kind ?? ''] : CHANGES[act.kind];
  if (!work) return ledger;
  const at = act.kind === 'received' ? factsOfAct(act, 'received').on : act.happenedAt;
  const isUrgent = URGENT.includes(undone?.kind ?? act.kind);
  const change = { ...contextOf(record), id: act.id, at, isUrgent, act, undoes: act.undoes ?? '' };
  return changeLedger(ledger, change, work);
}

/** To the balance of the terms, less what was taken off since, and to their dates where no others hold. */
function agreeToTerms(ledger: Ledger, change: ChangeByAct): Ledger {
  const { terms, termsBefore, registration } = change;
  const first = ledger.installments.filter(({ number, madeBy }) => number > 0 && madeBy === registration);
  const before = termsBefore?.prices.balanceBeforeFeeCents ?? sumOfCents(first);
  const rows = inForce(ledger);
  const last = byDay(rows).at(-1);
  const agreed = rows.map((row) => {
    if (row.number === 0) return row;
    const dueAt = change.isDueByTerms ? dueByTerms(ledger, change) : row.dueAt;
    const more = row === last ? terms.prices.balanceBeforeFeeCents - before : 0;
    return { ...row, ...termsOfRow(terms), dueAt, cents: Math.max(0, row.cents + more) };
  });
  return setRows(ledger, change, agreed, true);
}

/** When the balance is due: by when what pays the deposit came, or by when she began, while it is not paid. */
function dueByTerms({ entries }: Ledger, record: LedgerRecord): Date {
  const card = entries.find(({ kind, number }) => kind === 'card' && number === 0);
  const paid = card ?? entries.find(({ kind }) => kind === 'check' || kind === 'transfer');
  return dueAfter(record, paid?.movedAt ?? record.begunAt);
}

/** After an act that is not recorded yet. @throws {LedgerRefusal} when it is not possible now */
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
  const ledger = ledgerAfterAct(record.ledger, act, { ...record.context, acts });
  const isOnePlace = kind === 'cancel' || kind === 'twoPeople';
  return {
    ...withWhatFollows({ ...record, acts, ledger, trying: record.context.trying }),
    disputed: record.disputed && kind !== 'disputeOver',
    paidTwice: isOnePlace ? undefined : record.paidTwice,
  };
}

/** A registration with what follows from its acts and its ledger. */
export function withWhatFollows<
  Of extends Pick<
    RegistrationRecord,
    'id' | 'begunAt' | 'edition' | 'acts' | 'ledger' | 'depositPayment' | 'registrant'
  > & { trying: LedgerRecord['trying'] },
>({ trying, ...record }: Of) {
  const { id, begunAt, edition, acts, ledger, depositPayment: payment, registrant } = record;
  const agreed = agreedTermsOf(edition, acts);
  const context = contextOf({ registration: id, begunAt, acts, terms: agreed ?? edition.facts, trying });
  const decisions = withSums(readDecisions(acts), acts, ledger);
  const received = readReceived(acts, ledger.entries);
  const isBlank = registrant.email === '';
  const deposit = depositStandingOf({ ledger, context, decisions, received, payment, isBlank });
  return { ...record, agreed, context, decisions, received, ...deposit };
}
