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
 * What stands under `markName`: that the mail is owed, that it was sent, or that a person dismissed it, the latter two
 * with its version, see `mailVersion`. An intent without a mark owes none: it was made by hand.
 */
export const sentMark = (job: PersonMail): string => `sent ${mailVersion(job)}`;
export const dismissedMark = (job: PersonMail): string => `dismissed ${mailVersion(job)}`;

/** In the metadata: what the office was told last, see `toldBy`. */
export const OFFICE_TOLD = 'office-told';

/** In the metadata: how often the links to her page were renewed. */
export const LINKS_MARK = 'links';

/** A letter about the deposit. */
type DepositMail = MailOf<DepositMailKind>;
const isOfDeposit = (job: MailJob): job is DepositMail => isDepositMail(job.kind);
const DEPOSIT_KINDS = MAIL_KINDS.filter(isDepositMail);

/** The metadata of a new intent, with the mails that it owes from its first moment on. */
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

/** What became of the letters of a registration; one that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed'>>;

/** How the letters about a deposit stand, by its marks. */
export function lettersOf(intent: Stripe.PaymentIntent): Letters {
  const owed = lettersOwed(intent).map(({ kind }) => [kind, 'owed']);
  const done = DEPOSIT_KINDS.flatMap((kind) => {
    const [word] = intent.metadata[markName(kind)]?.split(' ') ?? [];
    return word === 'sent' || word === 'dismissed' ? [[kind, word]] : [];
  });
  // A letter that was sent and is owed again, to another address, is owed.
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

/** Nobody who cancelled is welcomed, and nothing is sent to an address that takes no letters. */
function isPointless(letter: DepositMail, intent: Stripe.PaymentIntent): boolean {
  if (isUndeliverable(letter, readBounced(intent.customer))) return true;
  return letter.kind === 'welcome' && readDecisions(intent).cancel !== undefined;
}

/** Whether a mail is on record as sent or dismissed. The office is told of a registration and its payment once each. */
export function isSentOrDismissed(letter: DepositMail, { metadata }: Stripe.PaymentIntent): boolean {
  const mark = metadata[markName(letter.kind)];
  if (mark === dismissedMark(letter)) return true;
  if (letter.kind === 'office-change') return isTold(metadata[OFFICE_TOLD], letter);
  // Of any version: there is only one notice.
  if (letter.kind === 'office-notice') return mark?.startsWith('sent') === true;
  return mark === sentMark(letter);
}

/** The mail of a kind as it is true of an intent at this moment, sent or not; undefined when it is not true. */
export function depositLetterNow(
  kind: DepositMailKind,
  intent: Stripe.PaymentIntent,
): DepositMail | undefined {
  const state = stateOf(intent);
  const trueWhile: readonly DepositState[] = mailRules[kind].trueWhile;
  if (!state || !trueWhile.includes(state)) return undefined;
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
 * Who registered. Where the details were taken from an intent that was to be closed and was paid in that moment, its
 * customer has them still.
 */
function registrantOf({ metadata, customer }: Stripe.PaymentIntent) {
  if (!customer || typeof customer === 'string' || customer.deleted) return metadata;
  const { name, email, phone } = customer;
  return { firstName: name ?? '', email: email ?? '', phoneNumber: phone ?? '', ...metadata };
}
