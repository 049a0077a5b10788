import type { Database } from '#server/database/database.ts';
import { isBalanceAhead } from '#server/letters/balance-letters.ts';
import { isTold, laterLettersNow } from '#server/letters/letters-due.ts';
import { messageLetter } from '#server/letters/message.ts';
import { placeLinkLetter } from '#server/letters/place-link.ts';
import { isWelcome } from '#server/letters/welcome.ts';
import {
  goesToOffice,
  isAnnounced,
  isDepositMail,
  isLaterMail,
  isMessageName,
  type KeptLetter,
  type LaterMailKind,
  type MailOf,
  mailRules,
  messageIdOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { mailVersion } from '#server/mail/queued-job.ts';
import { hasKind, unreadablePayment, writeAct } from '#server/record/acts.ts';
import { isUndeliverable, parseBounced } from '#server/record/bounce-mark.ts';
import { depositLetterNow, isEnded } from '#server/record/deposit-letters.ts';
import { ACTS, type OnRecord, type Register } from '#server/record/on-record.ts';
import { recognise } from '#server/record/recognise-deposit.ts';
import type { RegistrationRecord } from '#server/record/registration-record.ts';
import { type Announcements, readAnnouncements } from './announcements.ts';
import { findRegistration, type Records, takeDeposit } from './find-registration.ts';
import { readMessages } from './messages.ts';
import { unknownPayment } from './provider-errors.ts';
import { retrieveIntent } from './stripe-calls.ts';

/** A letter with its current facts, and whether it is on record as sent or dismissed. */
interface Letter {
  letter: RegistrationMail;
  isDone: boolean;
}

/** Which letter of a registration is owed, as it is recorded. */
export type OwedLetter = Pick<RecordedLetter, 'subject' | 'version' | 'again'> &
  Pick<RegistrationMail, 'kind'>;

/** Which letter of a registration is wanted; `request` names which one of those that somebody asked for. */
type Asked = Pick<RegistrationMail, 'kind' | 'paymentIntentId'> & { request?: string; version?: string };

/**
 * The requested letter with its facts at a moment; undefined when its condition does not hold, or there is no
 * such registration. Every letter that is sent, or sent again by support, is read here.
 * @throws {AppError} when the payment is for an edition that this release does not know: another release may
 *   send it
 */
async function findLetter(
  records: Records,
  { kind, paymentIntentId, request, version }: Asked,
  now: Date,
): Promise<Letter | undefined> {
  if (isDepositMail(kind)) {
    const taken = await takeDeposit(records, paymentIntentId);
    if (!taken) return undefined;
    const { deposit, onRecord } = taken;
    if (recognise(deposit) === 'unknown') throw unknownPayment(deposit);
    const letter = depositLetterNow(kind, onRecord);
    if (!letter || isUndeliverable(letter, onRecord.bounces.map(parseBounced))) return undefined;
    const isDone = isEnded(letter, onRecord.endedLetters);
    if (letter.kind !== 'welcome') return { letter, isDone };
    const welcome = await welcomeNow(records, letter, now);
    return welcome && { letter: welcome, isDone };
  }
  const record = await findKnown(records, paymentIntentId);
  if (!record) return undefined;
  if (isLaterMail(kind)) {
    const announced = await announcedTo(records.database, kind, record);
    const letters = laterLettersNow(kind, record, now, announced);
    // Of receipts, the last one is wanted.
    const wanted = letters.at(kind === 'part-paid' ? -1 : 0);
    const letter = letters.find((one) => mailVersion(one) === version) ?? wanted;
    return letter && { letter, isDone: isTold(letter, record) };
  }
  if (request === undefined) return undefined;
  if (kind === 'message') return findMessage(records, record, request);
  const letter = placeLinkLetter(record, request);
  return letter && { letter, isDone: false };
}

/** A letter that the office wrote: done once it was stopped. */
async function findMessage(
  { database }: Records,
  record: RegistrationRecord,
  id: string,
): Promise<Letter | undefined> {
  const written = (await readMessages({ database }, record.edition)).find(({ message }) => message === id);
  const letter = written && messageLetter(record, written);
  return letter && { letter, isDone: written.stopped !== undefined || isTold(letter, record) };
}

/**
 * The announcements that a letter depends on; for a letter that depends on none, nothing is read.
 * @throws {AppError} when a schedule was announced that this release does not know: another release may send
 *   it
 */
async function announcedTo(
  database: Database,
  kind: LaterMailKind,
  { edition }: RegistrationRecord,
): Promise<Announcements | undefined> {
  if (!isAnnounced(kind)) return undefined;
  const announced = await readAnnouncements({ database }, edition);
  const { id, calendar } = edition.facts;
  const { revision = 0 } = announced.scheduleTold ?? {};
  if (kind === 'schedule-changed' && revision > calendar.revision)
    throw unreadablePayment(`Revision ${revision} of the schedule of ${id} is unknown here`);
  return announced;
}

/**
 * The welcome, if it is still to be sent; `hasMovedOn` if what it would say of the balance is out of date.
 */
async function welcomeNow(
  records: Records,
  letter: MailOf<'welcome'>,
  now: Date,
): Promise<MailOf<'welcome'> | undefined> {
  const record = await findRegistration(records, letter.paymentIntentId);
  if (!record || !isWelcome(record, now)) return undefined;
  const welcome = { ...letter, writtenAt: now.toISOString() };
  return isBalanceAhead(record, now) ? welcome : { ...welcome, hasMovedOn: true };
}

async function findKnown(records: Records, paymentIntentId: string): Promise<RegistrationRecord | undefined> {
  const record = await findRegistration(records, paymentIntentId);
  if (record) return record;
  const intent = await retrieveIntent(records.stripe, paymentIntentId);
  if (intent && recognise(intent) === 'unknown') throw unknownPayment(intent);
  return undefined;
}

/**
 * A letter that is owed, as it is to be sent now, with the registration's current details; undefined when it is not to
 * be sent any more: it no longer applies, would go to another address now, or is on record as sent or
 * dismissed and no person requested it again.
 * @throws {AppError} when the payment is for an edition that this release does not know: another release may
 *   send it
 */
export async function findDue(
  records: Records,
  { kind, subject, version, again }: OwedLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const isRequested = mailRules[kind].about === 'request';
  const asked = { kind, paymentIntentId: subject, version, ...(isRequested && { request: version }) };
  const found = await findLetter(records, asked, now);
  if (!found) return undefined;
  const { letter, isDone } = found;
  // A notice to the office about the deposit contains the current details, whatever was queued.
  const isAnyVersion = isDepositMail(kind) && goesToOffice({ kind });
  if (!isAnyVersion && mailVersion(letter) !== version) return undefined;
  if (again) return { ...letter, again: true };
  return isDone ? undefined : letter;
}

/**
 * A mail with a registration's current facts; undefined when it does not apply, or there is
 * no such registration.
 */
export async function findMail(
  records: Records,
  paymentIntentId: string,
  name: KeptLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const which = isMessageName(name)
    ? { kind: 'message' as const, request: messageIdOf(name) }
    : { kind: name };
  const found = await findLetter(records, { ...which, paymentIntentId }, now);
  return found?.letter;
}

/** Records that a person handles a payment: no welcome is sent, and the worker reports it no more. */
export async function markLookedAt({ database }: Register, id: string, by: string, now: Date): Promise<void> {
  const act = { kind: ACTS.lookedAt, at: now, by };
  await writeAct(database, id, (acts) => (hasKind(acts, ACTS.lookedAt) ? undefined : act));
}

/**
 * Whether a payment needs no attention: a person handles it, or its registrant was welcomed, or her data were
 * removed.
 */
export function isHandled({ registration, acts, endedLetters }: OnRecord): boolean {
  const isForgotten = registration !== undefined && registration.forgottenAt !== null;
  const isWelcomed = endedLetters.some(({ kind }) => kind === 'welcome');
  return isForgotten || isWelcomed || hasKind(acts, ACTS.lookedAt);
}
