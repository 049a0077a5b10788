import type Stripe from 'stripe';
import * as v from 'valibot';
import type { Edition } from '#shared/content/edition.ts';
import { type AmountsPaid, type Balance, balanceOf } from '#shared/content/tuition.ts';
import { cents, type Decisions, moment, readDecisions } from './decisions.ts';
import { type Letters, lettersOf } from './outbox.ts';
import { unreadablePayment } from './provider-errors.ts';
import { chargedAt, editionOf, isDeposit, isPaidInFull } from './recognise-deposit.ts';
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
  /** When the mail server took the notice of the balance. */
  noticedAt?: Date;
  balance?: BalancePayment;
  /** Given back to her card, in US cents; what is pending counts, what failed does not. */
  refundedCents: number;
  /** The worker has worked the cancellation off. */
  cancelled?: { at: Date; cents: number; refund?: RefundStatus };
  /** She disputes one of the charges. */
  disputed: boolean;
}

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

/** The PaymentIntent of the balance. */
export interface BalancePayment {
  id: string;
  status: 'open' | 'action-needed' | 'paid';
  /** How often it was tried without her. */
  tries: number;
  /** US cents: what it charges, and without the card fee. */
  cents: number;
  beforeFeeCents: number;
  paidAt?: Date;
}

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

const wholeNumber = v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number));

/** What the metadata of a balance say: how often it was tried without her, and what it charges without the card fee. */
const balanceMarks = v.object({ try: v.optional(wholeNumber, '0'), 'before-fee': wholeNumber });

/** In the metadata: the deposit that a balance belongs to. */
const DEPOSIT_OF_BALANCE = 'deposit';
const CANCELLED = 'cancelled';
const NOTICED = 'noticed';

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
  const decisions = readDecisions(deposit);
  if ((decisions.waived?.cents ?? 0) > edition.facts.prices.balanceBeforeFeeCents)
    throw unreadablePayment(`${id} has metadata under waived that exceed its balance`);
  const balance = balanceAmong(others, id);
  const charges = [deposit, balance].flatMap((intent) => chargeOf(intent) ?? []);
  const refunds = charges.flatMap(({ refunds }) => refunds?.data ?? []);
  const paidAt = isPaid ? chargedAt(deposit) : undefined;
  const agreement = readAgreement(metadata);
  const cancelled = readCancelled(deposit, refunds);
  const noticedAt = readNoticed(deposit);
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
    ...(noticedAt && { noticedAt }),
    ...(balance && { balance: readBalance(balance) }),
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

/** The deposit that a payment is the balance of; undefined for all other payments. */
export function depositOfBalance({ metadata }: Stripe.PaymentIntent): string | undefined {
  return metadata.kind === 'balance' ? metadata[DEPOSIT_OF_BALANCE] : undefined;
}

/** The one that is paid, or else the newest that was not cancelled: one that is open beside it must not be charged. */
function balanceAmong(
  others: readonly Stripe.PaymentIntent[],
  depositId: string,
): Stripe.PaymentIntent | undefined {
  const balances = others
    .filter((intent) => depositOfBalance(intent) === depositId && intent.status !== 'canceled')
    .toSorted((one, other) => other.created - one.created);
  return balances.find(({ status }) => status === 'succeeded') ?? balances.at(0);
}

function readBalance(intent: Stripe.PaymentIntent): BalancePayment {
  const { id, amount, metadata } = intent;
  const marks = v.safeParse(balanceMarks, metadata);
  if (!marks.success) throw unreadablePayment(`${id} has metadata of a balance that cannot be read`);
  const paidAt = intent.status === 'succeeded' ? chargedAt(intent) : undefined;
  return {
    id,
    status: paidAt ? 'paid' : needsHer(intent) ? 'action-needed' : 'open',
    tries: marks.output.try,
    cents: amount,
    beforeFeeCents: marks.output['before-fee'],
    ...(paidAt && { paidAt }),
  };
}

/**
 * Whether she has to confirm a payment herself. One that her bank wanted authenticated while she was away goes back to
 * waiting for a payment method.
 * @see https://docs.stripe.com/error-codes#authentication-required
 */
function needsHer({ status, last_payment_error }: Stripe.PaymentIntent): boolean {
  if (status === 'requires_action') return true;
  return status === 'requires_payment_method' && last_payment_error?.code === 'authentication_required';
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

/** Marks of letters stand with the customer. */
function readNoticed({ customer }: Stripe.PaymentIntent): Date | undefined {
  if (!customer || typeof customer === 'string' || customer.deleted) return undefined;
  const read = v.safeParse(moment, customer.metadata[NOTICED]);
  return read.success ? read.output : undefined;
}

/** The charge of a payment, which must be expanded. */
function chargeOf(intent: Stripe.PaymentIntent | undefined): Stripe.Charge | undefined {
  const charge = intent?.latest_charge;
  if (typeof charge === 'string') throw new Error(`latest_charge of ${intent?.id} is not expanded`);
  return charge ?? undefined;
}
