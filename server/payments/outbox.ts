import type Stripe from 'stripe';
import * as v from 'valibot';
import {
  type DepositState,
  goesToOffice,
  isTold,
  MAIL_KINDS,
  type MailJob,
  type MailKind,
  mailJobSchema,
  mailRules,
  mailVersion,
  toldBy,
} from '#server/mail/job.ts';
import { ADDRESS_HAS_PLACE } from './earlier-registrations.ts';
import { isMissing, isUnexpectedState, unknownPayment } from './provider-errors.ts';
import {
  chargedAt,
  editionOf,
  isDeposit,
  isPaidInFull,
  isUnpaid,
  markName,
  recognise,
} from './recognise-deposit.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { readAgreement } from './terms-mark.ts';
import { untraced } from './untraced.ts';

/**
 * What stands under `markName`: that the mail is owed, that it was sent, or that a person dismissed it, the latter two
 * with its version, see `mailVersion`. An intent without a mark owes none: it was made by hand.
 */
const sentMark = (job: MailJob): string => `sent ${mailVersion(job)}`;
const dismissedMark = (job: MailJob): string => `dismissed ${mailVersion(job)}`;

/** What a letter is made from besides the payment itself. */
const EXPANSION = ['customer', 'latest_charge'];

/** In the metadata: what the office was told last, see `toldBy`. */
const OFFICE_TOLD = 'office-told';

/** In the metadata: when a person looked at a payment that does not match what this site creates. */
const LOOKED_AT = 'looked-at';

/** The metadata of a new intent, with the mails that it owes from its first moment on. */
export function owing<Metadata extends object>(metadata: Metadata) {
  const marks = MAIL_KINDS.filter((kind) => mailRules[kind].owed !== 'after a change').map((kind) => [
    markName(kind),
    mailRules[kind].owed === 'once paid' ? 'owed once paid' : 'owed',
  ]);
  return { ...metadata, ...Object.fromEntries(marks) };
}

/** The mails that are due for an intent: true at this moment, owed by it, and neither sent nor dismissed. */
export function lettersOwed(intent: Stripe.PaymentIntent): MailJob[] {
  return lettersDue(MAIL_KINDS, intent).filter(({ kind }) => owes(kind, intent));
}

/** What became of the letters of a registration; one that is not owed yet is left out. */
export type Letters = Partial<Record<MailKind, 'owed' | 'sent' | 'dismissed'>>;

/** How the letters of an intent stand, by its marks. */
export function lettersOf(intent: Stripe.PaymentIntent): Letters {
  const owed = lettersOwed(intent).map(({ kind }) => [kind, 'owed']);
  const done = MAIL_KINDS.flatMap((kind) => {
    const [word] = intent.metadata[markName(kind)]?.split(' ') ?? [];
    return word === 'sent' || word === 'dismissed' ? [[kind, word]] : [];
  });
  // A letter that was sent and is owed again, to another address, is owed.
  return Object.fromEntries([...done, ...owed]);
}

/** The mails due after an intent's payment, also without marks; undefined when its registrant cannot be read. */
export function lettersOfPayment(intent: Stripe.PaymentIntent): MailJob[] | undefined {
  const kinds = MAIL_KINDS.filter((kind) => mailRules[kind].owed === 'once paid');
  return letterNow('welcome', intent) && lettersDue(kinds, intent);
}

function lettersDue(kinds: readonly MailKind[], intent: Stripe.PaymentIntent): MailJob[] {
  return kinds.flatMap((kind) => {
    const letter = letterNow(kind, intent);
    return letter && !isSentOrDismissed(letter, intent) ? [letter] : [];
  });
}

function owes(kind: MailKind, { metadata }: Stripe.PaymentIntent): boolean {
  return metadata[mailRules[kind].owed === 'after a change' ? OFFICE_TOLD : markName(kind)] !== undefined;
}

/** Whether a mail is on record as sent or dismissed. The office is told of a registration and its payment once each. */
function isSentOrDismissed(letter: MailJob, { metadata }: Stripe.PaymentIntent): boolean {
  const mark = metadata[markName(letter.kind)];
  if (mark === dismissedMark(letter)) return true;
  if (letter.kind === 'office-change') return isTold(metadata[OFFICE_TOLD], letter);
  // Of any version: there is only one notice.
  if (letter.kind === 'office-notice') return mark?.startsWith('sent') === true;
  return mark === sentMark(letter);
}

/** The mail of a kind as it is true of an intent at this moment, sent or not; undefined when it is not true. */
function letterNow(kind: MailKind, intent: Stripe.PaymentIntent): MailJob | undefined {
  const state = stateOf(intent);
  if (!state || !mailRules[kind].trueWhile.includes(state)) return undefined;
  const { id: paymentIntentId, amount_received: amountCents, metadata } = intent;
  const addressHasPlace = metadata[ADDRESS_HAS_PLACE] === 'yes';
  const told = metadata[OFFICE_TOLD];
  const termsVersion = readAgreement(metadata)?.version;
  const facts = {
    kind,
    paymentIntentId,
    amountCents,
    paid: state === 'paid',
    ...(told !== undefined && { told }),
    ...(addressHasPlace && { addressHasPlace }),
    ...(termsVersion !== undefined && { termsVersion }),
    ...(state === 'paid' && { paidAt: chargedAt(intent).toISOString() }),
  };
  const edition = editionOf(intent)?.facts.id;
  const letter = v.safeParse(mailJobSchema, { ...registrantOf(intent), ...facts, edition });
  return letter.success ? letter.output : undefined;
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

/**
 * A queued mail as it is to be sent now, with the registration's present details; undefined when it is not to be sent
 * any more: what it says is no longer true, its registrant has another address, or it is on record as sent or dismissed
 * and no person asked for it again.
 * @throws {AppError} when the payment is of an edition that this release does not know: another release may send it
 */
export async function findDue(stripe: Stripe, job: MailJob): Promise<MailJob | undefined> {
  const intent = await retrieveIntent(stripe, job.paymentIntentId, EXPANSION);
  if (intent && recognise(intent) === 'unknown') throw unknownPayment(intent);
  const letter = intent && letterNow(job.kind, intent);
  if (!letter || (!goesToOffice(job) && mailVersion(letter) !== mailVersion(job))) return undefined;
  if (job.again) return { ...letter, again: true };
  return isSentOrDismissed(letter, intent) ? undefined : letter;
}

/** Writes to the intent that a mail was sent, and if the office got it, what it was told. */
export async function markSent(stripe: Stripe, job: MailJob): Promise<void> {
  const told = goesToOffice(job) ? { [OFFICE_TOLD]: toldBy(job) } : {};
  const metadata = { [markName(job.kind)]: sentMark(job), ...told };
  await untraced(() => stripe.paymentIntents.update(job.paymentIntentId, { metadata }));
}

/** Writes to the intent that a person wants a mail not to be sent: nothing queues it again. */
export async function markDismissed(stripe: Stripe, job: MailJob): Promise<void> {
  await mark(stripe, job.paymentIntentId, { [markName(job.kind)]: dismissedMark(job) });
}

/** Records on an intent that a person handles it: no welcome is sent, and no walk reports it. */
export async function markLookedAt(stripe: Stripe, paymentIntentId: string): Promise<void> {
  await mark(stripe, paymentIntentId, { [LOOKED_AT]: new Date().toISOString() });
}

/** Whether a payment needs no person any more: one handles it, or its registrant was welcomed. */
export function isHandled({ metadata }: Stripe.PaymentIntent): boolean {
  const welcome = metadata[markName('welcome')];
  return metadata[LOOKED_AT] !== undefined || /^(?:sent|dismissed)/.test(welcome ?? '');
}

/** A payment that is cancelled or gone takes no marks, and owes nothing. */
async function mark(stripe: Stripe, id: string, metadata: Stripe.MetadataParam): Promise<void> {
  await stripe.paymentIntents.update(id, { metadata }).catch((error: unknown) => {
    if (!isUnexpectedState(error) && !isMissing(error)) throw error;
  });
}

/** A mail of a registration, as it is true now; undefined when there is no such registration or it is not true. */
export async function findMail(
  stripe: Stripe,
  paymentIntentId: string,
  kind: MailKind,
): Promise<MailJob | undefined> {
  const intent = await retrieveIntent(stripe, paymentIntentId, EXPANSION);
  return intent && letterNow(kind, intent);
}

/**
 * Writes a corrected e-mail address to a registration's payment and customer, so that later mails go there too.
 * @returns the mails that are due to the new address; undefined when there is no such registration, or it is closed
 */
export async function correctAddress(
  stripe: Stripe,
  paymentIntentId: string,
  email: string,
): Promise<MailJob[] | undefined> {
  const intent = await retrieveIntent(stripe, paymentIntentId, EXPANSION);
  if (!intent || !isDeposit(intent) || intent.status === 'canceled') return undefined;
  const customer = typeof intent.customer === 'string' ? intent.customer : intent.customer?.id;
  if (customer) await stripe.customers.update(customer, { email: email.toLowerCase() });
  // What is paid has had Stripe's receipt, if any.
  const receipt = intent.status === 'succeeded' ? {} : { receipt_email: email };
  const changes = { ...receipt, metadata: { email } };
  return lettersOwed(await stripe.paymentIntents.update(intent.id, changes));
}
