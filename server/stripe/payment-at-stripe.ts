import type Stripe from 'stripe';
import type { DisputeRow, PaymentRow, RefundRow } from '#server/database/schema.ts';
import { unreadablePayment } from '#server/registration/acts.ts';
import type { ChargedCard } from '#server/registration/card-on-file.ts';
import type { DisputeMove } from '#server/registration/moved-money.ts';
import { postalCodeOf } from '#server/registration/page-access.ts';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { findEdition } from '#shared/content/find-edition.ts';
import type { Balance } from '#shared/content/tuition.ts';

/** In the metadata of every payment that this site makes, whatever else the Stripe account is used for. */
const SITE = 'online-retreat';
const DEPOSIT = 'deposit';
const BALANCE = 'balance';
const CARD = 'card';
const REFUND = 'refund';
const CURRENCY = 'usd';

/** The metadata of an intent that say that this site made it, for what, and for how much (US cents). */
export function ownMarks({ id: edition, retreatPackage }: Facts, registration: string, cents: number) {
  const amount = String(cents);
  return { site: SITE, kind: DEPOSIT, edition, package: retreatPackage.id, registration, amount };
}

/**
 * The same for a registration's balance, with its amount before the card fee.
 * @param part the number of the part of a payment plan that it pays; 0 for all that is left to pay
 */
export function ownMarksOfBalance(
  { id: edition, retreatPackage }: Facts,
  registration: string,
  { byCardCents, beforeFeeCents }: Pick<Balance, 'byCardCents' | 'beforeFeeCents'>,
  part = 0,
) {
  const sums = { amount: String(byCardCents), 'before-fee': String(beforeFeeCents) };
  const ofPlan = part > 0 && { part: String(part) };
  return { site: SITE, kind: BALANCE, edition, package: retreatPackage.id, registration, ...sums, ...ofPlan };
}

/** 0 for none. */
export function partOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): number {
  return /^\d{1,3}$/.test(metadata.part ?? '') ? Number(metadata.part) : 0;
}

/** The amount of a balance before the card fee, in US cents; null where that cannot be read. */
function beforeFeeOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): number | null {
  const cents = metadata['before-fee'] ?? '';
  return /^\d{1,9}$/.test(cents) ? Number(cents) : null;
}

/**
 * The same for a card that is stored for a registration's balance.
 * @param linksEpoch of the links to the page on which it is given
 * @param handOver the moment at which it was decided to hand the place over to whom the card belongs
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

/** The same for a refund that a decision about a registration asks for. */
export function ownMarksOfRefund({ id: edition }: Facts, registration: string) {
  return { site: SITE, kind: REFUND, edition, registration };
}

/** The registration for whose balance a card is stored; undefined for cards of other shops. */
export function registrationOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): string | undefined {
  return metadata?.site === SITE && metadata.kind === CARD ? metadata.registration : undefined;
}

/** For which handing over a card is stored, see `ownMarksOfCard`; undefined for that of who has the place. */
export function handOverOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): string | undefined {
  return metadata?.['hand-over'];
}

/** By which links to the page a card was given. */
export function epochOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): number {
  return Number(metadata?.epoch ?? 0);
}

/** The edition that a payment of this site is for; undefined where this release does not know it, or sells it differently. */
export function editionOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): Edition | undefined {
  const edition = findEdition(metadata.edition ?? '');
  return edition?.facts.retreatPackage.id === metadata.package ? edition : undefined;
}

/** The registration that a payment of this site belongs to; '' where it names none. */
export function registrationOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): string {
  return metadata.registration ?? '';
}

export function isOfBalance({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): boolean {
  return metadata.kind === BALANCE;
}

/** How this site classifies a payment of the Stripe account. */
export type Recognition =
  /** An unaltered deposit that this site made. */
  | 'deposit'
  /** An unaltered payment of the balance that this site made. */
  | 'balance'
  /** A payment of this site, of a kind, an edition or a package that this release does not know. */
  | 'unknown'
  /** A payment of this site whose currency or amount is not what the site wrote down: somebody changed it. */
  | 'altered'
  /** A payment of another shop, or one made by hand. */
  | 'foreign';

/**
 * Classifies a payment by its metadata: only deposits and balances are ever updated, counted as paid, or
 * cancelled.
 */
export function recognise({ metadata, currency, amount }: Stripe.PaymentIntent): Recognition {
  if (metadata.site !== SITE) return 'foreign';
  if (!editionOf({ metadata })) return 'unknown';
  if (metadata.kind !== DEPOSIT && metadata.kind !== BALANCE) return 'unknown';
  if (!metadata.registration) return 'unknown';
  if (currency !== CURRENCY || amount !== Number(metadata.amount)) return 'altered';
  return metadata.kind;
}

export function isMarked({ metadata }: Pick<Stripe.Charge | Stripe.Refund, 'metadata'>): boolean {
  return metadata?.site === SITE;
}

export function isFor(intent: Stripe.PaymentIntent, { id }: Facts): boolean {
  return editionOf(intent)?.facts.id === id;
}

export function isDeposit(intent: Stripe.PaymentIntent): boolean {
  return recognise(intent) === 'deposit';
}

/** Whether a payment is a deposit or a balance as this site made it, and, once paid, was paid with exactly its amount. */
export function isAsMade(intent: Stripe.PaymentIntent): boolean {
  const recognition = recognise(intent);
  if (recognition !== 'deposit' && recognition !== 'balance') return false;
  return intent.status !== 'succeeded' || intent.amount_received === intent.amount;
}

/** Whether a deposit is paid, with exactly the amount that it was made for. */
export function isPaidInFull(intent: Stripe.PaymentIntent): boolean {
  return intent.status === 'succeeded' && isDeposit(intent) && isAsMade(intent);
}

/** Whether a payment still waits for the visitor to pay. */
export function isUnpaid({ status }: Stripe.PaymentIntent): boolean {
  return (
    status === 'requires_payment_method' || status === 'requires_confirmation' || status === 'requires_action'
  );
}

/** A payment, its refunds and its disputes as Stripe shows them, in the form in which they are recorded. */
export interface PaymentRead {
  payment: Omit<PaymentRow, 'recordedAt' | 'version'>;
  refunds: readonly RefundRow[];
  disputes: readonly DisputeRow[];
  /** What its disputes have withdrawn and reinstated. */
  moves: readonly DisputeMove[];
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
  { disputes, moves }: Pick<PaymentRead, 'disputes' | 'moves'> = { disputes: [], moves: [] },
): PaymentRead | undefined {
  if (recognise(intent) === 'foreign') return undefined;
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
      beforeFeeCents: isOfBalance(intent) ? beforeFeeOf(intent) : null,
      part: partOf(intent),
    },
    refunds: charge ? refundsOf(intent, charge) : [],
    disputes,
    moves,
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
  if (refunds?.has_more) throw unreadablePayment(`${payment} has more than ${refunds.data.length} refunds`);
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

/** The disputes of a payment in the form in which they are recorded; a charge that is not disputed causes no request. */
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
