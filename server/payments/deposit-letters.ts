import type Stripe from 'stripe';
import {
  type DepositMailKind,
  type DepositState,
  isDepositMail,
  MAIL_KINDS,
  type MailKind,
  type MailOf,
  mailRules,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { EndedLetter } from '#server/mail/letter-log.ts';
import { isTold, mailVersion } from '#server/mail/queued-job.ts';
import { isUndeliverable, readBounced } from './bounce-mark.ts';
import { readDecisions } from './decisions.ts';
import { ADDRESS_HAS_PLACE } from './earlier-registrations.ts';
import { chargedAt, editionOf, isDeposit, isPaidInFull, isUnpaid } from './recognise-deposit.ts';
import { readAgreement } from './terms-mark.ts';

/** In the metadata: how often the links to her page were renewed. */
export const LINKS_MARK = 'links';

/** A letter about the deposit. */
type DepositMail = MailOf<DepositMailKind>;
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The mails that are due for an intent of this site: true at this moment, and neither sent nor dismissed. */
export function lettersOwed(intent: Stripe.PaymentIntent, ended: readonly EndedLetter[]): DepositMail[] {
  return lettersDue(DEPOSIT_KINDS, intent, ended).filter(({ kind }) => owes(kind, intent, ended));
}

/** The status of each letter of a registration; a letter that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed'>>;

/** The status of the letters of a registration; of the later ones that are not sent, none. */
export function lettersOf(intent: Stripe.PaymentIntent, ended: readonly EndedLetter[]): Letters {
  const owed = lettersOwed(intent, ended).map(({ kind }) => [kind, 'owed']);
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...ended.map(({ kind, state }) => [kind, state]), ...owed]);
}

/** The mails due after an intent's payment; undefined when its registrant cannot be read. */
export function lettersOfPayment(
  intent: Stripe.PaymentIntent,
  ended: readonly EndedLetter[],
): DepositMail[] | undefined {
  const kinds = DEPOSIT_KINDS.filter((kind) => mailRules[kind].owed === 'once paid');
  return depositLetterNow('welcome', intent, ended) && lettersDue(kinds, intent, ended);
}

function lettersDue(
  kinds: readonly DepositMailKind[],
  intent: Stripe.PaymentIntent,
  ended: readonly EndedLetter[],
): DepositMail[] {
  return kinds.flatMap((kind) => {
    const letter = depositLetterNow(kind, intent, ended);
    return letter && !isEnded(letter, ended) && !isPointless(letter, intent) ? [letter] : [];
  });
}

/** A deposit without a registration was made by hand, and owes nothing. */
function owes(
  kind: DepositMailKind,
  { metadata }: Stripe.PaymentIntent,
  ended: readonly EndedLetter[],
): boolean {
  if (mailRules[kind].owed === 'after a change') return toldLast(ended) !== undefined;
  return metadata.registration !== undefined;
}

/**
 * Whether a letter is not worth sending: a welcome after she cancelled, or any letter to an address that
 * bounces.
 */
function isPointless(letter: DepositMail, intent: Stripe.PaymentIntent): boolean {
  if (isUndeliverable(letter, readBounced(intent.customer))) return true;
  return letter.kind === 'welcome' && readDecisions(intent).cancel !== undefined;
}

/**
 * Whether a mail was sent or dismissed. The office is notified of a registration and its payment once each.
 */
export function isEnded(letter: DepositMail, ended: readonly EndedLetter[]): boolean {
  if (letter.kind === 'office-change' && isTold(toldLast(ended), letter)) return true;
  return endOf(letter, ended) !== undefined;
}

/** How a letter with the same facts ended, if it did. */
export function endOf(letter: RegistrationMail, ended: readonly EndedLetter[]): EndedLetter | undefined {
  const version = mailVersion(letter);
  return ended.find((one) => one.kind === letter.kind && one.version === version);
}

/** What the office was told last, see `toldBy`. */
function toldLast(ended: readonly EndedLetter[]): string | undefined {
  return ended.findLast(({ told, state }) => told !== undefined && state === 'sent')?.told;
}

/**
 * The mail of a kind with an intent's current facts, sent or not; undefined when its condition does not hold.
 */
export function depositLetterNow(
  kind: DepositMailKind,
  intent: Stripe.PaymentIntent,
  ended: readonly EndedLetter[],
): DepositMail | undefined {
  const state = stateOf(intent);
  const appliesWhile: readonly DepositState[] = mailRules[kind].appliesWhile;
  if (!state || !appliesWhile.includes(state)) return undefined;
  const { id: paymentIntentId, amount_received: amountCents, metadata } = intent;
  const registrant = registrantOf(intent);
  const edition = editionOf(intent)?.facts.id;
  if (edition === undefined || registrant.firstName === '' || registrant.email === '') return undefined;
  const linksEpoch = linksEpochOf(intent);
  const hers = { paymentIntentId, edition, ...registrant, ...(linksEpoch > 0 && { linksEpoch }) };
  const toldBefore = toldLast(ended);
  const told = toldBefore === undefined ? {} : { told: toldBefore };
  switch (kind) {
    case 'registration-received': {
      const hasPlace = metadata[ADDRESS_HAS_PLACE] === 'yes';
      return { kind, ...hers, ...(hasPlace && { addressHasPlace: true }) };
    }
    case 'office-notice':
      return { kind, ...hers, ...told };
    case 'office-change':
      return { kind, ...hers, ...told, paid: state === 'paid' };
    case 'welcome': {
      const termsVersion = readAgreement(metadata)?.version;
      const agreed = termsVersion === undefined ? {} : { termsVersion };
      return { kind, ...hers, amountCents, ...agreed, paidAt: chargedAt(intent).toISOString() };
    }
    case 'office-paid':
      return { kind, ...hers, ...told, amountCents };
  }
}

/** How often the links to the page of a deposit were renewed. */
export function linksEpochOf({ metadata }: Pick<Stripe.PaymentIntent, 'metadata'>): number {
  return Number(metadata[LINKS_MARK] ?? 0);
}

function stateOf(intent: Stripe.PaymentIntent): DepositState | undefined {
  if (isPaidInFull(intent)) return 'paid';
  return isUnpaid(intent) && isDeposit(intent) ? 'unpaid' : undefined;
}

/**
 * Who registered. If an intent was paid just when it was being closed, its details are removed already, but
 * its customer still has them.
 */
function registrantOf({ metadata, customer }: Stripe.PaymentIntent) {
  const account = customer && typeof customer === 'object' && !customer.deleted ? customer : undefined;
  return {
    firstName: metadata.firstName ?? account?.name ?? '',
    lastName: metadata.lastName ?? '',
    email: metadata.email ?? account?.email ?? '',
    phoneNumber: metadata.phoneNumber ?? account?.phone ?? '',
    timeZone: metadata.timeZone ?? '',
  };
}
