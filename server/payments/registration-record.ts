import type Stripe from 'stripe';
import * as v from 'valibot';
import type { Edition } from '#shared/content/edition.ts';
import { type AmountsPaid, type Balance, balanceOf } from '#shared/content/tuition.ts';
import { type BalancePayment, balanceInForce, balancesOf, readBalance } from './balance-payment.ts';
import { type CardOnFile, type PaidCard, readCard, readPaidCard } from './card-on-file.ts';
import { cents, type Decisions, moment, readDecisions } from './decisions.ts';
import { type Letters, lettersOf, linksEpochOf } from './deposit-letters.ts';
import { unreadablePayment } from './provider-errors.ts';
import { chargedAt, editionOf, isDeposit, isPaidInFull, MARK_PREFIX } from './recognise-deposit.ts';
import { type Agreement, readAgreement } from './terms-mark.ts';

/** What Stripe has on record of a registration. What state it is in, and what is due, is worked out from this alone. */
export interface RegistrationRecord {
  /** The deposit's PaymentIntent. */
  id: string;
  edition: Edition;
  begunAt: Date;
  registrant: { firstName: string; lastName: string; email: string; phoneNumber: string; timeZone: string };
  deposit: 'unpaid' | 'paid' | 'closed';
  /** US cents that came in. */
  depositCents: number;
  paidAt?: Date;
  agreement?: Agreement;
  decisions: Decisions;
  letters: Letters;
  /** What stands with the customer of the letters about the balance, under their names. */
  letterMarks: Readonly<Record<string, string>>;
  /** The customer's. */
  customerId?: string;
  /** Links to her page that name an earlier number open nothing. */
  linksEpoch: number;
  /** What the balance is charged to. Absent while the deposit is not paid. */
  card?: CardOnFile;
  /** What the deposit was paid with. */
  depositCard?: PaidCard;
  noticed?: Noticed;
  balance?: BalancePayment;
  /** How many payments of the balance were cancelled. */
  cancelledBalances: number;
  /** Given back to her card, in US cents; what is pending counts, what failed does not. */
  refundedCents: number;
  /** The worker has worked the cancellation off. */
  cancelled?: { at: Date; cents: number; refund?: RefundStatus };
  /** She disputes one of the charges. */
  disputed: boolean;
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

/** What she was told of a charge ahead, by the last letter that told it. */
export const noticedSchema = v.object({
  /** When the mail server took it. */
  at: moment,
  /** When she is charged, and how much (US cents). */
  dueAt: moment,
  cents,
  /** Where it went, see `addressDigest`. */
  to: v.string(),
});
export type Noticed = v.InferOutput<typeof noticedSchema>;

/** To be expanded where an intent is asked for: all that a record is read from, without a request of its own. */
export const RECORD_EXPANSION = ['customer', 'latest_charge', 'latest_charge.refunds'] as const;

const cancelledSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    at: moment,
    cents,
    refund: v.exactOptional(v.string()),
  }),
);

/** In the metadata of the deposit: what came of cancelling. */
const CANCELLED = 'cancelled';
/** In the metadata of the customer. */
export const NOTICED_MARK = 'noticed';

/**
 * Reads a registration from its deposit and the payments of its balance, all expanded by `RECORD_EXPANSION`.
 * @returns undefined for a payment that is no deposit of an edition that this release knows
 * @throws {AppError} when its metadata hold what this site did not write
 */
export function readRecord(
  deposit: Stripe.PaymentIntent,
  others: readonly Stripe.PaymentIntent[] = [],
): RegistrationRecord | undefined {
  const edition = editionOf(deposit);
  if (!edition || !isDeposit(deposit)) return undefined;
  const { id, metadata } = deposit;
  const { firstName = '', lastName = '', email = '', phoneNumber = '', timeZone = '' } = metadata;
  const isPaid = isPaidInFull(deposit);
  const customerId = typeof deposit.customer === 'string' ? deposit.customer : deposit.customer?.id;
  const decisions = readDecisions(deposit);
  if ((decisions.waived?.cents ?? 0) > edition.facts.prices.balanceBeforeFeeCents)
    throw unreadablePayment(`${id} has metadata under waived that exceed its balance`);
  const balances = balancesOf(others, id);
  const balance = balanceInForce(balances) ?? balances[0];
  const charges = [deposit, balance].flatMap((intent) => chargeOf(intent) ?? []);
  const refunds = charges.flatMap(({ refunds }) => refunds?.data ?? []);
  const paidAt = isPaid ? chargedAt(deposit) : undefined;
  const agreement = readAgreement(metadata);
  const cancelled = readCancelled(deposit, refunds);
  const noticed = readNoticed(deposit);
  const card = isPaid ? readCard(deposit) : undefined;
  const depositCard = isPaid ? readPaidCard(deposit) : undefined;
  return {
    id,
    edition,
    begunAt: new Date(deposit.created * 1000),
    registrant: { firstName, lastName, email, phoneNumber, timeZone },
    deposit: isPaid ? 'paid' : deposit.status === 'canceled' ? 'closed' : 'unpaid',
    depositCents: isPaid ? deposit.amount_received : 0,
    ...(paidAt && { paidAt }),
    ...(agreement && { agreement }),
    decisions,
    letters: lettersOf(deposit),
    letterMarks: letterMarksOf(deposit),
    ...(customerId && { customerId }),
    linksEpoch: linksEpochOf(deposit),
    ...(card && { card }),
    ...(depositCard && { depositCard }),
    ...(noticed && { noticed }),
    ...(balance && { balance: readBalance(balance) }),
    cancelledBalances: balances.filter(({ status }) => status === 'canceled').length,
    refundedCents: refunds
      .filter((refund) => statusOf(refund) !== 'failed')
      .reduce((sum, { amount }) => sum + amount, 0),
    ...(cancelled && { cancelled }),
    disputed: charges.some(({ disputed }) => disputed),
  };
}

/** What is left to pay after the deposit, less what is waived. */
export function balanceOfRecord({ edition, decisions }: RegistrationRecord): Balance {
  return balanceOf(edition.facts, decisions.waived?.cents);
}

/** What came in and went back, as a refund is worked out from it. */
export function paymentsOf({
  depositCents,
  refundedCents,
  balance,
  decisions,
}: RegistrationRecord): AmountsPaid {
  const { check } = decisions;
  const back = { depositCents, refundedCents };
  if (balance?.paidAt) {
    const { beforeFeeCents, cents, paidAt: at } = balance;
    return { ...back, balance: { by: 'card', beforeFeeCents, feeCents: cents - beforeFeeCents, at } };
  }
  if (!check?.receivedAt) return back;
  return {
    ...back,
    balance: { by: 'check', beforeFeeCents: check.cents, feeCents: 0, at: check.receivedAt },
  };
}

function readCancelled(
  { id, metadata }: Stripe.PaymentIntent,
  refunds: readonly Stripe.Refund[],
): RegistrationRecord['cancelled'] {
  const text = metadata[CANCELLED];
  if (text === undefined) return undefined;
  const read = v.safeParse(cancelledSchema, text);
  if (!read.success) throw unreadablePayment(`${id} has metadata under ${CANCELLED} that cannot be read`);
  const { refund: refundId, ...cancelled } = read.output;
  const refund = statusOf(refunds.find((one) => one.id === refundId));
  return { ...cancelled, ...(refund && { refund }) };
}

/** What Stripe calls `requires_action` waits for somebody, and `canceled` gave nothing back. */
function statusOf(refund: Stripe.Refund | undefined): RefundStatus | undefined {
  if (!refund) return undefined;
  if (refund.status === 'succeeded') return 'succeeded';
  return refund.status === 'failed' || refund.status === 'canceled' ? 'failed' : 'pending';
}

/** Marks of letters about the balance stand with the customer. */
function readNoticed({ customer }: Stripe.PaymentIntent): Noticed | undefined {
  const read = v.safeParse(
    v.pipe(v.string(), v.parseJson(), noticedSchema),
    metadataOf(customer)[NOTICED_MARK],
  );
  return read.success ? read.output : undefined;
}

function letterMarksOf({ customer }: Stripe.PaymentIntent): Record<string, string> {
  const marks = Object.entries(metadataOf(customer)).filter(([name]) => name.startsWith(MARK_PREFIX));
  return Object.fromEntries(marks);
}

function metadataOf(customer: Stripe.PaymentIntent['customer']): Stripe.Metadata {
  return !customer || typeof customer === 'string' || customer.deleted ? {} : customer.metadata;
}

/** The charge of a payment, which must be expanded. */
function chargeOf(intent: Stripe.PaymentIntent | undefined): Stripe.Charge | undefined {
  const charge = intent?.latest_charge;
  if (typeof charge === 'string') throw new Error(`latest_charge of ${intent?.id} is not expanded`);
  return charge ?? undefined;
}
