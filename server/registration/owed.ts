import { type AmountsPaid, type Balance, type PaidBalance, sumsOf } from '#shared/content/tuition.ts';
import { beforeCardFee, cardFeeCents } from '#shared/money.ts';
import type { BalancePayment } from './balance-payment.ts';
import { balanceTermsOf, type PaidCard } from './card-on-file.ts';
import {
  coveredDeposit,
  type DepositOwed,
  divideForDeposit,
  divideReceived,
  owedOfDeposit,
  type ReceivedPart,
  sumOfParts,
  wholePart,
} from './received.ts';
import type { Noticed, Part, RefundOnRecord, RegistrationRecord } from './registration-record.ts';

/**
 * What is to be paid next: the part of her plan, or what is left to pay after the deposit, less what is waived, what came by
 * check or transfer, and what her card paid of an earlier plan.
 */
export function balanceOfRecord(record: RegistrationRecord): Balance {
  if (record.part) return sumsOf(record.part);
  const { cardFeePerMille } = balanceTermsOf(record).prices;
  const beforeFeeCents = leftOfBalance(record);
  return sumsOf({ beforeFeeCents, feeCents: cardFeeCents(beforeFeeCents, cardFeePerMille) });
}

/** All that is left to pay after the deposit: of a payment plan all parts that are not paid. */
export function leftToPay(record: RegistrationRecord): Balance {
  const unpaid = partsOf(record).filter(({ balance }) => balance?.status !== 'paid');
  const total = { beforeFeeCents: 0, feeCents: 0 };
  for (const part of unpaid.map(balanceOfRecord)) {
    total.beforeFeeCents += part.beforeFeeCents;
    total.feeCents += part.feeCents;
  }
  return sumsOf(total);
}

/** What is left of the balance before its fee, in US cents; what its own payment has paid is not subtracted. */
function leftOfBalance(record: RegistrationRecord): number {
  const others = paidCents(record.otherBalances);
  const asked = owedOfBalance(record) + askedAgain(record);
  return Math.max(0, asked - sumOfParts(partsOfBalance(record)) - others);
}

/** What had gone back to her when a payment ceased to count, in US cents: it is asked of her beside the balance. */
export function askedAgain({ received }: Pick<RegistrationRecord, 'received'>): number {
  return Math.max(0, ...received.takenBack.map(({ givenBack = 0 }) => givenBack));
}

/** What neither cards nor checks have paid of the balance, before its fee, in US cents. */
function missingCents(record: RegistrationRecord): number {
  const came = sumOfParts(partsOfBalance(record)) + paidCents(balancesOf(record));
  return Math.max(0, owedOfBalance(record) + askedAgain(record) - came);
}

/**
 * Whether something is missing of a balance that was paid. Without terms on record its price is the edition's, which may have
 * changed since: then only what was taken back, or less taken off the tuition, can be missing.
 */
function isMissingAgain(record: RegistrationRecord): boolean {
  const { agreed, received, decisions } = record;
  const isReduced = decisions.waived ?? decisions.withdrawn.find(({ kind }) => kind === 'waived');
  const isKnown = agreed !== undefined || received.takenBack.length > 0 || isReduced !== undefined;
  return isKnown && missingCents(record) > 0;
}

/**
 * Whether what is left to pay comes by check: as decided, or because her card has paid the balance, and a check that had paid a
 * part of it bounced, or less is taken off the tuition than before. The payment of the balance cannot succeed twice, and what
 * went back to her is no part of it; the parts of a plan for the rest have payments of their own.
 */
export function isRestByCheck(record: RegistrationRecord): boolean {
  const { decisions, otherBalances, part: next } = record;
  const isPaidWhole = otherBalances.some(({ part = 0, status }) => part === 0 && status === 'paid');
  return decisions.check !== undefined || (next === undefined && (isPaidWhole || askedAgain(record) > 0));
}

/** What card payments have paid of the balance before its fee, in US cents. */
function paidCents(balances: readonly BalancePayment[]): number {
  return balances.reduce((sum, { paidAt, beforeFeeCents }) => sum + (paidAt ? beforeFeeCents : 0), 0);
}

/** The payments of the balance by card, the oldest first. */
export function paidBalances(record: RegistrationRecord): readonly PaidByCard[] {
  const paid = balancesOf(record).flatMap(({ paidAt, ...one }) => (paidAt ? { ...one, paidAt } : []));
  return paid.toSorted((one, other) => one.paidAt.getTime() - other.paidAt.getTime());
}
type PaidByCard = BalancePayment & { paidAt: Date };

/** The card with which she paid the balance; undefined if there was none, or more than one. */
export function cardOfBalance(record: RegistrationRecord): PaidCard | undefined {
  return theOneOf(paidBalances(record).map(({ paidWith }) => paidWith));
}

/** The card that all of these are; undefined where they are not the same. */
export function theOneOf(cards: readonly (PaidCard | undefined)[]): PaidCard | undefined {
  const [first] = cards;
  return cards.every((card) => card?.brand === first?.brand && card?.last4 === first?.last4)
    ? first
    : undefined;
}

export function balancesOf({ balance, otherBalances }: RegistrationRecord): readonly BalancePayment[] {
  return balance ? [balance, ...otherBalances] : otherBalances;
}

/** The balance before its fee, less what is waived, whether or not it is paid, in US cents. */
function owedOfBalance(record: RegistrationRecord): number {
  const { balanceBeforeFeeCents } = balanceTermsOf(record).prices;
  return Math.max(0, balanceBeforeFeeCents - (record.decisions.waived?.cents ?? 0));
}

/** What came by check or transfer for the balance, or beyond it. */
export function partsOfBalance(record: RegistrationRecord): readonly ReceivedPart[] {
  const owed = depositOwedOf(record);
  return owed ? divideForDeposit(owed).rest : record.received.counting.map(wholePart);
}

/** What decides whether the deposit is paid without a card; undefined once a card paid it. */
export function depositOwedOf(record: RegistrationRecord): DepositOwed | undefined {
  const { depositDueCents: dueCents, decisions, received } = record;
  const { prices } = balanceTermsOf(record);
  return dueCents === undefined ? undefined : { dueCents, prices, decisions, received };
}

/** What is left of the deposit that no card has paid, before the card fee, in US cents: 0 once it is paid. */
export function depositLeftOf(record: RegistrationRecord): number {
  const owed = depositOwedOf(record);
  if (!owed || record.deposit === 'paid') return 0;
  return owedOfDeposit(owed) - sumOfParts(divideForDeposit(owed).taken);
}

/** What the deposit is by card, with the card fee, in US cents: the edition's, unless a part of it is not asked of her. */
export function depositByCardOf(record: RegistrationRecord): number {
  const { prices } = record.edition.facts;
  const owed = depositOwedOf(record);
  const cents = owed ? owedOfDeposit(owed) : prices.depositBeforeFeeCents;
  if (cents === prices.depositBeforeFeeCents) return prices.depositCents;
  return cents + cardFeeCents(cents, prices.cardFeePerMille);
}

/** Whether a card can pay the deposit: its payment is open or not made yet, and nothing came for it otherwise. */
export function canPayDeposit({ depositPayment, received }: RegistrationRecord): boolean {
  const isOpen = depositPayment === undefined || depositPayment.status === 'open';
  return isOpen && received.counting.length === 0;
}

/** A registration as it is after its decisions, or what came, were changed. */
export function afterChange(record: RegistrationRecord): RegistrationRecord {
  const owed = depositOwedOf(record);
  if (!owed || record.deposit === 'closed') return withNextPart(record);
  const { cents: depositCents = 0, paidAt } = coveredDeposit(owed) ?? {};
  return withNextPart({ ...record, deposit: paidAt ? 'paid' : 'unpaid', depositCents, paidAt });
}

/** The parts of her plan, each as a registration whose balance is that part; without a plan the registration itself. */
export function partsOf(record: RegistrationRecord): readonly RegistrationRecord[] {
  return plannedParts(record)?.map((part) => withPart(record, part)) ?? [record];
}

/** The number of the part of a payment plan that is to be paid; 0 without a plan. */
export function partNumber({ part }: RegistrationRecord): number {
  return part?.number ?? 0;
}

export function withNextPart(record: RegistrationRecord): RegistrationRecord {
  const parts = plannedParts(record);
  const next = parts?.find(({ number, beforeFeeCents }) => beforeFeeCents > 0 && !paidPart(record, number));
  return withPart(record, next ?? parts?.at(-1));
}

function withPart(record: RegistrationRecord, part: Part | undefined): RegistrationRecord {
  const [balances, notices] = [balancesOf(record), noticesOf(record)];
  const isOfPart = (one: { part?: number | undefined }) => (one.part ?? 0) === (part?.number ?? 0);
  const [found, noticed] = [balances.find(isOfPart), notices.find(isOfPart)];
  // What is missing of a balance that is paid is left to pay beside that payment.
  const balance = part || found?.status !== 'paid' || !isMissingAgain(record) ? found : undefined;
  return {
    ...record,
    part,
    balance,
    noticed,
    otherBalances: balances.filter((one) => one !== balance),
    otherNotices: notices.filter((one) => one !== noticed),
  };
}

/** The notices of the charges of her balance, of all parts of her plans too. */
export function noticesOf({ noticed, otherNotices }: RegistrationRecord): readonly Noticed[] {
  return noticed ? [noticed, ...otherNotices] : otherNotices;
}

function paidPart(record: RegistrationRecord, number: number): BalancePayment | undefined {
  return balancesOf(record).find(({ part = 0, status }) => part === number && status === 'paid');
}

/**
 * The parts of her plan as they are asked for now, in the order of their dates; undefined without one, and
 * while she pays by check. What came or was taken off counts for the earliest unpaid parts; what is to be
 * paid again is added to the last.
 */
function plannedParts(record: RegistrationRecord): readonly Part[] | undefined {
  const { plan, check } = record.decisions;
  if (!plan || check) return undefined;
  let left = missingCents(record);
  if (isMissingAgain(record) && plan.parts.every(({ number }) => paidPart(record, number))) return undefined;
  const asked = plan.parts.toReversed().map(({ cents, ...part }) => {
    const paidBy = paidPart(record, part.number);
    if (paidBy) return { ...part, beforeFeeCents: paidBy.beforeFeeCents };
    const beforeFeeCents = Math.min(left, cents);
    left -= beforeFeeCents;
    return { ...part, beforeFeeCents };
  });
  const last = asked.find(({ number }) => !paidPart(record, number));
  const { cardFeePerMille } = balanceTermsOf(record).prices;
  let untilThis = 0;
  return asked.toReversed().map((part, index) => {
    const beforeFeeCents = part.beforeFeeCents + (part.number === last?.number ? left : 0);
    const before = cardFeeCents(untilThis, cardFeePerMille);
    untilThis += beforeFeeCents;
    const feeCents = cardFeeCents(untilThis, cardFeePerMille) - before;
    return { ...part, position: index + 1, count: plan.parts.length, beforeFeeCents, feeCents };
  });
}

/** As a refund is calculated from it; without what is beyond the balance, see `surplusOf`. */
export function paymentsOf(record: RegistrationRecord): AmountsPaid {
  const { depositCents } = record;
  const cards = cardPaymentsOf(record);
  const cardCents = cards.reduce((sum, { beforeFeeCents }) => sum + beforeFeeCents, 0);
  const { taken } = divideForBalance(record, cardCents);
  const received = taken.map(({ way: by, ofCents: beforeFeeCents, on: at }) => ({
    by,
    beforeFeeCents,
    feeCents: 0,
    at,
    refundedCents: 0,
  }));
  return { depositCents, balance: [...cards, ...received] };
}

/** Divides what came by check or transfer for a balance of which her card paid so many US cents. */
function divideForBalance(record: RegistrationRecord, cardCents: number) {
  const wanted = Math.max(0, owedOfBalance(record) - cardCents);
  return divideReceived(partsOfBalance(record), wanted);
}

/** What her card paid of the balance; nothing where that went back, so that what came otherwise is what paid it. */
function cardPaymentsOf(record: RegistrationRecord): readonly PaidBalance[] {
  const paid = paidBalances(record);
  const cardCents = paidCents(paid);
  const backCents = balanceBackCents(record);
  if (partsOfBalance(record).length > 0 && backCents >= cardCents) return [];
  const owedCents = owedOfBalance(record);
  // What went back to her card is first what she had paid beyond the balance.
  let refundedCents = Math.max(0, backCents - beyondBalanceOf(record));
  let leftCents = owedCents;
  const { balanceOpen = false, paidParts = [] } = record.decisions.cancel ?? {};
  return paid.map(({ id, beforeFeeCents, cents, paidAt: at }) => {
    const [ofOwed, ofRefunded] = [Math.min(beforeFeeCents, leftCents), Math.min(cents, refundedCents)];
    leftCents -= ofOwed;
    refundedCents -= ofRefunded;
    const feeCents = cents - beforeFeeCents;
    const wasOpen = balanceOpen && !paidParts.includes(id) && { wasOpen: balanceOpen };
    return { by: 'card', beforeFeeCents: ofOwed, feeCents, at, refundedCents: ofRefunded, ...wasOpen };
  });
}

/**
 * What she paid beyond what she owes and has not got back, in US cents without card fees: a check beside a balance that
 * her card paid, one of more than was left, or what is not asked of her since she paid it. It is hers whatever the policy
 * says of a cancellation.
 */
export function surplusOf(record: RegistrationRecord): number {
  const { beyondCents, backCents } = beyondOf(record);
  return Math.max(0, beyondCents - backCents);
}

/** What she paid beyond what she owes, and what went back to her card, which counts for it first, in US cents. */
export function beyondOf(record: RegistrationRecord): { beyondCents: number; backCents: number } {
  const [beyondCents, backCents] = [beyondBalanceOf(record), balanceBackCents(record)];
  const ofDeposit = record.deposit === 'paid' ? beyondDepositOf(record) : 0;
  if (ofDeposit === 0) return { beyondCents, backCents };
  return {
    beyondCents: beyondCents + ofDeposit,
    backCents: backCents + refundedCentsOf(record, 'deposit'),
  };
}

/** What came beyond the balance, as much as came, in US cents; what went back is not subtracted. */
function beyondBalanceOf(record: RegistrationRecord): number {
  const cardCents = paidCents(balancesOf(record));
  const { rest } = divideForBalance(record, cardCents);
  return Math.max(0, cardCents - owedOfBalance(record)) + sumOfParts(rest);
}

/** How much of the deposit is not asked of her, in US cents: what the scholarship is beyond the balance. */
export function notAskedOfDeposit(record: RegistrationRecord): number {
  const { balanceBeforeFeeCents } = balanceTermsOf(record).prices;
  return Math.max(0, (record.decisions.waived?.cents ?? 0) - balanceBeforeFeeCents);
}

/** What her card paid of the deposit beyond what is asked of her; what came otherwise is divided by `divideForDeposit`. */
function beyondDepositOf(record: RegistrationRecord): number {
  const { depositDueCents, decisions, paidAt } = record;
  const { waived, held } = decisions;
  const notAsked = notAskedOfDeposit(record);
  if (depositDueCents !== undefined || notAsked === 0 || !waived) return 0;
  const paidCents = depositBeforeFee(record);
  // What she paid after that was less by it already.
  const isLess = held !== undefined && paidAt !== undefined && paidAt >= waived.at;
  return isLess ? Math.max(0, paidCents - Math.max(0, held.cents - notAsked)) : Math.min(paidCents, notAsked);
}

/** What the deposit that was paid is of the tuition, in US cents: without its card fee. */
export function depositBeforeFee(record: RegistrationRecord): number {
  const { depositCents, edition } = record;
  const owed = depositOwedOf(record);
  if (owed) return owedOfDeposit(owed);
  const { prices } = edition.facts;
  if (depositCents === prices.depositCents) return prices.depositBeforeFeeCents;
  return beforeCardFee(depositCents, balanceTermsOf(record).prices.cardFeePerMille);
}

/** How much of a balance that her card paid is gone, apart from what her cancellation gave back, in US cents. */
export function balanceBackCents({
  refunds,
  decisions,
}: Pick<RegistrationRecord, 'refunds' | 'decisions'>): number {
  const ownOrder = decisions.cancel && orderOf('cancel', decisions.cancel);
  const before = refunds.filter(({ order }) => order === undefined || order !== ownOrder);
  return refundedCentsOf({ refunds: before, decisions }, 'balance');
}

/**
 * How much of a payment is gone, in US cents: refunds, also pending ones; failed refunds that this site made,
 * since a check replaces them; and what her bank took back. A refund that failed because her bank took the
 * money back counts once.
 */
export function refundedCentsOf(
  { refunds, decisions }: Pick<RegistrationRecord, 'refunds' | 'decisions'>,
  payment: RefundOnRecord['of'],
): number {
  const some = refunds.filter(({ of }) => of === payment);
  const failed = some.filter(({ order, status }) => status === 'failed' && order !== undefined);
  return sumByCard(some) + Math.max(sumOf(failed), decisions.disputeOver?.lost?.[payment] ?? 0);
}

/** The sum of the refunds that did not fail, in US cents. */
export function sumByCard(refunds: readonly RefundOnRecord[]): number {
  return sumOf(refunds.filter(({ status }) => status !== 'failed'));
}

export function sumOf(refunds: readonly Pick<RefundOnRecord, 'cents'>[]): number {
  return refunds.reduce((sum, { cents }) => sum + cents, 0);
}

/** The name of the refund that a decision asks for, the same in every process that carries it out. */
export function orderOf(kind: string, { at }: { at: Date }): string {
  return `${kind} ${at.toISOString()}`;
}
