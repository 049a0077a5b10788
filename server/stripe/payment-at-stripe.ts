import type Stripe from 'stripe';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import type { ChargedCard } from '#server/registration/card-on-file.ts';
import type { DisputeMove } from '#server/registration/moved-money.ts';
import { postalCodeOf } from '#server/registration/page-access.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { Balance } from '#shared/content/tuition.ts';

/** In the metadata of everything that this site makes, whatever else the Stripe account is used for. */
const SITE = 'online-retreat';
const DEPOSIT = 'deposit';
const BALANCE = 'balance';
const CARD = 'card';
const REFUND = 'refund';
const CURRENCY = 'usd';

type Marked = Pick<Stripe.PaymentIntent, 'metadata'>;

/** The metadata of a deposit, with its amount in US cents. */
export function ownMarks({ id: edition, retreatPackage }: Facts, registration: string, cents: number) {
  const amount = String(cents);
  return { site: SITE, kind: DEPOSIT, edition, package: retreatPackage.id, registration, amount };
}

/** @param part the number of the part of a payment plan that it pays; 0 for all that is left to pay */
export function ownMarksOfBalance(
  facts: Facts,
  registration: string,
  { byCardCents, beforeFeeCents }: Pick<Balance, 'byCardCents' | 'beforeFeeCents'>,
  part = 0,
) {
  return {
    ...ownMarks(facts, registration, byCardCents),
    kind: BALANCE,
    'before-fee': String(beforeFeeCents),
    ...(part > 0 && { part: String(part) }),
  };
}

/**
 * @param linksEpoch of the links to the page on which the card is given
 * @param handOver for the card of somebody to whom the place is to be handed over: when that was decided
 */
export function ownMarksOfCard(
  { id: edition }: Facts,
  registration: string,
  linksEpoch: number,
  handOver?: Date,
) {
  const to = handOver && { 'hand-over': handOver.toISOString() };
  return { site: SITE, kind: CARD, edition, registration, epoch: String(linksEpoch), ...to };
}

export function ownMarksOfRefund({ id: edition }: Facts, registration: string) {
  return { site: SITE, kind: REFUND, edition, registration };
}

/** In the metadata of a refund: the payout that it is. */
export const ORDER_MARK = 'order';

/** What `ownMarksOfCard` says of a stored card; undefined for cards of other shops. */
export function readMarksOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>) {
  if (metadata?.site !== SITE || metadata.kind !== CARD) return undefined;
  const { registration = '', epoch, 'hand-over': handOver } = metadata;
  return { registration, linksEpoch: Number(epoch ?? 0), handOver };
}

/** 0 for none. */
export function partOf({ metadata }: Marked): number {
  return countIn(metadata.part) ?? 0;
}

function countIn(text = ''): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}

/** Undefined where this release does not know the edition, or sells it differently. */
export function editionOf({ metadata }: Marked): Edition | undefined {
  const edition = findEdition(metadata.edition ?? '');
  return edition?.facts.retreatPackage.id === metadata.package ? edition : undefined;
}

/** The registration that a payment of this site belongs to; '' where it names none. */
export function registrationOf({ metadata }: Marked): string {
  return metadata.registration ?? '';
}

export function isOfBalance({ metadata }: Marked): boolean {
  return metadata.kind === BALANCE;
}

export function isMarked({ metadata }: Pick<Stripe.Charge | Stripe.Refund, 'metadata'>): boolean {
  return metadata?.site === SITE;
}

/**
 * What a payment of the account is to this site: `unknown` is one of a kind, an edition or a package that this release does
 * not know, `altered` one whose currency or amount is not what the site wrote down, `foreign` that of another shop. Only
 * deposits and balances are ever updated, counted as paid, or cancelled.
 */
export function recognise(
  intent: Stripe.PaymentIntent,
): 'deposit' | 'balance' | 'unknown' | 'altered' | 'foreign' {
  const { metadata, currency, amount } = intent;
  if (!isMarked(intent)) return 'foreign';
  if (!editionOf(intent) || !metadata.registration) return 'unknown';
  if (metadata.kind !== DEPOSIT && metadata.kind !== BALANCE) return 'unknown';
  if (currency !== CURRENCY || amount !== Number(metadata.amount)) return 'altered';
  return metadata.kind;
}

export function isDeposit(intent: Stripe.PaymentIntent): boolean {
  return recognise(intent) === 'deposit';
}

/** Whether a payment is a deposit or a balance as this site made it, and, once paid, was paid with exactly its amount. */
export function isAsMade(intent: Stripe.PaymentIntent): boolean {
  const isOwn = ['deposit', 'balance'].includes(recognise(intent));
  return isOwn && (intent.status !== 'succeeded' || intent.amount_received === intent.amount);
}

/** Whether a payment still waits for the visitor to pay. */
export function isUnpaid({ status }: Stripe.PaymentIntent): boolean {
  return ['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(status);
}

/** A payment, its refunds and its disputes as Stripe shows them, in the form in which they are recorded. */
export interface PaymentRead {
  payment: Omit<PaymentRow, 'recordedAt' | 'version'>;
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
  /** What its disputes have withdrawn and reinstated. */
  moves: readonly DisputeMove[];
}

/** @param intent of this site, with its charge and all refunds expanded, if it is paid */
export function readPayment(
  intent: Stripe.PaymentIntent,
  disputed: Pick<PaymentRead, 'disputes' | 'moves'> = { disputes: [], moves: [] },
): PaymentRead {
  const { id, metadata, amount: cents, created } = intent;
  const { kind: name = '', edition = '' } = metadata;
  const status = statusOf(intent);
  // Nothing that was tried before counts while a payment is not paid.
  const charge = status === 'paid' ? chargeOf(intent) : undefined;
  const card = charge && cardOf(charge);
  return {
    payment: {
      id,
      registration: registrationOf(intent),
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
      postalCode: charge ? postalCodeOf(charge.billing_details.address) : null,
      beforeFeeCents: isOfBalance(intent) ? countIn(metadata['before-fee']) : null,
      part: partOf(intent),
    },
    refunds: charge ? refundsOf(intent, charge) : [],
    ...disputed,
  };
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

function refundsOf(
  { id: payment, amount: paymentCents }: Stripe.PaymentIntent,
  { refunds }: Stripe.Charge,
): RefundRow[] {
  return (refunds?.data ?? []).map(({ id, amount: cents, created, status, metadata }) => ({
    id,
    payment,
    paymentCents,
    cents,
    madeAt: momentOf(created),
    ordered: metadata?.[ORDER_MARK] ?? null,
    // What requires an action is pending, and what is cancelled has refunded nothing.
    status:
      status === 'succeeded' ? status : status === 'failed' || status === 'canceled' ? 'failed' : 'pending',
  }));
}

const momentOf = (seconds: number): Date => new Date(seconds * 1000);

/** A charge that is not disputed causes no request. */
export async function readDisputes(
  stripe: Stripe,
  { id: payment, latest_charge: charge }: Stripe.PaymentIntent,
): Promise<Pick<PaymentRead, 'disputes' | 'moves'>> {
  if (!charge || typeof charge === 'string' || !charge.disputed) return { disputes: [], moves: [] };
  const { data } = await stripe.disputes.list({ payment_intent: payment, limit: 100 });
  const disputes = data.map(({ id, amount, created, reason, status, evidence_details: { due_by: due } }) => ({
    id,
    payment,
    cents: amount,
    reason,
    status,
    openedAt: momentOf(created),
    evidenceUntil: due === null ? null : momentOf(due),
  }));
  const moves = data
    .flatMap(({ balance_transactions: changes }) => changes)
    .map(({ id, amount, created }) => ({ id, cents: amount, movedAt: momentOf(created) }));
  return { disputes, moves };
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
