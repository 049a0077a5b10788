import type Stripe from 'stripe';
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
export function ownMarks({ id: edition, retreatPackage, prices }: Facts) {
  const amount = String(prices.depositCents);
  return { site: SITE, kind: DEPOSIT, edition, package: retreatPackage.id, amount };
}

/**
 * The same for the balance of a deposit, with its amount before the card fee.
 * @param part the number of the part of a payment plan that it pays; 0 for all that is left to pay
 */
export function ownMarksOfBalance(
  { id: edition, retreatPackage }: Facts,
  deposit: string,
  { byCardCents, beforeFeeCents }: Pick<Balance, 'byCardCents' | 'beforeFeeCents'>,
  part = 0,
) {
  const sums = { amount: String(byCardCents), 'before-fee': String(beforeFeeCents) };
  const ofPlan = part > 0 && { part: String(part) };
  return { site: SITE, kind: BALANCE, edition, package: retreatPackage.id, deposit, ...sums, ...ofPlan };
}

/** The part of a payment plan that a balance pays; 0 for none. */
export function partOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): number {
  return /^\d{1,3}$/.test(metadata.part ?? '') ? Number(metadata.part) : 0;
}

/** The amount of a balance before the card fee, in US cents; null where that cannot be read. */
export function beforeFeeOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): number | null {
  const cents = metadata['before-fee'] ?? '';
  return /^\d{1,9}$/.test(cents) ? Number(cents) : null;
}

/**
 * The same for a card that is stored for the balance of a deposit.
 * @param linksEpoch of the links to the page on which it is given
 * @param handOver the moment at which it was decided to hand the place over to whom the card belongs
 */
export function ownMarksOfCard({ id: edition }: Facts, deposit: string, linksEpoch: number, handOver?: Date) {
  const to = handOver && { 'hand-over': handOver.toISOString() };
  return { site: SITE, kind: CARD, edition, deposit, epoch: String(linksEpoch), ...to };
}

/** The same for a refund that a decision about a registration asks for. */
export function ownMarksOfRefund({ id: edition }: Facts, deposit: string) {
  return { site: SITE, kind: REFUND, edition, deposit };
}

/** The deposit for whose balance a card is stored; undefined for cards of other shops. */
export function depositOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): string | undefined {
  return metadata?.site === SITE && metadata.kind === CARD ? metadata.deposit : undefined;
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
  if (currency !== CURRENCY || amount !== Number(metadata.amount)) return 'altered';
  return metadata.kind;
}

/** Whether what is at Stripe says that this site made it, or was made for a payment of this site. */
export function isMarked({ metadata }: Pick<Stripe.Charge | Stripe.Refund, 'metadata'>): boolean {
  return metadata?.site === SITE;
}

/** Whether a payment is for this edition. */
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
