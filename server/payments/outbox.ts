import type Stripe from 'stripe';
import {
  goesToOffice,
  isDepositMail,
  isLaterMail,
  type KeptMailKind,
  type LaterMailKind,
  type MailOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import { mailVersion, toldBy } from '#server/mail/queued-job.ts';
import { addressDigest } from './address-digest.ts';
import { announcedKinds } from './announced-letters.ts';
import { type Announcements, readAnnouncements } from './announcements.ts';
import { isBalanceAhead } from './balance-letters.ts';
import { isUndeliverable, isUnreachable, readBounced } from './bounce-mark.ts';
import {
  depositLetterNow,
  dismissedMark,
  isSentOrDismissed,
  OFFICE_TOLD,
  sentMark,
} from './deposit-letters.ts';
import { findRegistration } from './find-registration.ts';
import { isTold, laterLetterNow, ownPageLinkLetter } from './later-letters.ts';
import { isMissing, isUnexpectedState, unknownPayment, unreadablePayment } from './provider-errors.ts';
import { markName, RECORD_MARKS, recognise } from './recognise-deposit.ts';
import { NOTICED_MARK, type RegistrationRecord, readCorrections } from './registration-record.ts';
import { retrieveIntent } from './retrieve-intent.ts';
import { untraced } from './untraced.ts';

/** The objects that a letter about the deposit needs besides the payment itself. */
const EXPANSION = ['customer', 'latest_charge'];

/** In the metadata: when a person looked at a payment that does not match what this site creates. */
const LOOKED_AT = 'looked-at';

/** A letter with its current facts, and whether it is on record as sent or dismissed. */
interface Letter {
  letter: RegistrationMail;
  isDone: boolean;
}

/** Which letter of a registration is requested. */
type Asked = Pick<RegistrationMail, 'kind' | 'paymentIntentId'> & { request?: string };

/**
 * The requested letter with its facts at a moment; undefined when its condition does not hold, or there is no
 * such registration. Every letter that is sent, or sent again by support, is read here.
 * @throws {AppError} when the payment is for an edition that this release does not know: another release may
 *   send it
 */
async function findLetter(
  stripe: Stripe,
  { kind, paymentIntentId, request }: Asked,
  now: Date,
): Promise<Letter | undefined> {
  if (isDepositMail(kind)) {
    const intent = await retrieveIntent(stripe, paymentIntentId, EXPANSION);
    if (intent && recognise(intent) === 'unknown') throw unknownPayment(intent);
    if (!intent || intent.metadata[RECORD_MARKS.forgotten] !== undefined) return undefined;
    const letter = depositLetterNow(kind, intent);
    if (!letter || isUndeliverable(letter, readBounced(intent.customer))) return undefined;
    const isDone = isSentOrDismissed(letter, intent);
    if (letter.kind === 'office-change') return { letter: withDetailsBefore(letter, intent), isDone };
    if (letter.kind !== 'welcome') return { letter, isDone };
    const welcome = await welcomeNow(stripe, letter, now);
    return welcome && { letter: welcome, isDone };
  }
  const record = await findKnown(stripe, paymentIntentId);
  if (!record) return undefined;
  if (isLaterMail(kind)) {
    const letter = laterLetterNow(kind, record, now, await announcedTo(stripe, kind, record));
    return letter && { letter, isDone: isTold(letter, record) };
  }
  const letter = request === undefined ? undefined : ownPageLinkLetter(record, request);
  return letter && { letter, isDone: false };
}

/**
 * The announcements that a letter depends on; for a letter that depends on none, nothing is read.
 * @throws {AppError} when a schedule was announced that this release does not know: another release may send
 *   it
 */
async function announcedTo(
  stripe: Stripe,
  kind: LaterMailKind,
  { edition }: RegistrationRecord,
): Promise<Announcements | undefined> {
  if (!announcedKinds.some((one) => one === kind)) return undefined;
  const announced = await readAnnouncements(stripe, edition);
  const { id, calendar } = edition.facts;
  const { revision = 0 } = announced.scheduleTold ?? {};
  if (kind === 'schedule-changed' && revision > calendar.revision)
    throw unreadablePayment(`Revision ${revision} of the schedule of ${id} is unknown here`);
  return announced;
}

/** Adds what was corrected, as far as that is on record, to the letter to the office. */
function withDetailsBefore(
  letter: MailOf<'office-change'>,
  intent: Stripe.PaymentIntent,
): MailOf<'office-change'> {
  const { name, email, phoneNumber } = readCorrections(intent);
  const before = {
    ...(name && { name: detailBefore(name) }),
    ...(email && { email: detailBefore(email) }),
    ...(phoneNumber && { phoneNumber: detailBefore(phoneNumber) }),
  };
  return Object.keys(before).length > 0 ? { ...letter, before } : letter;
}

function detailBefore({ was, at, by }: { was: string; at: Date; by: string }) {
  return { was, until: at.toISOString(), by };
}

/**
 * The welcome, if it is still to be sent; `hasMovedOn` if what it would say of the balance is out of date.
 */
async function welcomeNow(
  stripe: Stripe,
  letter: MailOf<'welcome'>,
  now: Date,
): Promise<MailOf<'welcome'> | undefined> {
  const record = await findRegistration(stripe, letter.paymentIntentId);
  if (!record || !isWelcome(record, now)) return undefined;
  const welcome = { ...letter, writtenAt: now.toISOString() };
  return isBalanceAhead(record, now) ? welcome : { ...welcome, hasMovedOn: true };
}

/**
 * Whether a paid registration gets a welcome: not once she has cancelled, or the retreat is over; nor if
 * letters to her bounce.
 */
export function isWelcome(record: RegistrationRecord, now: Date): boolean {
  const { decisions, cancelled, edition, paidAt, forgottenAt } = record;
  const endsAt = new Date(edition.facts.endsAt);
  const isOver = now >= endsAt && paidAt !== undefined && paidAt < endsAt;
  return !decisions.cancel && !cancelled && !isOver && !forgottenAt && !isUnreachable(record);
}

async function findKnown(stripe: Stripe, paymentIntentId: string): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(stripe, paymentIntentId);
  if (record) return record;
  const intent = await retrieveIntent(stripe, paymentIntentId);
  if (intent && recognise(intent) === 'unknown') throw unknownPayment(intent);
  return undefined;
}

/**
 * A queued mail as it is to be sent now, with the registration's current details; undefined when it is not to
 * be sent any more: it no longer applies, would go to another address now, or is on record as sent or
 * dismissed and no person requested it again.
 * @throws {AppError} when the payment is for an edition that this release does not know: another release may
 *   send it
 */
export async function findDue(
  stripe: Stripe,
  job: RegistrationMail,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const found = await findLetter(stripe, job, now);
  if (!found) return undefined;
  const { letter, isDone } = found;
  // A notice to the office about the deposit contains the current details, whatever was queued.
  const isAnyVersion = isDepositMail(job.kind) && goesToOffice(job);
  if (!isAnyVersion && mailVersion(letter) !== mailVersion(job)) return undefined;
  if (job.again) return { ...letter, again: true };
  return isDone ? undefined : letter;
}

/**
 * A mail with a registration's current facts; undefined when it does not apply, or there is
 * no such registration.
 */
export async function findMail(
  stripe: Stripe,
  paymentIntentId: string,
  kind: KeptMailKind,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const found = await findLetter(stripe, { kind, paymentIntentId }, now);
  return found?.letter;
}

/**
 * Records that a mail was sent. For a mail to the office it also records the details that the mail reported;
 * for a letter that announces a charge, the time and sum of the charge and when she was notified: without
 * these her card is not charged.
 */
export async function markSent(stripe: Stripe, job: RegistrationMail, sentAt: Date): Promise<void> {
  const { kind, paymentIntentId } = job;
  if (isDepositMail(kind)) {
    const told = goesToOffice(job) ? { [OFFICE_TOLD]: toldBy(job) } : {};
    const metadata = { [markName(kind)]: sentMark(job), ...told };
    await untraced(() => stripe.paymentIntents.update(paymentIntentId, { metadata }));
  } else if (isLaterMail(kind)) {
    await markCustomer(stripe, job, { [markName(kind)]: sentMark(job), ...noticedBy(job, sentAt) });
  }
}

/** The metadata of the customer after a letter that announces a charge was sent; empty for other letters. */
export function noticedBy(job: RegistrationMail, at: Date): Record<string, string> {
  if (job.kind !== 'balance-notice' && job.kind !== 'balance-postponed') return {};
  const { dueAt, cents, email } = job;
  return { [NOTICED_MARK]: JSON.stringify({ at, dueAt, cents, to: addressDigest(email) }) };
}

/** Records that a person dismissed a mail: nothing queues it again. */
export async function markDismissed(stripe: Stripe, job: RegistrationMail): Promise<void> {
  const { kind, paymentIntentId } = job;
  const metadata = { [markName(kind)]: dismissedMark(job) };
  if (isDepositMail(kind)) await mark(stripe, paymentIntentId, metadata);
  if (isLaterMail(kind)) await markCustomer(stripe, job, metadata);
}

/** Writes marks to the customer, unless somebody has deleted it. */
async function markCustomer(
  stripe: Stripe,
  { customerId }: RegistrationMail,
  metadata: Stripe.MetadataParam,
): Promise<void> {
  if (customerId === undefined) return;
  await untraced(() => stripe.customers.update(customerId, { metadata })).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Records on an intent that a person handles it: no welcome is sent, and no walk reports it. */
export async function markLookedAt(stripe: Stripe, paymentIntentId: string, now: Date): Promise<void> {
  await mark(stripe, paymentIntentId, { [LOOKED_AT]: now.toISOString() });
}

/**
 * Whether a payment needs no attention: a person handles it, or its registrant was welcomed, or her data were
 * removed.
 */
export function isHandled({ metadata }: Stripe.PaymentIntent): boolean {
  const welcome = metadata[markName('welcome')];
  const isForgotten = metadata[RECORD_MARKS.forgotten] !== undefined;
  return isForgotten || metadata[LOOKED_AT] !== undefined || /^(?:sent|dismissed)/.test(welcome ?? '');
}

/** Writes marks to a payment. One that is cancelled or deleted cannot hold marks, and owes no letters. */
async function mark(stripe: Stripe, id: string, metadata: Stripe.MetadataParam): Promise<void> {
  await stripe.paymentIntents.update(id, { metadata }).catch((error: unknown) => {
    if (!isUnexpectedState(error) && !isMissing(error)) throw error;
  });
}
