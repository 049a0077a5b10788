import type { LaterMailKind, MailOf } from '#server/mail/job.ts';
import type { Refund } from '#shared/content/tuition.ts';
import { HERSELF } from './acts.ts';
import { canUndoCancel, refundAt, undoUntil, workedOffFrom } from './cancel-plan.ts';
import { isDepositBack } from './charge-plan.ts';
import { factsOf, type LetterAt, sumsOf } from './letter-facts.ts';
import { orderOf, type RefundOnRecord, type RegistrationRecord, sumOf } from './registration-record.ts';
import { owedByCheck, stateOf } from './registration-state.ts';

/** Later than this the letter is no news to her, for example at an address that was corrected since. */
const UNDONE_TOLD_MS = 14 * 24 * 60 * 60 * 1000;

/**
 * When each letter about a cancellation or a refund is true, and what it says then. The office is notified of
 * a cancellation that she made on her page for as long as the decision stands.
 */
export const cancelLetters = {
  /** Until the cancellation is carried out. */
  'cancel-received'(record, now) {
    const told = stateOf(record, now) === 'cancelling' && cancellingOf(record, now);
    return told ? { kind: 'cancel-received', ...factsOf(record), ...told } : undefined;
  },

  /** Only of a cancellation on her page: the office is not notified of what it recorded itself. */
  'office-cancel'(record, now) {
    const told = record.decisions.cancel?.onPage && cancellingOf(record, now);
    return told ? { kind: 'office-cancel', ...factsOf(record), ...told } : undefined;
  },

  /** For two weeks, unless she cancels again or the retreat is over. */
  'cancel-undone'(record, now) {
    const told = undoneOf(record, now);
    return told && { kind: 'cancel-undone', ...factsOf(record), ...told };
  },

  'office-cancel-undone'(record, now) {
    const told = cancelWithdrawn(record)?.by === HERSELF ? undoneOf(record, now) : undefined;
    return told && { kind: 'office-cancel-undone', ...factsOf(record), ...told };
  },

  /** Once Stripe has the refund, if there is one. A failed refund has a letter of its own, and so has that of a second payment. */
  cancelled(record) {
    const { cancelled, decisions } = record;
    if (!isPaid(record) || !cancelled || cancelled.refund === 'failed') return undefined;
    if (decisions.cancel?.secondOf !== undefined) return undefined;
    if (cancelled.cents > 0 && !cancelled.refund) return undefined;
    return {
      kind: 'cancelled',
      ...factsOf(record),
      at: cancelled.at.toISOString(),
      cardCents: cancelled.cents,
      checkCents: cancelled.checkCents,
      lines: linesOfCancelled(record, cancelled),
      ...cardOf(record),
      ...(decisions.cancel && { writtenAt: decisions.cancel.writtenAt.toISOString() }),
    };
  },

  /**
   * For a failed refund of a cancellation or an exception, until the office has sent the check; not during a
   * dispute.
   */
  'refund-failed'(record) {
    const failed = record.refunds.filter(({ order, status }) => status === 'failed' && order);
    const cents = Math.min(owedByCheck(record), sumOf(failed));
    if (!isPaid(record) || record.disputed || cents === 0) return undefined;
    const card = cardOfRefunds(failed, record);
    const refund = failed.map(({ id }) => id).join(' ');
    return { kind: 'refund-failed', ...factsOf(record), refund, cents, ...(card && { card }) };
  },

  /**
   * As long as the decision stands. Of an exception and a check, the one that was recorded last: the day on
   * which a check was sent lies before its record.
   */
  'refund-made'(record) {
    if (!isPaid(record)) return undefined;
    const { checkSent } = record.decisions;
    const exception = exceptionOf(record);
    const isCheckLast = !exception || (checkSent && checkSent.at > new Date(exception.madeAt));
    const last = isCheckLast ? checkOf(record) : exception;
    return last && { kind: 'refund-made', ...factsOf(record), ...last };
  },
} satisfies { [Kind in LaterMailKind]?: LetterAt<Kind> };

type GivenBack = Pick<MailOf<'refund-made'>, 'at' | 'cents' | 'by' | 'madeAt' | 'card'>;

/** Her cancellation and its present result; undefined when she has not cancelled, but only a second payment goes back. */
function cancellingOf(record: RegistrationRecord, now: Date) {
  const { cancel } = record.decisions;
  if (!isPaid(record) || !cancel || cancel.secondOf !== undefined) return undefined;
  const refund = refundAt(record, cancel.writtenAt);
  const from = workedOffFrom(record);
  return {
    at: cancel.at.toISOString(),
    writtenAt: cancel.writtenAt.toISOString(),
    ...sumsBackOf(refund),
    ...(refund.byCardCents > 0 && cardOf(record)),
    ...(cancel.onPage && { onPage: cancel.onPage }),
    ...undoOf(record, now),
    ...(from && from > now && !record.cancelled && { workedOffFrom: from.toISOString() }),
    isDisputed: record.disputed,
  };
}

function undoOf(record: RegistrationRecord, now: Date): { undoUntil?: string } {
  const until = undoUntil(record);
  if (!until || !canUndoCancel(record, now)) return {};
  const endsAt = new Date(record.edition.facts.endsAt);
  return { undoUntil: (until < endsAt ? until : endsAt).toISOString() };
}

function sumsBackOf({ byCardCents: cardCents, byCheckCents: checkCents, lines }: Refund) {
  return { cardCents, checkCents, lines: [...lines] };
}

/**
 * The lines of the refund as they added up then; empty where later changes, such as another refund, alter
 * them.
 */
function linesOfCancelled(
  record: RegistrationRecord,
  { at, cents, checkCents }: NonNullable<RegistrationRecord['cancelled']>,
): MailOf<'cancelled'>['lines'] {
  const { cancel } = record.decisions;
  if (!cancel) return [];
  const refunds = record.refunds.filter((refund) => refund.at <= at);
  const {
    cardCents,
    checkCents: byCheck,
    lines,
  } = sumsBackOf(refundAt({ ...record, refunds }, cancel.writtenAt));
  return cardCents === cents && byCheck === checkCents ? lines : [];
}

/** The last cancellation, if it was undone. */
function cancelWithdrawn({ decisions }: RegistrationRecord) {
  return decisions.cancel ? undefined : decisions.withdrawn.find(({ kind }) => kind === 'cancel');
}

function undoneOf(record: RegistrationRecord, now: Date) {
  const withdrawn = cancelWithdrawn(record);
  const isOver = now >= new Date(record.edition.facts.endsAt);
  if (!withdrawn || !isPaid(record) || record.cancelled || isOver || isDepositBack(record)) return undefined;
  if (now.getTime() - withdrawn.at.getTime() > UNDONE_TOLD_MS) return undefined;
  const at = withdrawn.at.toISOString();
  const isSettled = stateOf(record, now) === 'settled';
  const standing = isSettled ? 'paid' : record.decisions.check ? 'by-check' : 'owed';
  return { at, ...sumsOf(record), standing } as const;
}

/**
 * The exceptional refund that the office decided on, or that of a second payment, once all of it is on its way to her
 * card.
 */
function exceptionOf(record: RegistrationRecord): GivenBack | undefined {
  const { cancel, refund: exception } = record.decisions;
  const second = cancel?.secondOf === undefined ? undefined : { ...cancel, cents: record.cancelled?.cents };
  const refund = second ?? exception;
  if (refund?.cents === undefined) return undefined;
  const order = orderOf(second ? 'cancel' : 'refund', refund);
  const made = record.refunds.filter((one) => one.order === order);
  const cents = sumOf(made);
  const last = made.at(-1);
  if (!last || cents < refund.cents || made.some(({ status }) => status === 'failed')) return undefined;
  const card = cardOfRefunds(made, record);
  return {
    at: refund.at.toISOString(),
    cents,
    by: 'card',
    madeAt: last.at.toISOString(),
    ...(card && { card }),
  };
}

function checkOf({ decisions: { checkSent } }: RegistrationRecord): GivenBack | undefined {
  if (!checkSent) return undefined;
  const { at, cents, sentAt } = checkSent;
  return { at: at.toISOString(), cents, by: 'check', madeAt: sentAt.toISOString() };
}

/** The card to which refunds go; undefined where they go to two cards. */
function cardOfRefunds(refunds: readonly RefundOnRecord[], { balance, depositCard }: RegistrationRecord) {
  const cards = refunds.map(({ of }) => (of === 'balance' ? balance?.paidWith : depositCard));
  const [first] = cards;
  return cards.every((card) => card?.brand === first?.brand && card?.last4 === first?.last4)
    ? first
    : undefined;
}

/** The card that was charged for the balance. */
function cardOf({ balance }: RegistrationRecord) {
  return balance?.paidWith ? { card: balance.paidWith } : {};
}

function isPaid({ deposit }: RegistrationRecord): boolean {
  return deposit === 'paid';
}
