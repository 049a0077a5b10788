import type Stripe from 'stripe';
import * as v from 'valibot';
import {
  type DepositMailKind,
  type DepositState,
  isDepositMail,
  MAIL_KINDS,
  type MailJob,
  type MailKind,
  type MailOf,
  mailJobSchema,
  mailRules,
  type PersonMail,
} from '#server/mail/job.ts';
import { isTold, mailVersion } from '#server/mail/queued-job.ts';
import { isUndeliverable, readBounced } from './bounce-mark.ts';
import { readDecisions } from './decisions.ts';
import { ADDRESS_HAS_PLACE } from './earlier-registrations.ts';
import { chargedAt, editionOf, isDeposit, isPaidInFull, isUnpaid, markName } from './recognise-deposit.ts';
import { readAgreement } from './terms-mark.ts';

/**
 * The values under `markName`: the mail is owed, it was sent, or a person dismissed it; the latter two
 * include its version, see `mailVersion`. An intent without a mark owes no mail: it was made by hand.
 */
export const sentMark = (job: PersonMail): string => `sent ${mailVersion(job)}`;
export const dismissedMark = (job: PersonMail): string => `dismissed ${mailVersion(job)}`;

/** In the metadata: the details that the office was last notified of, see `toldBy`. */
export const OFFICE_TOLD = 'office-told';

/** In the metadata: how often the links to her page were renewed. */
export const LINKS_MARK = 'links';

/** A letter about the deposit. */
type DepositMail = MailOf<DepositMailKind>;
const isOfDeposit = (job: MailJob): job is DepositMail => isDepositMail(job.kind);
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The metadata of a new intent, with the marks of the mails that it owes from the start. */
export function owing<Metadata extends object>(metadata: Metadata) {
  const marks = DEPOSIT_KINDS.filter((kind) => mailRules[kind].owed !== 'after a change').map((kind) => [
    markName(kind),
    mailRules[kind].owed === 'once paid' ? 'owed once paid' : 'owed',
  ]);
  return { ...metadata, ...Object.fromEntries(marks) };
}

/** The mails that are due for an intent: true at this moment, owed by it, and neither sent nor dismissed. */
export function lettersOwed(intent: Stripe.PaymentIntent): DepositMail[] {
  return lettersDue(DEPOSIT_KINDS, intent).filter(({ kind }) => owes(kind, intent));
}

/** The status of each letter of a registration; a letter that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed'>>;

/** The status of the letters about a deposit, according to its marks. */
export function lettersOf(intent: Stripe.PaymentIntent): Letters {
  const owed = lettersOwed(intent).map(({ kind }) => [kind, 'owed']);
  const done = DEPOSIT_KINDS.flatMap((kind) => {
    const [word] = intent.metadata[markName(kind)]?.split(' ') ?? [];
    return word === 'sent' || word === 'dismissed' ? [[kind, word]] : [];
  });
  // `owed` overrides `sent`: a letter that was sent may be owed again, to another address.
  return Object.fromEntries([...done, ...owed]);
}

/** The mails due after an intent's payment, also without marks; undefined when its registrant cannot be read. */
export function lettersOfPayment(intent: Stripe.PaymentIntent): DepositMail[] | undefined {
  const kinds = DEPOSIT_KINDS.filter((kind) => mailRules[kind].owed === 'once paid');
  return depositLetterNow('welcome', intent) && lettersDue(kinds, intent);
}

function lettersDue(kinds: readonly DepositMailKind[], intent: Stripe.PaymentIntent): DepositMail[] {
  return kinds.flatMap((kind) => {
    const letter = depositLetterNow(kind, intent);
    return letter && !isSentOrDismissed(letter, intent) && !isPointless(letter, intent) ? [letter] : [];
  });
}

function owes(kind: DepositMailKind, { metadata }: Stripe.PaymentIntent): boolean {
  return metadata[mailRules[kind].owed === 'after a change' ? OFFICE_TOLD : markName(kind)] !== undefined;
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
 * Whether a mail is recorded as sent or dismissed. The office is notified of a registration and its payment
 * once each.
 */
export function isSentOrDismissed(letter: DepositMail, { metadata }: Stripe.PaymentIntent): boolean {
  const mark = metadata[markName(letter.kind)];
  if (mark === dismissedMark(letter)) return true;
  if (letter.kind === 'office-change') return isTold(metadata[OFFICE_TOLD], letter);
  // Any version counts: there is only one notice.
  if (letter.kind === 'office-notice') return mark?.startsWith('sent') === true;
  return mark === sentMark(letter);
}

/**
 * The mail of a kind with an intent's current facts, sent or not; undefined when its condition does not hold.
 */
export function depositLetterNow(
  kind: DepositMailKind,
  intent: Stripe.PaymentIntent,
): DepositMail | undefined {
  const state = stateOf(intent);
  const appliesWhile: readonly DepositState[] = mailRules[kind].appliesWhile;
  if (!state || !appliesWhile.includes(state)) return undefined;
  const { id: paymentIntentId, amount_received: amountCents, metadata } = intent;
  const addressHasPlace = metadata[ADDRESS_HAS_PLACE] === 'yes';
  const told = metadata[OFFICE_TOLD];
  const termsVersion = readAgreement(metadata)?.version;
  const linksEpoch = linksEpochOf(intent);
  const facts = {
    kind,
    paymentIntentId,
    amountCents,
    paid: state === 'paid',
    ...(linksEpoch > 0 && { linksEpoch }),
    ...(told !== undefined && { told }),
    ...(addressHasPlace && { addressHasPlace }),
    ...(termsVersion !== undefined && { termsVersion }),
    ...(state === 'paid' && { paidAt: chargedAt(intent).toISOString() }),
  };
  const edition = editionOf(intent)?.facts.id;
  const letter = v.safeParse(mailJobSchema, { ...registrantOf(intent), ...facts, edition });
  return letter.success && isOfDeposit(letter.output) ? letter.output : undefined;
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
  if (!customer || typeof customer === 'string' || customer.deleted) return metadata;
  const { name, email, phone } = customer;
  return { firstName: name ?? '', email: email ?? '', phoneNumber: phone ?? '', ...metadata };
}
