import type Stripe from 'stripe';
import type { MailKind } from '#server/mail/job.ts';
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
const WAITING = 'waiting';
const CURRENCY = 'usd';

/** The key in the metadata that says what became of a mail of a kind. */
export const MARK_PREFIX = 'mail-';
export const markName = (kind: MailKind): string => `${MARK_PREFIX}${kind}`;

/**
 * In the metadata of the deposit, each written by one process: what came of cancelling, by the worker; what was corrected,
 * and which address she asked for, by the process that takes the press or the command; and when she was forgotten, and by whom.
 */
export const RECORD_MARKS = {
  cancelled: 'cancelled',
  corrected: { name: 'was-name', email: 'was-email', phoneNumber: 'was-phone' },
  addressAsked: 'address-asked',
  forgotten: 'forgotten',
} as const;

/** What says in an intent's metadata that this site made it, for what, and for how much (US cents). */
export function ownMarks({ id: edition, retreatPackage, prices }: Facts) {
  const amount = String(prices.depositCents);
  return { site: SITE, kind: DEPOSIT, edition, package: retreatPackage.id, amount };
}

/** The same of the balance of a deposit, with what it charges without the card fee. */
export function ownMarksOfBalance(
  { id: edition, retreatPackage }: Facts,
  deposit: string,
  { byCardCents, beforeFeeCents }: Pick<Balance, 'byCardCents' | 'beforeFeeCents'>,
) {
  const sums = { amount: String(byCardCents), 'before-fee': String(beforeFeeCents) };
  return { site: SITE, kind: BALANCE, edition, package: retreatPackage.id, deposit, ...sums };
}

/** The same of a card that is stored for the balance of a deposit. */
export function ownMarksOfCard({ id: edition }: Facts, deposit: string) {
  return { site: SITE, kind: CARD, edition, deposit };
}

/** The same of a refund that a decision about a registration brings. */
export function ownMarksOfRefund({ id: edition }: Facts, deposit: string) {
  return { site: SITE, kind: REFUND, edition, deposit };
}

/** The same of the product with which it stands what the office has announced about an edition. */
export function ownMarksOfEdition({ id: edition }: Facts) {
  return { site: SITE, kind: EDITION, edition };
}

/** The id of that product: there is one for each edition. */
export function editionProductId({ id }: Facts): string {
  return `${SITE}-${id}`;
}

/** The same of a customer who waits for a place, and has no payment. */
export function ownMarksOfWaiting({ id: edition }: Facts) {
  return { site: SITE, kind: WAITING, edition };
}

/** Whether a customer is an entry of this site's waiting list. */
export function isOwnWaiting({ metadata }: Pick<Stripe.Customer, 'metadata'>): boolean {
  return metadata.site === SITE && metadata.kind === WAITING;
}

/** The deposit for whose balance a card is stored; undefined for cards of other shops. */
export function depositOfCard({ metadata }: Pick<Stripe.SetupIntent, 'metadata'>): string | undefined {
  return metadata?.site === SITE && metadata.kind === CARD ? metadata.deposit : undefined;
}

/**
 * The edition that a payment of this site is for; undefined where this release does not know it. Older payments name no
 * edition: their package tells it.
 */
export function editionOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): Edition | undefined {
  const sold = findEditionOfPackage(metadata.package ?? '');
  if (metadata.edition === undefined) return sold;
  return sold === findEdition(metadata.edition) ? sold : undefined;
}

/** What a payment of the Stripe account is to this site. */
export type Recognition =
  /** A deposit that this site made, as it made it. */
  | 'deposit'
  /** A payment of the balance that this site made, as it made it. */
  | 'balance'
  /** A payment of this site, of a kind, an edition or a package that this release does not know. */
  | 'unknown'
  /** A payment of this site whose currency or amount is not what the site wrote down: somebody changed it. */
  | 'altered'
  /** Another shop's, or one made by hand. */
  | 'foreign';

/**
 * Tells what a payment is, by its metadata: only deposits and balances are ever updated, counted as paid, or cancelled. Older
 * deposits name no site: a package of this site makes them deposits, and the letters that they owe tell those of other editions.
 */
export function recognise({ metadata, currency, amount }: Stripe.PaymentIntent): Recognition {
  const known = editionOf({ metadata }) !== undefined;
  if (metadata.site === undefined) {
    if (!known) return metadata[markName('welcome')] === undefined ? 'foreign' : 'unknown';
  } else {
    if (metadata.site !== SITE) return 'foreign';
    if (!known || metadata.edition === undefined) return 'unknown';
    if (metadata.kind !== DEPOSIT && metadata.kind !== BALANCE) return 'unknown';
  }
  if (currency !== CURRENCY || amount !== recordedCents({ metadata, amount })) return 'altered';
  return metadata.kind === BALANCE ? 'balance' : 'deposit';
}

/** The metadata of a customer; none of one that is not expanded, or deleted. */
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

/** Whether a deposit is paid, and with just what it was made for. */
export function isPaidInFull(intent: Stripe.PaymentIntent): boolean {
  return intent.status === 'succeeded' && isDeposit(intent) && intent.amount_received === intent.amount;
}

/** When a payment succeeded: the time of its charge where that is expanded, else that at which it was begun. */
export function chargedAt({ latest_charge, created }: Stripe.PaymentIntent): Date {
  const charge = typeof latest_charge === 'object' ? latest_charge : null;
  return new Date((charge?.created ?? created) * 1000);
}

/** Whether a payment still waits for its visitor. */
export function isUnpaid({ status }: Stripe.PaymentIntent): boolean {
  return (
    status === 'requires_payment_method' || status === 'requires_confirmation' || status === 'requires_action'
  );
}

/** Older payments have no amount on record: with a registration's name their own is accepted, else only the deposit of their edition. */
function recordedCents({
  metadata,
  amount,
}: Pick<Stripe.PaymentIntent, 'metadata' | 'amount'>): number | undefined {
  if (metadata.amount !== undefined) return Number(metadata.amount);
  return metadata.registration === undefined ? editionOf({ metadata })?.facts.prices.depositCents : amount;
}
