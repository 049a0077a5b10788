import type Stripe from 'stripe';
import * as v from 'valibot';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { unreadablePayment } from './acts.ts';
import { depositOfBalance } from './balance-payment.ts';
import type { OnRecord } from './on-record.ts';
import { beforeFeeOf, isAsMade, isUnpaid, partOf, recognise } from './recognise-deposit.ts';

/** A payment, its refunds and its disputes as Stripe shows them, in the form in which they are recorded. */
export interface PaymentRead {
  payment: Omit<PaymentRow, 'recordedAt' | 'version'>;
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
}

/** In the metadata of a refund: which decision on this site asked for it. */
export const ORDER_MARK = 'order';

/**
 * A payment in the form in which it is recorded; undefined for one of another shop.
 * @param intent with its charge and all refunds expanded, if it is paid
 * @throws {AppError} when there are more refunds than are included
 */
export function readPayment(
  intent: Stripe.PaymentIntent,
  disputes: readonly DisputeRow[] = [],
): PaymentRead | undefined {
  if (recognise(intent) === 'foreign') return undefined;
  const { id, metadata, amount: cents, created } = intent;
  const { kind: name = '', edition = '' } = metadata;
  const status = statusOf(intent);
  // Nothing that was tried before counts while a payment is not paid.
  const charge = status === 'paid' ? chargeOf(intent) : undefined;
  const card = charge && cardOf(charge, edition);
  return {
    payment: {
      id,
      registration: depositOfBalance(intent) ?? id,
      name,
      edition,
      status,
      cents,
      asMade: isAsMade(intent) ? 1 : 0,
      madeAt: momentOf(created),
      paidAt: charge ? momentOf(charge.created) : null,
      charge: charge?.id ?? null,
      disputed: charge?.disputed ? 1 : 0,
      card: card ? JSON.stringify(card) : null,
      beforeFeeCents: depositOfBalance(intent) === undefined ? null : beforeFeeOf(intent),
      part: partOf(intent),
    },
    refunds: charge ? refundsOf(id, charge) : [],
    disputes,
  };
}

function statusOf(intent: Stripe.PaymentIntent): PaymentRow['status'] {
  if (intent.status === 'succeeded') return 'paid';
  if (intent.status === 'canceled') return 'cancelled';
  return isUnpaid(intent) ? 'open' : 'processing';
}

/** The charge of a paid payment, which must be expanded. */
function chargeOf({ id, latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge {
  if (!charge || typeof charge === 'string') throw new Error(`latest_charge of ${id} is not expanded`);
  return charge;
}

function refundsOf(payment: string, { refunds }: Stripe.Charge): RefundRow[] {
  if (refunds?.has_more) throw unreadablePayment(`${payment} has more than ${refunds.data.length} refunds`);
  return (refunds?.data ?? []).map(({ id, amount: cents, created, status, metadata }) => ({
    id,
    payment,
    cents,
    at: momentOf(created),
    ordered: metadata?.[ORDER_MARK] ?? null,
    // What requires an action is pending, and what is cancelled has refunded nothing.
    status:
      status === 'succeeded' ? status : status === 'failed' || status === 'canceled' ? 'failed' : 'pending',
  }));
}

const momentOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

/** The disputes of a payment in the form in which they are recorded; a charge that is not disputed causes no request. */
export async function readDisputes(
  stripe: Stripe,
  { id: payment, latest_charge: charge }: Stripe.PaymentIntent,
): Promise<DisputeRow[]> {
  if (!charge || typeof charge === 'string' || !charge.disputed) return [];
  const { data } = await stripe.disputes.list({ payment_intent: payment, limit: 100 });
  return data.map(({ id, amount: cents, created, reason, status, evidence_details: { due_by: due } }) => ({
    id,
    payment,
    cents,
    reason,
    status,
    at: momentOf(created),
    evidenceDue: due === null ? null : momentOf(due),
  }));
}

/** The card that paid: its brand and last digits, and the rest if it can be charged again. */
const chargedCardSchema = v.object({
  brand: v.string(),
  last4: v.string(),
  /** The payment method at Stripe. */
  id: v.exactOptional(v.string()),
  expMonth: v.exactOptional(v.number()),
  expYear: v.exactOptional(v.number()),
  /** `credit`, `debit`, `prepaid` or `unknown`. */
  funding: v.exactOptional(v.string()),
  /** Of the bank that issued it, as two letters. */
  country: v.exactOptional(v.string()),
  /** The country of the billing address that it was used with, as two letters, where the edition says where it is sold. */
  billedTo: v.exactOptional(v.string()),
});
type ChargedCard = v.InferOutput<typeof chargedCardSchema>;

function cardOf(
  { payment_method: id, payment_method_details: details, billing_details: billing }: Stripe.Charge,
  edition: string,
): ChargedCard | undefined {
  const { brand, last4, exp_month: expMonth, exp_year: expYear, country, funding } = details?.card ?? {};
  if (!brand || !last4) return undefined;
  const billedTo = findEdition(edition)?.facts.sells && billing?.address?.country;
  const charged = {
    brand,
    last4,
    ...(funding && { funding }),
    ...(country && { country }),
    ...(billedTo && { billedTo }),
  };
  return { ...charged, ...(id && expMonth && expYear && { id, expMonth, expYear }) };
}

/**
 * The card that paid a payment on record.
 * @throws {AppError} when it is not what this site writes
 */
export function chargedCardOf({ id, card }: Pick<PaymentRow, 'id' | 'card'>): ChargedCard | undefined {
  if (card === null) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), chargedCardSchema), card);
  if (!read.success) throw unreadablePayment(`${id} was paid with a card that cannot be read`);
  return read.output;
}

/** What is on record of a registration, with some of its payments as they were read at Stripe just now. */
export function withPayments(onRecord: OnRecord, read: readonly PaymentRead[]): OnRecord {
  const rows = read.map(({ payment }) => ({ ...payment, recordedAt: '', version: 0 }));
  const ids = rows.map(({ id }) => id);
  const refunds = read.flatMap((one) => one.refunds);
  const disputes = read.flatMap((one) => one.disputes);
  return {
    ...onRecord,
    payments: [...rows, ...onRecord.payments.filter(({ id }) => !ids.includes(id))].toSorted(
      (one, other) => Date.parse(other.madeAt) - Date.parse(one.madeAt),
    ),
    refunds: [...refunds, ...onRecord.refunds.filter(({ payment }) => !ids.includes(payment))],
    disputes: [...disputes, ...onRecord.disputes.filter(({ payment }) => !ids.includes(payment))],
  };
}
