import type Stripe from 'stripe';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/database.ts';
import { type ChargedCard, type MovedPayment, postalCodeOf } from '#server/registration/registration.ts';
import type { Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import { momentOf } from './stripe-calls.ts';

/** In the metadata of everything that this site makes, whatever else the Stripe account is used for. */
const SITE = 'online-retreat';
const CURRENCY = 'usd';

export function ownMarks(
  kind: 'deposit' | 'balance' | 'card' | 'refund',
  { id: edition }: Facts,
  registration: string,
  more: Readonly<Record<string, string | number>>,
) {
  return { site: SITE, kind, edition, registration, ...more };
}

/** In the metadata of a refund: the payout that it is. */
export const ORDER_MARK = 'order';
/** In those of a taker's card: when the hand-over was decided. */
export const HAND_OVER_MARK = 'hand-over';

export function readMarks({ metadata }: { metadata: Stripe.Metadata | null }) {
  if (metadata?.site !== SITE) return undefined;
  const { kind = '', registration = '', edition = '', amount, number, epoch } = metadata;
  return {
    kind,
    registration,
    edition,
    cents: countIn(amount),
    beforeFeeCents: countIn(metadata['before-fee']),
    /** Which installment it pays; null for what is neither a deposit nor a balance. */
    number: kind === 'deposit' ? 0 : countIn(number),
    /** Of a card: of the links to the page on which it was given. */
    linksEpoch: countIn(epoch) ?? 0,
    handOver: metadata[HAND_OVER_MARK],
  };
}

function countIn(text = ''): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

export function registrationOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): string {
  return metadata.registration ?? '';
}

/**
 * `unknown` is of a kind or edition that this release does not know, `altered` has another currency or amount than the site
 * wrote down, `foreign` is another shop's. Only deposits and balances are ever updated, counted or cancelled.
 */
export function recognise(
  intent: Stripe.PaymentIntent,
): 'deposit' | 'balance' | 'unknown' | 'altered' | 'foreign' {
  const marks = readMarks(intent);
  if (!marks) return 'foreign';
  const { kind, edition, registration, cents, number } = marks;
  if (!findEdition(edition) || !registration || number === null) return 'unknown';
  if (kind !== 'deposit' && kind !== 'balance') return 'unknown';
  return intent.currency === CURRENCY && intent.amount === cents ? kind : 'altered';
}

export function isDeposit(intent: Stripe.PaymentIntent): boolean {
  return recognise(intent) === 'deposit';
}

export function isUnpaid({ status }: Stripe.PaymentIntent): boolean {
  return ['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(status);
}

interface Since extends Pick<MovedPayment, 'moves'> {
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
}

export interface PaymentRead extends Since {
  payment: Omit<PaymentRow, 'version'>;
}

const NOTHING: Since = { refunds: [], disputes: [], moves: [] };

/** @param intent of this site, with its charge expanded, if it is paid */
export function readPayment(intent: Stripe.PaymentIntent, since = NOTHING): PaymentRead {
  const marks = readMarks(intent);
  const recognition = recognise(intent);
  const status = statusOf(intent);
  // Nothing that was tried before counts while a payment is not paid.
  const charge = status === 'paid' ? chargeOf(intent) : undefined;
  const card = charge && cardOf(charge);
  const payment = {
    id: intent.id,
    registration: marks?.registration ?? '',
    edition: marks?.edition ?? '',
    status,
    cents: intent.amount,
    asMade: recognition === 'deposit' || recognition === 'balance' ? 1 : 0,
    madeAt: momentOf(intent.created),
    paidAt: charge ? momentOf(charge.created) : null,
    charge: charge?.id ?? null,
    disputed: charge?.disputed ? 1 : 0,
    card: card ? JSON.stringify(card) : null,
    postalCode: charge ? postalCodeOf(charge.billing_details.address) : null,
    beforeFeeCents: marks?.beforeFeeCents ?? null,
    number: marks?.number ?? null,
  } as const;
  return { payment, ...since };
}

function statusOf(intent: Stripe.PaymentIntent): PaymentRow['status'] {
  if (intent.status === 'succeeded') return 'paid';
  if (intent.status === 'canceled') return 'cancelled';
  return isUnpaid(intent) ? 'open' : 'processing';
}

function chargeOf({ id, latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge {
  if (!charge || typeof charge === 'string') throw new Error(`latest_charge of ${id} is not expanded`);
  return charge;
}

/** What the expanded charge does not include: refunds beyond the ten newest, and disputes. */
export async function readSince(stripe: Stripe, intent: Stripe.PaymentIntent): Promise<Since> {
  const { id: payment, amount: paymentCents, latest_charge: charge } = intent;
  if (intent.status !== 'succeeded' || !charge || typeof charge === 'string') return NOTHING;
  const all = { payment_intent: payment, limit: 100 };
  const refunds = charge.refunds?.has_more
    ? await stripe.refunds.list(all).autoPagingToArray({ limit: 1_000 })
    : (charge.refunds?.data ?? []);
  const disputes = charge.disputed ? (await stripe.disputes.list(all)).data : [];
  return {
    refunds: refunds.map(({ id, amount: cents, created, status, metadata }) => ({
      id,
      payment,
      paymentCents,
      cents,
      madeAt: momentOf(created),
      ordered: metadata?.[ORDER_MARK] ?? null,
      // What requires an action is pending, and what is cancelled has refunded nothing.
      status:
        status === 'succeeded' ? status : status === 'failed' || status === 'canceled' ? 'failed' : 'pending',
    })),
    disputes: disputes.map(({ id, amount, created, reason, status, evidence_details: { due_by: due } }) => ({
      id,
      payment,
      cents: amount,
      reason,
      status,
      openedAt: momentOf(created),
      evidenceUntil: due === null ? null : momentOf(due),
    })),
    moves: disputes
      .flatMap(({ balance_transactions: changes }) => changes)
      .map(({ id, amount, created }) => ({ id, cents: amount, movedAt: momentOf(created) })),
  };
}

function cardOf({
  payment_method: id,
  payment_method_details: details,
}: Stripe.Charge): ChargedCard | undefined {
  const { brand, last4, exp_month: expMonth, exp_year: expYear, country } = details?.card ?? {};
  if (!brand || !last4) return undefined;
  const charged = { brand, last4, ...(country && { country }) };
  return { ...charged, ...(id && expMonth && expYear && { id, expMonth, expYear }) };
}
