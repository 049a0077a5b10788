import type Stripe from 'stripe';
import type { Edition, Facts } from '#shared/content/edition.ts';
import { findEdition, findEditionOfPackage } from '#shared/content/find-edition.ts';
import type { Balance } from '#shared/content/tuition.ts';

/** In the metadata of every payment that this site makes, whatever else the Stripe account is used for. */
const SITE = 'online-retreat';
const DEPOSIT = 'deposit';
const BALANCE = 'balance';
const CARD = 'card';
const REFUND = 'refund';
const EDITION = 'edition';
const CURRENCY = 'usd';

/**
 * In the metadata of the deposit, each written by one process: the result of a cancellation, by the worker;
 * what was corrected, and which address she requested, by the process that handles the button or the command;
 * and when and by whom her data were removed.
 */
export const RECORD_MARKS = {
  cancelled: 'cancelled',
  corrected: { name: 'was-name', email: 'was-email', phoneNumber: 'was-phone' },
  addressAsked: 'address-asked',
  forgotten: 'forgotten',
} as const;

/** The metadata of an intent that say that this site made it, for what, and for how much (US cents). */
export function ownMarks({ id: edition, retreatPackage, prices }: Facts) {
  const amount = String(prices.depositCents);
  return { site: SITE, kind: DEPOSIT, edition, package: retreatPackage.id, amount };
}

/** The same for the balance of a deposit, with its amount before the card fee. */
export function ownMarksOfBalance(
  { id: edition, retreatPackage }: Facts,
  deposit: string,
  { byCardCents, beforeFeeCents }: Pick<Balance, 'byCardCents' | 'beforeFeeCents'>,
) {
  const sums = { amount: String(byCardCents), 'before-fee': String(beforeFeeCents) };
  return { site: SITE, kind: BALANCE, edition, package: retreatPackage.id, deposit, ...sums };
}

/** The same for a card that is stored for the balance of a deposit. */
export function ownMarksOfCard({ id: edition }: Facts, deposit: string) {
  return { site: SITE, kind: CARD, edition, deposit };
}

/** The same for a refund that a decision about a registration asks for. */
export function ownMarksOfRefund({ id: edition }: Facts, deposit: string) {
  return { site: SITE, kind: REFUND, edition, deposit };
}

/** The same for the product that holds what the office has announced about an edition. */
export function ownMarksOfEdition({ id: edition }: Facts) {
  return { site: SITE, kind: EDITION, edition };
}

/** The id of that product: there is one for each edition. */
export function editionProductId({ id }: Facts): string {
  return `${SITE}-${id}`;
}

/** The deposit for whose balance a card is stored; undefined for cards of other shops. */
export function depositOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): string | undefined {
  return metadata?.site === SITE && metadata.kind === CARD ? metadata.deposit : undefined;
}

/**
 * The edition that a payment of this site is for; undefined where this release does not know it. Older
 * payments name no edition: it follows from their package.
 */
export function editionOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): Edition | undefined {
  const sold = findEditionOfPackage(metadata.package ?? '');
  if (metadata.edition === undefined) return sold;
  return sold === findEdition(metadata.edition) ? sold : undefined;
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
 * cancelled. Older deposits name no site: they are recognised by a package of this site.
 */
export function recognise({ metadata, currency, amount }: Stripe.PaymentIntent): Recognition {
  const known = editionOf({ metadata }) !== undefined;
  if (metadata.site === undefined) {
    if (!known) return 'foreign';
  } else {
    if (metadata.site !== SITE) return 'foreign';
    if (!known || metadata.edition === undefined) return 'unknown';
    if (metadata.kind !== DEPOSIT && metadata.kind !== BALANCE) return 'unknown';
  }
  if (currency !== CURRENCY || amount !== recordedCents({ metadata, amount })) return 'altered';
  return metadata.kind === BALANCE ? 'balance' : 'deposit';
}

/** The metadata of a customer; empty if it is not expanded, or deleted. */
export function metadataOf(customer: Stripe.PaymentIntent['customer']): Stripe.Metadata {
  return !customer || typeof customer === 'string' || customer.deleted ? {} : customer.metadata;
}

/** Whether a payment is for this edition. */
export function isFor(intent: Stripe.PaymentIntent, { id }: Facts): boolean {
  return editionOf(intent)?.facts.id === id;
}

export function isDeposit(intent: Stripe.PaymentIntent): boolean {
  return recognise(intent) === 'deposit';
}

/** Whether a deposit is paid, with exactly the amount that it was made for. */
export function isPaidInFull(intent: Stripe.PaymentIntent): boolean {
  return intent.status === 'succeeded' && isDeposit(intent) && intent.amount_received === intent.amount;
}

/**
 * When a payment succeeded: the time of its charge if that is expanded, else the time when the payment was
 * created.
 */
export function chargedAt({ latest_charge, created }: Stripe.PaymentIntent): Date {
  const charge = typeof latest_charge === 'object' ? latest_charge : null;
  return new Date((charge?.created ?? created) * 1000);
}

/** Whether a payment still waits for the visitor to pay. */
export function isUnpaid({ status }: Stripe.PaymentIntent): boolean {
  return (
    status === 'requires_payment_method' || status === 'requires_confirmation' || status === 'requires_action'
  );
}

/**
 * The amount that the site recorded for a payment. Older payments have none on record: if they have a
 * registration's name, their own amount is accepted, else only the deposit of their edition.
 */
function recordedCents({
  metadata,
  amount,
}: Pick<Stripe.PaymentIntent, 'metadata' | 'amount'>): number | undefined {
  if (metadata.amount !== undefined) return Number(metadata.amount);
  return metadata.registration === undefined ? editionOf({ metadata })?.facts.prices.depositCents : amount;
}
