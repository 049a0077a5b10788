import { causeOf } from '#server/http/app-error.ts';
import { type Announcements, readAnnouncements, readMessages } from '#server/letters/announcements.ts';
import { CARD_EXPIRY_MS } from '#server/letters/balance-letters.ts';
import { placeLinkLetter } from '#server/letters/holder-letters.ts';
import type { AnnouncedToAll } from '#server/letters/letter-kind.ts';
import { messageLetter } from '#server/letters/message.ts';
import { heldMoments, isFirstLetter, remindAt } from '#server/letters/registration-letters.ts';
import { roomlessMoments } from '#server/letters/retreat-letters.ts';
import { isSentOrDismissed, lettersDue, lettersNow } from '#server/letters/table.ts';
import {
  isAnnounced,
  isKeptMail,
  isMessageName,
  type KeptLetter,
  type KeptMailKind,
  mailRules,
  mailVersion,
  messageIdOf,
  type RegistrationMail,
} from '#server/mail/job.ts';
import type { RecordedLetter } from '#server/mail/letter-log.ts';
import { hasKind, unreadablePayment } from '#server/registration/acts.ts';
import { questionsRemindAt } from '#server/registration/answers.ts';
import { type Installment, installmentsOf, paidBalances } from '#server/registration/balance.ts';
import { refundStop, workedOffFrom } from '#server/registration/cancelling.ts';
import {
  askedToAgreeFrom,
  chargeHeldUntil,
  installmentToCharge,
  nextTryAt,
  payingUntil,
  tellingTimes,
} from '#server/registration/charges.ts';
import { linksEndAt } from '#server/registration/links.ts';
import type { Register } from '#server/registration/on-record.ts';
import { type Reading, readRegistrations } from '#server/registration/read-registration.ts';
import type { RegistrationRecord } from '#server/registration/registration-record.ts';
import { heldEnd, LAPSED_AFTER_MS } from '#server/registration/registration-state.ts';
import { writeAct } from '#server/registration/write-acts.ts';
import { stalePayments } from '#server/stripe/balance.ts';
import { isToBeClosed } from '#server/stripe/forget.ts';
import { isCustomerToBeFitted } from '#server/stripe/hand-over.ts';
import type { Facts } from '#shared/content/edition.ts';
import { momentsOf, registrationOverAt } from '#shared/content/moments.ts';

export type Deed =
  /** Registration is over, and this deposit unpaid. */
  | 'closing'
  /**
   * An open payment of the balance does not match what is left to pay, or that of a deposit is open which was paid in
   * another way: a decision was interrupted before cancelling it.
   */
  | 'fit-balance'
  /** The customer at Stripe may have the name, or a card, of somebody who has not got the place. */
  | 'fit-customer'
  /** The balance is to be charged. */
  | 'charge'
  /** A refund is to be made, or a cancellation without a refund to be completed. */
  | 'refund';

export interface Due {
  letters: readonly RegistrationMail[];
  deeds: readonly Deed[];
  /** Why a person must look: it cannot be read, or was paid otherwise than this site made it. */
  attention?: string;
  /** Absent where it cannot be read, or is no deposit of an edition that this release knows. */
  registration?: RegistrationRecord;
  /** The next moment at which anything of this changes by time alone, see `nextMomentOf`. */
  next?: Date;
}

export interface Circumstances {
  now: Date;
  /** Whether registration for an edition is over, so that nobody pays for it any more. */
  isOver: (facts: Facts) => boolean;
  /** What the office has announced to everyone, by edition; without it no letter about an announcement is due. */
  announced?: ReadonlyMap<string, AnnouncedToAll> | undefined;
}

/** From what is on record. What cannot be read keeps nothing from others. */
export function dueOf({ record, problem }: Reading, circumstances: Circumstances): Due {
  if (!record) return nothingDue(problem?.needsPerson ? problem.why : undefined);
  try {
    const { now, announced, isOver } = circumstances;
    const { facts } = record.edition;
    const next = nextMomentOf(record, now);
    const letters = lettersDue(record, now, announced?.get(facts.id));
    const isClosing = !isKeptOpen(record, now) && isToBeClosed(record) && isOver(facts);
    return {
      registration: record,
      ...(next && { next }),
      letters: isClosing ? letters.filter((letter) => !isFirstLetter(letter)) : letters,
      deeds: [...(isClosing ? (['closing'] as const) : []), ...laterDeeds(record, now)],
    };
  } catch (error) {
    return nothingDue(causeOf(error).message);
  }
}

const nothingDue = (attention?: string): Due => ({
  letters: [],
  deeds: [],
  ...(attention !== undefined && { attention }),
});

function laterDeeds(record: RegistrationRecord, now: Date): Deed[] {
  const deeds: Deed[] = [];
  if (isCustomerToBeFitted(record, now)) deeds.push('fit-customer');
  if (stalePayments(record, now).length > 0) deeds.push('fit-balance');
  if (installmentToCharge(record, now)) deeds.push('charge');
  if (refundStop(record, now) === undefined) deeds.push('refund');
  return deeds;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Whether a registration is not closed although its deposit is not paid at Stripe: it is paid otherwise, or was, or a part
 * of it is; or her place is held. What becomes of her is for the office to decide.
 */
function isKeptOpen(record: RegistrationRecord, now: Date): boolean {
  const { deposit, decisions, received } = record;
  const isTouched = received.counting.length + received.takenBack.length + paidBalances(record).length > 0;
  const wasWaived = decisions.withdrawn.some(({ kind }) => kind === 'waived');
  return deposit === 'paid' || isTouched || wasWaived || now < keptUntil(record);
}

/** Until when the place of somebody who has not paid is held, and a day more, in which a letter tells her that it ended. */
function keptUntil({ decisions: { held } }: RegistrationRecord): Date {
  return new Date(held ? heldEnd(held).getTime() + DAY_MS : 0);
}

/** What is due is done within minutes: after this long something is wrong, and the office is told. */
export const STUCK_AFTER_MS = DAY_MS;

/**
 * The next moment at which something falls due for a registration through the passing of time alone. At least once a day
 * until its page closes: a fault here must not keep a letter or a charge back for good. Undefined after that.
 */
export function nextMomentOf(record: RegistrationRecord, now: Date): Date | undefined {
  const { edition, begunAt, decisions } = record;
  const { facts } = edition;
  const carriedOutAt = [workedOffFrom(record), decisions.refund?.at].filter((at) => at !== undefined);
  const moments = [
    ...(decisions.held ? heldMoments(decisions.held) : []),
    keptUntil(record),
    ...(record.deposit === 'unpaid'
      ? [new Date(begunAt.getTime() + LAPSED_AFTER_MS), registrationOverAt(facts), remindAt(record)]
      : []),
    ...installmentsOf(record).flatMap((one) => chargeMoments(record, one)),
    askedToAgreeFrom(record),
    questionsRemindAt(record),
    ...(record.customerStaleBy && facts.handOverUntil ? [new Date(facts.handOverUntil)] : []),
    ...carriedOutAt.flatMap((at) => [at, new Date(at.getTime() + STUCK_AFTER_MS)]),
    ...momentsOf(edition).map(({ at }) => new Date(at)),
    ...roomlessMoments(edition.timetable),
    ...(now < linksEndAt(facts) ? [new Date(now.getTime() + DAY_MS)] : []),
  ];
  const ahead = moments.filter((moment) => moment !== undefined && moment > now);
  return ahead.toSorted((one, other) => Number(one) - Number(other)).at(0);
}

/** The moments at which something may fall due about the charge of a balance, or of a part of it. */
function chargeMoments(record: RegistrationRecord, one: Installment): readonly (Date | undefined)[] {
  const { dueAt } = one;
  const { noticeMs, reminderMs } = tellingTimes(record);
  const besides = [0, -noticeMs, -reminderMs, -CARD_EXPIRY_MS, STUCK_AFTER_MS];
  const nextTry = nextTryAt(record, one);
  return [
    ...besides.map((ms) => new Date(dueAt.getTime() + ms)),
    nextTry,
    nextTry && new Date(nextTry.getTime() + STUCK_AFTER_MS),
    chargeHeldUntil(record, one),
    payingUntil(record),
  ];
}

interface Letter {
  letter: RegistrationMail;
  isDone: boolean;
}

export type OwedLetter = Pick<RecordedLetter, 'subject' | 'version' | 'again'> &
  Pick<RegistrationMail, 'kind'>;

/** `request` names which one of those that somebody asked for. */
type Asked = Pick<RegistrationMail, 'kind' | 'registration'> & { request?: string; version?: string };

/**
 * The requested letter with its facts at a moment; undefined when its condition does not hold, or there is no
 * such registration. Every letter that is sent, or sent again by support, is read here.
 * @throws {AppError} for an edition that this release does not know: another release may send it
 */
async function findLetter(
  register: Register,
  { kind, registration, request, version }: Asked,
  now: Date,
): Promise<Letter | undefined> {
  const all = await register.database.read((transaction) => readRegistrations(transaction, [registration]));
  const { record, problem } = all.get(registration) ?? {};
  if (problem?.isOfOtherRelease) throw unreadablePayment(`${registration}: ${problem.why}`);
  if (!record) return undefined;
  if (isKeptMail(kind)) {
    const announced = await announcedTo(register, kind, record);
    const letters = lettersNow(kind, record, now, announced);
    // Of receipts, the last one is wanted.
    const wanted = letters.at(kind === 'part-paid' ? -1 : 0);
    const letter = letters.find((one) => mailVersion(one) === version) ?? wanted;
    return letter && { letter, isDone: isSentOrDismissed(letter, record) };
  }
  if (request === undefined) return undefined;
  if (kind === 'message') return findMessage(register, record, request);
  const letter = placeLinkLetter(record, request);
  return letter && { letter, isDone: false };
}

/** A letter that the office wrote: done once it was stopped. */
async function findMessage(
  register: Register,
  record: RegistrationRecord,
  id: string,
): Promise<Letter | undefined> {
  const written = (await readMessages(register, record.edition)).find(({ message }) => message === id);
  const letter = written && messageLetter(record, written);
  return letter && { letter, isDone: written.stopped !== undefined || isSentOrDismissed(letter, record) };
}

/**
 * The announcements that a letter depends on; for a letter that depends on none, nothing is read.
 * @throws {AppError} when a schedule was announced that this release does not know: another release may send
 *   it
 */
async function announcedTo(
  register: Register,
  kind: KeptMailKind,
  { edition }: RegistrationRecord,
): Promise<Announcements | undefined> {
  if (!isAnnounced(kind)) return undefined;
  const announced = await readAnnouncements(register, edition);
  const { id, calendar } = edition.facts;
  const { revision = 0 } = announced.scheduleTold ?? {};
  if (kind === 'schedule-changed' && revision > calendar.revision)
    throw unreadablePayment(`Revision ${revision} of the schedule of ${id} is unknown here`);
  return announced;
}

/**
 * A letter as it is to be sent now; undefined when it no longer applies, would go to another address, or is
 * on record as sent or dismissed and nobody requested it again.
 * @throws {AppError} as `findLetter`
 */
export async function findOwedLetter(
  register: Register,
  { kind, subject, version, again }: OwedLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const isRequested = mailRules[kind].about === 'request';
  const asked = { kind, registration: subject, version, ...(isRequested && { request: version }) };
  const found = await findLetter(register, asked, now);
  if (!found) return undefined;
  const { letter, isDone } = found;
  if (mailVersion(letter) !== version) return undefined;
  if (again) return { ...letter, again: true };
  return isDone ? undefined : letter;
}

/**
 * A mail with a registration's current facts; undefined when it does not apply, or there is
 * no such registration.
 */
export async function findMail(
  register: Register,
  registration: string,
  name: KeptLetter,
  now: Date,
): Promise<RegistrationMail | undefined> {
  const which = isMessageName(name)
    ? { kind: 'message' as const, request: messageIdOf(name) }
    : { kind: name };
  const found = await findLetter(register, { ...which, registration }, now);
  return found?.letter;
}

/** Records that a person handles a payment: no welcome is sent, and the worker reports it no more. */
export async function markLookedAt({ database }: Register, id: string, by: string, now: Date): Promise<void> {
  const act = { kind: 'looked-at' as const, at: now, by };
  await writeAct(database, id, (acts) => (hasKind(acts, 'looked-at') ? undefined : act));
}
