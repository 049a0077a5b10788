import type { PaymentRow, RefundRow } from '#server/database/schema.ts';
import { addressDigest } from '#server/mail/digests.ts';
import type { EndedLetter } from '#server/mail/letter-log.ts';
import type { BalanceTerms, Edition } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { type AmountsPaid, type Balance, balanceOf, type PaidBalance } from '#shared/content/tuition.ts';
import { beforeCardFee, cardFeeCents } from '#shared/money.ts';
import { HERSELF } from './acts.ts';
import { type Answer, type HealthAct, healthActsOf, readAnswers } from './answers.ts';
import { type BalancePayment, balanceInForce, readBalance } from './balance-payment.ts';
import { type Bounced, parseBounced } from './bounce-mark.ts';
import { type CardOnFile, type PaidCard, readCard } from './card-on-file.ts';
import { type Decisions, readDecisions } from './decisions.ts';
import { type Letters, lettersOf } from './deposit-letters.ts';
import {
  coveredDeposit,
  type DepositOwed,
  depositStandingOf,
  divideForDeposit,
  owedOfDeposit,
} from './deposit-standing.ts';
import { type DisputeOnRecord, disputesOf, isDisputed } from './disputes.ts';
import { type Note, notesOf } from './notes.ts';
import {
  ACTS,
  type Agreement,
  actsOfHolder,
  agreedBalanceOf,
  agreementOf,
  type CarriedOut,
  type Corrections,
  carriedOutOf,
  correctionsOf,
  depositOf,
  type HandedOver,
  handedOverOf,
  type OfficeLinks,
  type OnRecord,
  officeLinksOf,
  paidAsOf,
} from './on-record.ts';
import { chargedCardOf } from './payment-on-record.ts';
import {
  divideReceived,
  type ReceivedOnRecord,
  type ReceivedPart,
  readReceived,
  sumOfParts,
} from './received.ts';
import { registrantIn } from './registrations.ts';
import { secondOf } from './second-payment.ts';

/** What the register and Stripe have on record of a registration. Its state, and what is due, is derived from this alone. */
export interface RegistrationRecord {
  /** The deposit's PaymentIntent. */
  id: string;
  edition: Edition;
  /** The registration's name, see `registrationName`. */
  registration: string;
  /** The waiting customer who was offered her place. */
  offer?: string;
  begunAt: Date;
  /** When she last submitted a step after that. */
  submittedAt?: Date;
  /** Nobody is reminded of it, see `readNotReminded`. */
  isNotReminded?: true;
  registrant: { firstName: string; lastName: string; email: string; phoneNumber: string; timeZone: string };
  deposit: 'unpaid' | 'paid' | 'closed';
  /** US cents that were received. */
  depositCents: number;
  /** What the deposit is without a card fee, in US cents; absent once a card paid it. */
  depositDueCents?: number;
  /** Its payment at Stripe can still be paid by card. */
  isDepositOpen?: true;
  paidAt?: Date;
  /** The deposit that the same person had paid before: this is a second payment for one place. */
  secondOf?: string;
  agreement?: Agreement;
  /** The balance as she agreed to it. */
  agreed?: BalanceTerms;
  decisions: Decisions;
  /** What came by check or transfer. */
  received: ReceivedOnRecord;
  letters: Letters;
  /** The letters that need nothing more, the oldest first. */
  endedLetters: readonly EndedLetter[];
  /** The Stripe customer. */
  customerId?: string;
  /** Links to her page that name an earlier number do not work. */
  linksEpoch: number;
  /** The card that the balance is charged to. Absent while the deposit is not paid. */
  card?: CardOnFile;
  /** The last one that she gave herself, which her bank may have renewed since. */
  givenCard?: CardOnFile;
  /** The card that the deposit was paid with. */
  depositCard?: PaidCard;
  /** The last notice of a coming charge, and when the mail server accepted it. */
  noticed?: Noticed;
  /** The last time that a letter to her address bounced, or that she complained about one. */
  bounced?: Bounced;
  /** The same for the address that it was corrected from. */
  bouncedBefore?: Bounced;
  balance?: BalancePayment;
  /** How many payments of the balance were cancelled. */
  cancelledBalances: number;
  /** Refunds to her card, also pending and failed ones, the oldest first; in the same second, those of the deposit. */
  refunds: readonly RefundOnRecord[];
  /** The worker has carried out the cancellation. */
  cancelled?: CarriedOut & { refund?: RefundStatus };
  /** The disputes of deposit and balance, the oldest first. */
  disputes: readonly DisputeOnRecord[];
  /** She disputes one of the charges, and the office has not marked that as resolved. */
  disputed: boolean;
  /** The last correction of each of her details. */
  corrections: Corrections;
  /** Her name and address when she paid the deposit, or got the place, see `isHandedOver`; absent before. */
  paidAs?: ReturnType<typeof paidAsOf>;
  /** How the place came to her who has it now; absent if she is the first one. */
  handedOver?: HandedOver;
  /** What she who had it before had agreed to. */
  agreementBefore?: Agreement;
  /** The names of all who had it before, the last one first; absent once they are forgotten. */
  namesBefore?: string;
  officeLinks: OfficeLinks;
  /** What the office noted, the oldest first: for the office only. */
  notes: readonly Note[];
  /** What she answered to the questions of her edition. */
  answers: readonly Answer[];
  /** Her consents to answers about her health, and when such answers were deleted; the oldest first. */
  healthActs: readonly HealthAct[];
  /** An address that she requested and has not confirmed yet. */
  addressAsked?: AddressAsked;
  /** When somebody last gave a wrong proof on her page, as far as it is recorded: the first of that day. */
  proofFailedAt?: Date;
  /** When her personal data were removed. */
  forgottenAt?: Date;
}

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const satisfies RefundRow['status'][];
export type RefundStatus = (typeof refundStatuses)[number];

/** A refund that Stripe knows of, made by the site or on Stripe's dashboard. */
export interface RefundOnRecord {
  id: string;
  /** The payment that it refunds. */
  of: 'deposit' | 'balance';
  /** US cents. */
  cents: number;
  status: RefundStatus;
  at: Date;
  /** Which decision on this site asked for it, see `orderOf`; absent for a refund made at Stripe's dashboard. */
  order?: string;
}

export interface AddressAsked {
  to: string;
  at: Date;
}

export type Noticed = Pick<EndedLetter, 'at'> & NonNullable<EndedLetter['notice']>;

/**
 * To be expanded in each request for an intent: everything that a record is read from, so that one request
 * suffices.
 */
export const RECORD_EXPANSION = ['customer', 'latest_charge', 'latest_charge.refunds'] as const;

/**
 * A registration, from what is on record of it.
 * @returns undefined for a payment that is not the deposit of a registration, or for an edition that this release does not
 *   know
 * @throws {AppError} when what is on record of it is not what this site writes
 */
export function readRecord(onRecord: OnRecord): RegistrationRecord | undefined {
  const { registration: row, acts, endedLetters } = onRecord;
  const deposit = depositOf(onRecord);
  const edition = deposit && findEdition(deposit.edition);
  if (!edition || !row || deposit.asMade === 0) return undefined;
  const { id } = deposit;
  const decisions = readDecisions(acts);
  const received = readReceived(acts);
  const agreed = agreedBalanceOf(onRecord);
  const standing = depositStandingOf(onRecord, edition);
  const isPaid = standing.deposit === 'paid';
  const balances = onRecord.payments.filter(({ name }) => name === 'balance');
  const balance = balanceInForce(balances) ?? balances[0];
  const refundsOf = (payment: PaymentRow | undefined, of: RefundOnRecord['of']) =>
    onRecord.refunds.flatMap((refund) => (refund.payment === payment?.id ? [refundOf(refund, of)] : []));
  const refunds = [...refundsOf(deposit, 'deposit'), ...refundsOf(balance, 'balance')].toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  const disputes = [
    ...disputesOf(onRecord.disputes, deposit, 'deposit'),
    ...disputesOf(onRecord.disputes, balance, 'balance'),
  ].toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const handedOver = handedOverOf(acts);
  const own = { acts: actsOfHolder(acts) };
  const agreement = agreementOf(own);
  const agreementBefore = agreementOf({ acts: acts.slice(0, acts.length - own.acts.length) });
  const cancelled = carriedOutOf(onRecord);
  const order = decisions.cancel && orderOf('cancel', decisions.cancel);
  const ordered = order ? refunds.filter((one) => one.order === order) : [];
  // Of a second payment there may be two: what is worst of them is to be known.
  const refund = (['failed', 'pending', 'succeeded'] as const).find((status) =>
    ordered.some((one) => one.status === status),
  );
  const { askedAddress: to, askedAt } = row;
  const proofFailed = own.acts.findLast(({ kind }) => kind === ACTS.proofFailed);
  const noticed = lastNotice(endedLetters.filter(({ at }) => !handedOver || at >= handedOver.at));
  const bounces = onRecord.bounces.flatMap((text) => parseBounced(text) ?? []);
  const bounced = bounces.find((one) => one.to === addressDigest(row.email));
  const bouncedBefore = bounces.find((one) => one !== bounced);
  const first = isPaid ? secondOf(onRecord) : undefined;
  const { paidAt } = standing;
  const firstCard = handedOver ? undefined : firstCardOf(deposit);
  const card = isPaid ? (readCard(own.acts) ?? firstCard) : undefined;
  const givenCard = readCard(own.acts.filter(({ byWhom }) => byWhom === HERSELF));
  const depositCard = paidCardOf(deposit);
  const payingSince = row.payingSince === null ? undefined : new Date(row.payingSince);
  return {
    id,
    edition,
    registration: row.id,
    ...(row.waiting !== null && { offer: row.waiting }),
    begunAt: new Date(deposit.madeAt),
    ...(row.submittedAt !== null && { submittedAt: new Date(row.submittedAt) }),
    ...(onRecord.isNotReminded && { isNotReminded: true }),
    registrant: registrantIn(row),
    ...standing,
    ...(deposit.status === 'open' && { isDepositOpen: true }),
    ...(first !== undefined && { secondOf: first }),
    ...(agreement && { agreement }),
    ...(agreed && { agreed }),
    decisions,
    received,
    letters: lettersOf(onRecord, handedOver?.at),
    endedLetters,
    ...(row.customer !== null && { customerId: row.customer }),
    linksEpoch: row.linksEpoch,
    ...(card && { card }),
    ...(givenCard && { givenCard }),
    ...(depositCard && { depositCard }),
    ...(noticed && { noticed }),
    ...(bounced && { bounced }),
    ...(bouncedBefore && { bouncedBefore }),
    ...(balance && { balance: readBalance(balance, paidCardOf(balance), payingSince, onRecord.attempts) }),
    cancelledBalances: balances.filter(({ status }) => status === 'cancelled').length,
    refunds,
    ...(cancelled && { cancelled: { ...cancelled, ...(refund && { refund }) } }),
    disputes,
    disputed: [deposit, balance].some((payment) => isDisputed(payment, disputes, decisions)),
    corrections: row.forgottenAt === null ? correctionsOf(own) : {},
    ...(paidAt && { paidAs: paidAsOf(own.acts, row, paidAt) }),
    ...(handedOver && { handedOver }),
    ...(agreementBefore && { agreementBefore }),
    ...(row.namesBefore !== '' && { namesBefore: row.namesBefore }),
    officeLinks: officeLinksOf(own),
    notes: notesOf(onRecord),
    answers: readAnswers(row),
    healthActs: healthActsOf(onRecord),
    ...(to !== null && askedAt !== null && { addressAsked: { to, at: new Date(askedAt) } }),
    ...(proofFailed && { proofFailedAt: new Date(proofFailed.at) }),
    ...(row.forgottenAt !== null && { forgottenAt: new Date(row.forgottenAt) }),
  };
}

function paidCardOf(payment: PaymentRow): PaidCard | undefined {
  const card = chargedCardOf(payment);
  return card && { brand: card.brand, last4: card.last4 };
}

/** The card that paid the deposit, if it can be charged again. */
function firstCardOf(deposit: PaymentRow): CardOnFile | undefined {
  const { id, brand, last4, expMonth, expYear } = chargedCardOf(deposit) ?? {};
  if (!id || !brand || !last4 || !expMonth || !expYear || deposit.paidAt === null) return undefined;
  return { id, brand, last4, expMonth, expYear, since: new Date(deposit.paidAt) };
}

function refundOf({ id, cents, status, at, ordered }: RefundRow, of: RefundOnRecord['of']): RefundOnRecord {
  return { id, of, cents, status, at: new Date(at), ...(ordered !== null && { order: ordered }) };
}

/** The rules of her balance: as she agreed to them, or those of the edition while she has agreed to none. */
export function balanceTermsOf({
  agreed,
  edition,
}: Pick<RegistrationRecord, 'agreed' | 'edition'>): BalanceTerms {
  return agreed ?? edition.facts;
}

/** What is left to pay after the deposit, less what is waived, and what came by check or transfer. */
export function balanceOfRecord(record: RegistrationRecord): Balance {
  const terms = balanceTermsOf(record);
  const { balanceBeforeFeeCents } = terms.prices;
  const waivedCents = record.decisions.waived?.cents ?? 0;
  const lessCents = waivedCents + sumOfParts(partsOfBalance(record));
  return balanceOf(terms, Math.min(lessCents, balanceBeforeFeeCents));
}

/** The balance before its fee, less what is waived, whether or not it is paid, in US cents. */
function owedOfBalance(record: RegistrationRecord): number {
  const { balanceBeforeFeeCents } = balanceTermsOf(record).prices;
  return Math.max(0, balanceBeforeFeeCents - (record.decisions.waived?.cents ?? 0));
}

/** What came by check or transfer for the balance, or beyond it. */
export function partsOfBalance(record: RegistrationRecord): readonly ReceivedPart[] {
  const owed = depositOwedOf(record);
  return owed
    ? divideForDeposit(owed).rest
    : record.received.counting.map((one) => ({ ...one, ofCents: one.cents }));
}

/** What decides whether the deposit is paid without a card; undefined once a card paid it. */
export function depositOwedOf(record: RegistrationRecord): DepositOwed | undefined {
  const { depositDueCents: dueCents, decisions, received } = record;
  const { balanceBeforeFeeCents } = balanceTermsOf(record).prices;
  return dueCents === undefined ? undefined : { dueCents, balanceBeforeFeeCents, decisions, received };
}

/** What is left of the deposit without a card, in US cents: 0 once it is paid. */
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

/** Whether a card can pay the deposit: its payment is open, and nothing came for it otherwise. */
export function canPayDeposit({ isDepositOpen, received }: RegistrationRecord): boolean {
  return isDepositOpen === true && received.counting.length === 0;
}

/** A registration as it is after its decisions, or what came, were changed. */
export function withDepositCovered(record: RegistrationRecord): RegistrationRecord {
  const owed = depositOwedOf(record);
  if (!owed || record.deposit === 'closed') return record;
  const covered = coveredDeposit(owed);
  const { paidAt: _, ...unpaid } = { ...record, deposit: 'unpaid' as const, depositCents: 0 };
  return covered
    ? { ...record, deposit: 'paid', depositCents: covered.cents, paidAt: covered.paidAt }
    : unpaid;
}

/**
 * What was paid and refunded, in the form from which a refund is calculated; without what she paid beyond the balance, see
 * `surplusOf`.
 */
export function paymentsOf(record: RegistrationRecord): AmountsPaid {
  const { depositCents, decisions } = record;
  const card = cardBalanceOf(record);
  const { taken } = divideReceived(
    partsOfBalance(record),
    Math.max(0, owedOfBalance(record) - (card?.beforeFeeCents ?? 0)),
  );
  const received = taken.map(({ way: by, ofCents: beforeFeeCents, on: at }) => ({
    ...{ by, beforeFeeCents, feeCents: 0, at, refundedCents: 0 },
  }));
  const wasOpen = decisions.cancel?.balanceOpen && { wasOpen: decisions.cancel.balanceOpen };
  return { depositCents, balance: [...(card ? [{ ...card, ...wasOpen }] : []), ...received] };
}

/** What her card paid of the balance; undefined where that went back, so that what came otherwise is what paid it. */
function cardBalanceOf(record: RegistrationRecord): PaidBalance | undefined {
  const { balance } = record;
  const receivedCents = sumOfParts(partsOfBalance(record));
  const backCents = balanceBackCents(record);
  if (!balance?.paidAt || (receivedCents > 0 && backCents >= balance.beforeFeeCents)) return undefined;
  const { beforeFeeCents, cents, paidAt: at } = balance;
  const owedCents = owedOfBalance(record);
  // What went back to her card is first what she had paid beyond the balance.
  const beyondCents = Math.max(0, beforeFeeCents + receivedCents - owedCents);
  const refundedCents = Math.max(0, backCents - beyondCents);
  return {
    ...{ by: 'card', beforeFeeCents: Math.min(beforeFeeCents, owedCents) },
    ...{ feeCents: cents - beforeFeeCents, at, refundedCents },
  };
}

/**
 * What she paid beyond what she owes and has not got back, in US cents without card fees: a check beside a balance that
 * her card paid, one of more than was left, or what is not asked of her since she paid it. It is hers whatever the policy
 * says of a cancellation.
 */
export function surplusOf(record: RegistrationRecord): number {
  const { balance, deposit } = record;
  const receivedCents = sumOfParts(partsOfBalance(record));
  const cardCents = balance?.paidAt ? balance.beforeFeeCents : 0;
  const beyondBalance = Math.max(0, cardCents + receivedCents - owedOfBalance(record));
  const backCents = balanceBackCents(record);
  const beyondDeposit = beyondDepositOf(record);
  if (deposit !== 'paid' || beyondDeposit === 0) return Math.max(0, beyondBalance - backCents);
  const back = backCents + refundedCentsOf(record, 'deposit');
  return Math.max(0, beyondBalance + beyondDeposit - back);
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

/** What was paid of the deposit without its card fee, in US cents. */
export function depositBeforeFee({ depositCents, depositDueCents, edition }: RegistrationRecord): number {
  if (depositDueCents !== undefined) return depositCents;
  const { prices } = edition.facts;
  if (depositCents === prices.depositCents) return prices.depositBeforeFeeCents;
  return beforeCardFee(depositCents, prices.cardFeePerMille);
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

/** In US cents. */
export function sumOf(refunds: readonly Pick<RefundOnRecord, 'cents'>[]): number {
  return refunds.reduce((sum, { cents }) => sum + cents, 0);
}

/** The name of the refund that a decision asks for, the same in every process that carries it out. */
export function orderOf(kind: 'cancel' | 'refund', { at }: { at: Date }): string {
  return `${kind} ${at.toISOString()}`;
}

function lastNotice(letters: readonly EndedLetter[]): Noticed | undefined {
  const last = letters.findLast(({ notice }) => notice !== undefined);
  return last?.notice && { at: last.at, ...last.notice };
}
